/** Handlers whose effect lives in another system: `lookup` gets the same id for a request and all its retries. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import {
  column,
  object,
  operation,
  Problem,
  required,
  service,
  statement,
  string,
  type TwoPhaseHandler,
  table,
} from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const parcel = required(string({ max: 20, example: 'P-1' }), 'The parcel.');
const ship = operation({
  name: 'ship',
  doc: 'Ships a parcel by a carrier, and saves its label.',
  effect: 'writes',
  role: 'shipping',
  problems: [],
  input: object('ShipRequest', { parcel }),
  output: object('Shipped', { label: required(string({ max: 20, example: 'L-1' }), 'The label.') }),
});
const shippingV1 = service({
  name: 'Shipping',
  version: 1,
  doc: 'Ships parcels.',
  address: '/shipping',
  legacy: { adapter: '/shipping/form' },
  namespaces: { own: 's', uris: { s: 'urn:example:shipping' } },
  problems: {},
  operations: [ship],
});
const save = statement('insert into shipment values ($1, $2, $3)');
const { tenant, text } = column;
const shipments = table('shipment', {
  columns: { tenant, parcel: text, label: text },
  key: ['tenant', 'parcel'],
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

/** Another system. As those of payments and carriers, it has one effect for each id. */
class Carrier {
  readonly ids: string[] = [];
  readonly #labels = new Map<string, string>();

  get effects(): number {
    return this.#labels.size;
  }

  ship(id: string): string {
    this.ids.push(id);
    const label = this.#labels.get(id) ?? `L-${this.#labels.size + 1}`;
    this.#labels.set(id, label);
    return label;
  }
}

/** `idOf`: what the carrier is given as the id. `failures`: so many requests fail after the effect. */
function shipBy(carrier: Carrier, failures: number, idOf: (id: string) => string) {
  let left = failures;
  const handler: TwoPhaseHandler<typeof ship, string> = {
    lookup: async (_request, _store, _context, id) => carrier.ship(idOf(id)),
    async handle({ input, caller }, tx, _context, label) {
      await tx.execute(save, [caller.tenant, input.parcel, label]);
      left -= 1;
      if (left >= 0) throw new Problem('unavailable');
      return { label };
    },
  };
  return shippingV1.with({ ship: handler }, { tables: [shipments] });
}

const protocols = createProtocols([shippingV1]);
const keyOne = 'key-of-a-parcel-1';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(carrier: Carrier, failures = 0, idOf = (id: string) => id, folder?: TempFolder) {
  const services = [shipBy(carrier, failures, idOf)];
  const store = folder && { store: { dataDir: folder.path } };
  const gateway = await createGateway({ services, settings: { LOG_LEVEL: 'silent' }, ...store });
  ends.push(() => gateway.close());
  return gateway;
}

async function addCaller({ credentials }: RunningGateway, tenant = 'acme'): Promise<string> {
  return (await credentials.addCredential({ tenant, kind: 'apiKey', roles: ['shipping'], grants: {} })).secret;
}

/** Returns the label; undefined where the request is refused. */
async function send(
  gateway: RunningGateway,
  name: NamedProtocol,
  secret: string,
  key?: string,
  input = { parcel: 'P-1' },
) {
  const { path, contentType, body } = protocols[name].encodeRequest(shippingV1, ship, input);
  const headers = { 'content-type': contentType, 'x-api-key': secret, ...(key && { 'idempotency-key': key }) };
  const response = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  const text = await response.text();
  if (response.status !== 200) return undefined;
  return (protocols[name].decodeResponse(ship, text).value as { readonly label: string }).label;
}

/** Sends a request that fails after the effect in every format, and then once more; returns the last label. */
async function retryInEveryFormat(gateway: RunningGateway, secret: string, first: NamedProtocol) {
  const order = [first, ...namedProtocols.filter((name) => name !== first)];
  for (const name of order) expect(await send(gateway, name, secret, keyOne)).toBeUndefined();
  return send(gateway, first, secret, keyOne);
}

describe.each(namedProtocols)('a request in %s', (first) => {
  test('has one id with all its retries in any format, and one effect', async () => {
    const carrier = new Carrier();
    const gateway = await open(carrier, namedProtocols.length);
    const secret = await addCaller(gateway);
    expect(await retryInEveryFormat(gateway, secret, first)).toBe('L-1');
    expect([new Set(carrier.ids).size, carrier.ids.length, carrier.effects]).toEqual([1, namedProtocols.length + 1, 1]);
    expect(carrier.ids[0]).toMatch(/^[\w-]{16,64}$/);
    // Its outcome is stored now: a replay asks no other system.
    for (const name of namedProtocols) expect(await send(gateway, name, secret, keyOne)).toBe('L-1');
    expect(carrier.ids).toHaveLength(namedProtocols.length + 1);
  });
});

test('a carrier that ignores the id has an effect for each attempt', async () => {
  const carrier = new Carrier();
  let attempts = 0;
  const gateway = await open(carrier, namedProtocols.length, () => `attempt-${++attempts}`);
  await retryInEveryFormat(gateway, await addCaller(gateway), 'json');
  expect(carrier.effects).toBe(namedProtocols.length + 1);
});

test('the id stays the same after a restart', async () => {
  const carrier = new Carrier();
  const folder = tempFolder();
  ends.push(() => folder.discard());
  const before = await open(carrier, 1, undefined, folder);
  const secret = await addCaller(before);
  expect(await send(before, 'soap11', secret, keyOne)).toBeUndefined();
  await before.close();
  expect(await send(await open(carrier, 0, undefined, folder), 'form', secret, keyOne)).toBe('L-1');
  expect([new Set(carrier.ids).size, carrier.effects]).toEqual([1, 1]);
});

test('other keys, other tenants and requests without a key have other ids', async () => {
  const carrier = new Carrier();
  const gateway = await open(carrier);
  const [acme, other] = [await addCaller(gateway), await addCaller(gateway, 'other')];
  await send(gateway, 'json', acme, keyOne, { parcel: 'P-1' });
  await send(gateway, 'json', acme, 'key-of-a-parcel-2', { parcel: 'P-2' });
  await send(gateway, 'json', other, keyOne, { parcel: 'P-1' });
  await send(gateway, 'json', acme, undefined, { parcel: 'P-3' });
  await send(gateway, 'json', acme, undefined, { parcel: 'P-4' });
  expect(new Set(carrier.ids).size).toBe(5);
});
