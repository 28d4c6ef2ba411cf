/** Measures encoding and decoding of a listing in every wire format, in one process, also against another checkout. */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type * as formats from '../src/core/formats/wire-formats.ts';
import type * as builtIn from '../src/payments/index.ts';
import { describeMachine } from './machine.ts';
import { type Finding, limited, median, table } from './results.ts';
import { printReport, sectionOptions } from './section.ts';

const { values: options } = parseArgs({
  options: {
    /** The folder of another checkout. */
    against: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    ...sectionOptions,
  },
});

const rounds = options.quick ? 1 : Number(options.rounds);
const usPerDetailMax = 5;
/** Formats whose listings have a limit, with so many details. */
const withLimit = { formats: ['soap11', 'json', 'form'], counts: [10, 100, 1_000] };
const roundUs = 100_000;

/** A card detail with every field that one can have. */
function detail(number: number) {
  const digits = String(8_313_147_000_000_000 + number);
  return {
    acquirer: 'TestPmmAcquirer',
    acquirerAccount: `TestPmmAcquirerAccount${number}`,
    additionalData: { cardBin: '411111' },
    alias: `H${digits.slice(1)}`,
    aliasType: 'Default',
    billingAddress: {
      city: 'Amsterdam',
      country: 'NL',
      houseNumberOrName: String(number),
      postalCode: '1011 DJ',
      stateOrProvince: 'NH',
      street: 'Simon Carmiggeltstraat',
    },
    card: { expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk', number: digits.slice(-4) },
    contractTypes: ['ONECLICK', 'RECURRING'],
    creationDate: 1_583_059_991_000 + number * 86_400_000,
    firstPspReference: digits,
    name: 'My card',
    paymentMethodVariant: 'visacredit',
    recurringDetailReference: digits,
    shopperName: { firstName: 'Anna', gender: 'FEMALE', infix: 'van', lastName: 'Dijk' },
    socialSecurityNumber: '123456789',
    variant: 'visa',
  };
}

function listing(count: number) {
  return {
    creationDate: 1_583_059_991_000,
    details: Array.from({ length: count }, (_, at) => detail(at)),
    lastKnownShopperEmail: 'shopper@example.com',
    shopperReference: 'shopper-1',
  };
}

const request = {
  merchantAccount: 'DemoMerchant',
  recurring: { contract: ['ONECLICK'] },
  shopperReference: 'shopper-1',
};

/** The work to measure of one checkout, by what it does. */
async function worksOf(root: string): Promise<ReadonlyMap<string, () => number>> {
  const { createProtocols, namedProtocols }: typeof formats = await importFrom(
    root,
    'src/core/formats/wire-formats.ts',
  );
  const { services }: typeof builtIn = await importFrom(root, 'src/payments/index.ts');
  const protocols = createProtocols(services);
  const service = services.find(({ name, version }) => name === 'Recurring' && version === 25)!;
  const operation = service.operations.get('listRecurringDetails')!;
  const works = new Map<string, () => number>();
  for (const name of namedProtocols) {
    const protocol = protocols[name];
    const { contentType, body } = protocol.encodeRequest(service, operation, request);
    const bytes = Buffer.from(body);
    const media = { type: contentType.split(';')[0]!, charset: 'utf-8' as const };
    const target = { service, version: 25, operation: name === 'adapter' ? undefined : operation };
    const head = { query: '', headers: {} };
    works.set(`${name} decode`, () => protocol.decode(bytes, media, target, head).issues.length);
    for (const count of [3, 10, 100, 1_000]) {
      const output = listing(count);
      // The text is written to a socket, so the cost of making it flat counts.
      works.set(`${name} encode ${count}`, () => Buffer.byteLength(protocol.encode(operation, output).body));
    }
  }
  return works;
}

function importFrom(root: string, file: string) {
  return import(pathToFileURL(join(root, file)).href);
}

/** CPU time of one call in microseconds. */
function measure(work: () => number): number {
  const start = process.cpuUsage();
  let calls = 0;
  for (;;) {
    for (let at = 0; at < 10; at++) work();
    calls += 10;
    const { user, system } = process.cpuUsage(start);
    if (user + system > roundUs) return (user + system) / calls;
  }
}

const roots = [join(import.meta.dirname, '..'), ...(options.against === undefined ? [] : [options.against])];
const checkouts = await Promise.all(roots.map(worksOf));
const head = `CPU time in microseconds, median of ${rounds} round${rounds === 1 ? '' : 's'}${roots[1] ? `, this checkout and ${roots[1]}` : ''}. ${describeMachine('no pinning')}`;
const lines: (readonly string[])[] = [];
const findings: Finding[] = [];
for (const name of checkouts[0]!.keys()) {
  // The first round warms up.
  for (const works of checkouts) measure(works.get(name)!);
  const times: number[][] = checkouts.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, works] of checkouts.entries()) times[at]!.push(measure(works.get(name)!));
  const [own, other] = times.map(median);
  const [format, , count] = name.split(' ');
  const each = count === undefined ? undefined : own! / Number(count);
  const ratio = other === undefined ? [] : [other.toFixed(1), (other / own!).toFixed(2)];
  lines.push([name, own!.toFixed(1), each?.toFixed(2) ?? '', ...ratio]);
  if (each !== undefined && withLimit.formats.includes(format!) && withLimit.counts.includes(Number(count)))
    findings.push(limited(`${name}, for each detail`, each, 'at most', usPerDetailMax, 'us', 2));
}
const heads = ['work', 'us', 'us for each detail', ...(roots[1] ? ['other', 'ratio'] : [])];
const isWritten = options.write && options.against === undefined;
if (!printReport('codecs', { text: [head, table(heads, lines)], findings }, isWritten)) process.exitCode = 1;
