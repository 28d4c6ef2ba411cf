/** The published versions: each caller sends and gets the members of its own version, and a key holds in all of them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Schema } from '../../src/core/contract/schema.ts';
import { contractOf, type Service } from '../../src/core/contract/service.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { publicVersionsOf } from '../support/public-facts.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { access } from './read-cases.ts';

const versions = publicVersionsOf('Recurring');

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openGateway();
});
afterEach(() => gateway.close());

const protocols = createProtocols(services);
/** The adapter has no versions. */
const formats = namedProtocols.filter((name) => name !== 'adapter');

interface Call {
  readonly name: NamedProtocol;
  readonly version: number;
  readonly operation: string;
  readonly input: object;
  readonly key?: string;
}

/** The contract of a version, at the number that is asked for. */
const serviceOf = (version: number): Service => ({ ...contractOf(services, 'Recurring', version)!, version });

const send = (path: string, contentType: string, body: string, key?: string) =>
  gateway.ask({
    path,
    headers: { 'content-type': contentType, ...callers.demo, ...(key && { 'idempotency-key': key }) },
    body,
  });

/** Calls as a client of the version would. */
const call = async ({ name, version, operation, input, key }: Call) => {
  const service = serviceOf(version);
  const described = service.operations.get(operation)!;
  const asked = { merchantAccount: 'DemoMerchant', shopperReference: 'anna', ...input };
  const { path, contentType, body } = protocols[name].encodeRequest(service, described, asked);
  const { message, entry } = await send(path, contentType, body, key);
  const output = entry.outcome === 'ok' ? protocols[name].decodeResponse(described, message.body).value : undefined;
  return { output, message, entry };
};

const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
const agreed = { contract: ['RECURRING'], recurringExpiry: Date.UTC(2030, 11, 31), recurringFrequency: '28' };

describe.each(formats)('%s', (name) => {
  test.each(versions)(
    'networkTxReference and transactionLinkId are in the list since version 68: %i',
    async (version) => {
      const isIn68 = version >= 68;
      const additionalData = { networkTxReference: 'MCC1234567890', transactionLinkId: 'TLI1234567890' };
      const input = { card, recurring: agreed, additionalData };
      expect((await call({ name, version, operation: 'storeToken', input })).entry.outcome).toBe('ok');
      const { message, output } = await call({ name, version, operation: 'listRecurringDetails', input: {} });
      const { details } = output as { details: readonly { networkTxReference?: string; transactionLinkId?: string }[] };
      expect(
        details.map(({ networkTxReference, transactionLinkId }) => [networkTxReference, transactionLinkId]),
      ).toEqual([isIn68 ? ['MCC1234567890', 'TLI1234567890'] : [undefined, undefined]]);
      expect(details[0]).toMatchObject({ additionalData });
      // Once as an entry, and in version 68 as a member, too.
      for (const text of Object.values(additionalData)) expect(message.body.split(text)).toHaveLength(isIn68 ? 3 : 2);
    },
  );
});

/** Members that stubs of version 12 do not know. */
const later = /<(?:\w+:)?(?:acquirer|acquirerAccount|bankCity|taxId|invalidOneclickContracts|rechargeReference)\b/;

test.each([
  [12, false],
  [18, true],
])('members that came after version 12 are in the answers of version %i: %s', async (version, isThere) => {
  const bank = { iban: 'NL13TEST0123456789', ownerName: 'Anna van Dijk' };
  const input = { bank, recurring: { contract: ['RECURRING'] }, shopperReference: 'bank-shopper' };
  const key = 'one-key';
  const stored = await call({ name: 'json', version: 25, operation: 'storeToken', input, key });
  const again = await call({ name: 'soap11', version, operation: 'storeToken', input, key });
  expect([stored.entry.outcome, again.entry.replayed]).toEqual(['ok', true]);
  expect(again.output).toMatchObject({ pspReference: (stored.output as { pspReference: string }).pspReference });
  const more = { ...input, bank: { ...bank, bankCity: 'Amsterdam', taxId: '123' } };
  await call({ name: 'json', version: 25, operation: 'storeToken', input: more });
  const { shopperReference } = input;
  const list = await call({ name: 'soap11', version, operation: 'listRecurringDetails', input: { shopperReference } });
  expect(list.message.body).toContain('NL13TEST0123456789');
  expect([later.test(again.message.body), later.test(list.message.body)]).toEqual([isThere, isThere]);
});

/** The members of a detail by the version that has them first, as the public descriptions and the WSDL of version 1 state. */
const detailSince: readonly (readonly [version: number, members: string])[] = [
  [1, 'bank card creationDate elv name recurringDetailReference variant'],
  [2, 'paymentMethodVariant tokenDetails'],
  [4, 'alias aliasType billingAddress firstPspReference shopperName socialSecurityNumber'],
  [5, 'additionalData'],
  [12, 'contractTypes'],
];
const detailMembersOf = (version: number) =>
  detailSince.flatMap(([since, members]) => (since <= version ? members.split(' ') : [])).sort();

const membersOfVersion25 = detailMembersOf(12);

const address = { city: 'Paris', country: 'FR', houseNumberOrName: '1', street: 'Rue' };
const everything = {
  ...{ card, additionalData: { a: 'b' }, billingAddress: address, name: 'Card', shopperEmail: 'a@example.com' },
  ...{ recurring: { contract: ['RECURRING'] }, shopperName: { firstName: 'A', lastName: 'B' } },
  socialSecurityNumber: '123',
};

/** The local names of the children of an element, in their order. */
const childrenOf = (xml: string, name: string): readonly string[] => {
  const inner = new RegExp(`<(?:\\w+:)?${name}(?: [^>]*)?>(.*?)</(?:\\w+:)?${name}>`).exec(xml)?.[1] ?? '';
  const open: string[] = [];
  const found: string[] = [];
  for (const [, end, local = '', empty] of inner.matchAll(/<(\/?)(?:\w+:)?(\w+)[^>]*?(\/?)>/g)) {
    if (end === '/') open.pop();
    else {
      if (open.length === 0) found.push(local);
      if (empty === '') open.push(local);
    }
  }
  return found;
};

describe.each([1, 2, 3, 4, 5, 11, 12])('version %i', (version) => {
  test('has the members of its own documents in a list, and no other', async () => {
    await call({ name: 'json', version: 68, operation: 'storeToken', input: everything });
    const list = await call({ name: 'soap11', version, operation: 'listRecurringDetails', input: {} });
    expect(childrenOf(list.message.body, 'RecurringDetail')).toEqual(detailMembersOf(version));
    const members = ['creationDate', 'details', 'lastKnownShopperEmail', 'shopperReference'];
    expect(childrenOf(list.message.body, 'result')).toEqual(members);
    const json = await call({ name: 'json', version, operation: 'listRecurringDetails', input: {} });
    const [detail] = JSON.parse(json.message.body).details;
    const absent = ['bank', 'elv', 'tokenDetails'];
    expect(Object.keys(detail.RecurringDetail).sort()).toEqual(
      detailMembersOf(version).filter((each) => !absent.includes(each)),
    );
  });

  test('answers a request that has something newer by version 25', async () => {
    const input = { card, recurring: { contract: ['RECURRING'] }, name: 'x' };
    const own = await call({ name: 'soap11', version, operation: 'storeToken', input });
    expect(own.entry.version).toBe(version === 11 ? 5 : version);
    const bank = { iban: 'NL13TEST0123456789', ownerName: 'Anna van Dijk', taxId: '123' };
    const path = `/pal/servlet/Recurring/v${version}/storeToken`;
    const body = { merchantAccount: 'DemoMerchant', shopperReference: 'anna', bank, recurring: { contract: 'PAYOUT' } };
    const newer = await send(path, 'application/json', JSON.stringify(body));
    expect([newer.entry.outcome, newer.entry.version]).toEqual(['ok', 25]);
  });
});

/** SOAP at the address without a version, as a client with stubs of a version sends it. */
const callUnversioned = async (version: number, operation: string, input: object) => {
  const service = serviceOf(version);
  const described = service.operations.get(operation)!;
  const asked = { merchantAccount: 'DemoMerchant', shopperReference: 'anna', ...input };
  const { contentType, body } = protocols.soap11.encodeRequest(service, described, asked);
  return await send('/pal/servlet/soap/Recurring', contentType, body);
};

describe('the address without a version', () => {
  test('answers stubs of version 1 with its members', async () => {
    const stored = await callUnversioned(1, 'storeToken', { card, recurring: { contract: ['RECURRING'] } });
    expect(childrenOf(stored.message.body, 'result')).toEqual([
      'rechargeReference',
      'recurringDetailReference',
      'result',
    ]);
    expect(stored.message.body).toContain(`>${stored.entry.requestReference}</rechargeReference>`);
    const list = await callUnversioned(1, 'listRecurringDetails', {});
    expect([list.entry.version, childrenOf(list.message.body, 'RecurringDetail')]).toEqual([1, detailMembersOf(1)]);
    // The month has two digits in its documents.
    expect(list.message.body).toContain('<ns2:expiryMonth>03</ns2:expiryMonth>');
    expect(childrenOf(list.message.body, 'card').slice(0, 2)).toEqual(['billingAddress', 'brand']);
  });

  test('answers by version 25 what has a member or an operation that version 1 lacks', async () => {
    const stored = await callUnversioned(25, 'storeToken', everything);
    expect([stored.entry.version, childrenOf(stored.message.body, 'result')]).toEqual([
      25,
      ['alias', 'aliasType', 'pspReference', 'rechargeReference', 'recurringDetailReference', 'result'],
    ]);
    const found = await callUnversioned(25, 'tokenLookup', { card });
    expect([found.entry.outcome, found.entry.version]).toEqual(['ok', 25]);
    const disabled = await callUnversioned(25, 'disable', { contract: ['RECURRING'] });
    expect([disabled.entry.outcome, disabled.entry.version]).toEqual(['ok', 25]);
    const unknown = await callUnversioned(25, 'disable', {}).then(() =>
      send(
        '/pal/servlet/soap/Recurring',
        'text/xml',
        soapText('<disable><request><colour>red</colour></request></disable>'),
      ),
    );
    expect([unknown.entry.outcome, unknown.entry.version]).toEqual(['unknownField', 25]);
  });
});

describe.each([
  [undefined, 1],
  ['1', 1],
  ['25', 25],
])('the address without a version of a server with UNVERSIONED_VERSION=%s', (setting, version) => {
  let server: ConsoleServer;
  beforeAll(async () => {
    server = await startConsoleServer({ variables: setting === undefined ? {} : { UNVERSIONED_VERSION: setting } });
  });
  afterAll(() => server.stop());

  const post = async (path: string, service: Service) => {
    const described = service.operations.get('listRecurringDetails')!;
    const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
    const { contentType, body } = protocols.soap11.encodeRequest(service, described, input);
    const headers = { 'content-type': contentType, 'x-api-key': 'demo-api-key' };
    return (await fetch(server.callers + path, { method: 'POST', headers, body })).text();
  };

  test(`version ${version} answers stubs of version 1`, async () => {
    const list = await post('/pal/servlet/soap/Recurring', serviceOf(1));
    expect(childrenOf(list, 'RecurringDetail')).toEqual(version === 1 ? detailMembersOf(1) : membersOfVersion25);
    const numbered = await post('/pal/servlet/Recurring/v1', serviceOf(1));
    expect(childrenOf(numbered, 'RecurringDetail')).toEqual(detailMembersOf(1));
  });

  test(`its WSDL is that of version ${version}`, async () => {
    const text = async (path: string) => (await fetch(server.callers + path)).text();
    const typesOf = (wsdl: string) => /<wsdl:types>.*<\/wsdl:types>/s.exec(wsdl)?.[0];
    const types = typesOf(await text('/pal/Recurring.wsdl'));
    expect(types).toContain('name="RecurringDetail"');
    expect(types).toBe(typesOf(await text(`/pal/servlet/Recurring/v${version}?wsdl`)));
    expect(types).not.toBe(typesOf(await text(`/pal/servlet/Recurring/v${version === 1 ? 25 : 1}?wsdl`)));
  });
});

const soapText = (content: string) =>
  '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>' +
  content.replace(/<(\w+)>/, '<$1 xmlns="http://recurring.services.adyen.com">') +
  '</Body></Envelope>';

describe('operations of older versions', () => {
  const kept = () => gateway.active();

  test.each(formats)('deactivateRecurring disables, in %s, once', async (name) => {
    const before = await kept();
    const shopper = { shopperReference: 'shopper-1', recurringReference: '8313147988756818' };
    const parts = { name, version: 1, operation: 'deactivateRecurring', key: 'deactivate-1' };
    const first = await call({ ...parts, input: shopper });
    expect(first.output).toEqual({
      pspReference: first.entry.requestReference,
      response: '[detail-successfully-disabled]',
    });
    expect(await kept()).toEqual(before.filter((each) => !each.startsWith('8313147988756818')));
    const again = await call({ ...parts, input: shopper });
    expect([again.entry.replayed, again.output]).toEqual([true, first.output]);
    const other = await call({ ...parts, key: 'deactivate-2', input: shopper });
    expect(other.entry.outcome).toBe('detailNotFound');
    const remaining = await kept();
    const latest = { shopperReference: 'shopper-1', recurringReference: 'LATEST' };
    const last = await call({ ...parts, key: 'deactivate-latest', input: latest });
    expect(last.output).toMatchObject({ response: '[detail-successfully-disabled]' });
    expect(await kept()).toHaveLength(remaining.length - 1);
    const all = await call({ ...parts, key: 'deactivate-3', input: { shopperReference: 'shopper-1' } });
    expect(all.output).toMatchObject({ response: '[all-details-successfully-disabled]' });
    expect(await kept()).toEqual([]);
  });

  test('its messages have the elements of the published WSDL', async () => {
    const { message } = await callUnversioned(1, 'deactivateRecurring', { shopperReference: 'shopper-1' });
    expect(message.body).toMatch(/<ns1:deactivateRecurringResponse [^>]*><ns1:recurringResult>/);
  });

  test.each([
    ['initialiseRecurring', 1],
    ['submitRecurring', 1],
    ['prepareStoreToken', 2],
    ['prepareStoreToken', 12],
  ])('%s of version %i is refused, since no payment service is connected', async (operation, version) => {
    const input = operation === 'prepareStoreToken' ? { card, recurring: { contract: ['RECURRING'] } } : {};
    const { entry, message } = await call({ name: 'soap11', version, operation, input });
    expect([entry.outcome, message.status]).toEqual(['noPaymentService', 500]);
    expect(message.body).toContain('validation 000 No payment service is connected');
  });

  test('storeAlias returns the alias that the stored card has', async () => {
    const stored = await call({
      ...{ name: 'json', version: 12, operation: 'storeToken' },
      input: { card, recurring: { contract: ['RECURRING'] } },
    });
    const path = '/pal/servlet/Recurring/v12/storeAlias';
    const asked = (body: object) => send(path, 'application/json', JSON.stringify(body));
    const before = await kept();
    const found = await asked({ aliasType: 'Default', card });
    const { alias } = stored.output as { alias: string };
    expect(JSON.parse(found.message.body)).toEqual({ alias, aliasType: 'Default' });
    expect(await kept()).toEqual(before);
    expect((await asked({ aliasType: 'Other', card })).entry.outcome).toBe('invalidField');
    expect((await asked({ aliasType: 'Default' })).entry.outcome).toBe('missingPaymentDetails');
  });

  test.each([
    ['/pal/servlet/Recurring/v12/storeAlias', 'application/json', '{"colour":"red"}'],
    ['/pal/servlet/Recurring/v12/prepareStoreToken', 'application/x-www-form-urlencoded', 'colour=red'],
    [
      '/pal/servlet/soap/Recurring',
      'text/xml',
      soapText('<submitRecurring><recurringRequest><colour>red</colour></recurringRequest></submitRecurring>'),
    ],
  ])('a wrong member of an operation that only old versions have is named: %s', async (path, type, body) => {
    const { entry, message } = await send(path, type, body);
    expect([entry.outcome, message.body]).toEqual(['unknownField', expect.stringContaining('colour')]);
  });

  test.each([
    [2, 'deactivateRecurring'],
    [13, 'storeAlias'],
    [68, 'prepareStoreToken'],
  ])('version %i has no %s', async (version, operation) => {
    const { entry } = await send(`/pal/servlet/Recurring/v${version}/${operation}`, 'application/json', '{}');
    expect(entry.outcome).toBe('unknownOperation');
  });
});

/** Members of answers that only version 12 has. */
const onlyInV12 = ['additionalData', 'params', 'pspEchoData', 'redirectType', 'redirectUrl'];

test.each([12, 13])('what version 12 has is nil in SOAP only, and nothing in another version: %i', async (version) => {
  const input = { card, recurring: { contract: ['RECURRING'] }, shopperReference: 'nils' };
  const { shopperReference } = input;
  const nilsIn = (body: string) => onlyInV12.filter((each) => body.includes(`<${each} xsi:nil="true"/>`));
  const soap = await call({ name: 'soap11', version, operation: 'storeToken', input });
  expect(nilsIn(soap.message.body)).toEqual(version === 12 ? onlyInV12 : []);
  const list = await call({ name: 'soap11', version, operation: 'listRecurringDetails', input: { shopperReference } });
  expect(list.message.body.includes('<ns2:billingAddress xsi:nil="true"/>')).toBe(version === 12);
  const json = await call({ name: 'json', version, operation: 'storeToken', input });
  expect(Object.keys(JSON.parse(json.message.body)).filter((each) => onlyInV12.includes(each))).toEqual([]);
});

test('members of a request that only version 12 has are no part of the request', async () => {
  const input = { card, recurring: { contract: ['RECURRING'] }, shopperReference: 'ignored' };
  const ignored = { params: { a: 'b' }, pspEchoData: 'echo', returnUrl: 'x'.repeat(4_000), shopperIP: '192.0.2.1' };
  const key = 'a-key-of-version-12';
  const first = await call({
    name: 'soap11',
    version: 12,
    operation: 'storeToken',
    input: { ...input, ...ignored },
    key,
  });
  const again = await call({ name: 'json', version: 25, operation: 'storeToken', input, key });
  expect([first.entry.outcome, again.entry.outcome, again.entry.replayed]).toEqual(['ok', 'ok', true]);
  const other = await call({ name: 'json', version: 25, operation: 'storeToken', input: { ...input, name: 'x' }, key });
  expect(other.entry.outcome).toBe('keyReused');
});

test.each(versions)('recurringExpiry that is no moment: ignored before version 40, refused in %i', async (version) => {
  const body = JSON.stringify({
    ...{ merchantAccount: 'DemoMerchant', shopperReference: 'anna', card },
    recurring: { contract: 'RECURRING', recurringExpiry: 'soon' },
  });
  const path = `/pal/servlet/Recurring/v${version}/storeToken`;
  const { entry } = await send(path, 'application/json', body);
  expect(entry.outcome).toBe(version < 40 ? 'ok' : 'structure');
});

/** Two callers of any version and format, who send one request with one key. */
const retries = fc.record({
  operation: fc.constantFrom(
    { name: 'storeToken', input: { card, recurring: agreed } },
    { name: 'storeToken', input: { card, recurring: { contract: ['ONECLICK', 'PAYOUT'] } } },
    { name: 'disable', input: { shopperReference: 'shopper-1', contract: ['PAYOUT'] } },
    { name: 'disable', input: { shopperReference: 'shopper-1' } },
  ),
  versions: fc.tuple(fc.constantFrom(...versions), fc.constantFrom(...versions)),
  names: fc.tuple(fc.constantFrom(...formats), fc.constantFrom(...formats)),
  restarts: fc.boolean(),
});

test('a retry through another version and format replays the response', async () => {
  const drawn = fc.sample(retries, { seed, numRuns: 100 });
  for (const [at, { operation, versions, names, restarts }] of drawn.entries()) {
    const own = await openGateway();
    const before = gateway;
    gateway = own;
    try {
      const parts = { operation: operation.name, input: operation.input, key: `key-of-retry-${at}` };
      const first = await call({ ...parts, name: names[0], version: versions[0] });
      const active = await gateway.active();
      if (restarts) gateway.restart();
      const second = await call({ ...parts, name: names[1], version: versions[1] });
      const label = `${JSON.stringify({ operation, versions, names, restarts })}, ${repeatCommand('test/conformance')}`;
      expect([label, first.entry.outcome, second.entry.replayed]).toEqual([label, 'ok', true]);
      expect([label, second.output]).toEqual([label, first.output]);
      expect([label, second.entry.requestReference]).toEqual([label, first.entry.requestReference]);
      expect([label, await gateway.active()]).toEqual([label, active]);
    } finally {
      gateway = before;
      await own.close();
    }
  }
});

/** The first and the last version with each operation; the WSDL of versions 1 and 12 and the public descriptions state them. */
const operationsOf: ReadonlyMap<string, readonly [from: number, to: number]> = new Map([
  ...[...access].map(([name, of]) => [name, [of!.since, newestRecurring.version]] as const),
  ['deactivateRecurring', [1, 1]],
  ['initialiseRecurring', [1, 1]],
  ['prepareStoreToken', [2, 12]],
  ['storeAlias', [2, 12]],
  ['submitRecurring', [1, 1]],
]);

/** The first version with a member of a type, in requests or responses; those of details before version 13 stand above. */
const membersSince: readonly (readonly [operation: string, side: 'input' | 'output', path: string, from: number])[] = [
  ['disable', 'input', 'contract', 3],
  ['listRecurringDetails', 'input', 'recurring.tokenService', 25],
  ['listRecurringDetails', 'input', 'recurring.recurringExpiry', 40],
  ['listRecurringDetails', 'input', 'recurring.recurringFrequency', 40],
  ['listRecurringDetails', 'output', 'invalidOneclickContracts', 13],
  ['listRecurringDetails', 'output', 'details.acquirer', 13],
  ['listRecurringDetails', 'output', 'details.acquirerAccount', 13],
  ['listRecurringDetails', 'output', 'details.bank.bankCity', 18],
  ['listRecurringDetails', 'output', 'details.bank.taxId', 18],
  ['listRecurringDetails', 'output', 'details.networkTxReference', 68],
  ['listRecurringDetails', 'output', 'details.transactionLinkId', 68],
  ['storeToken', 'input', 'bank.bankCity', 18],
  ['storeToken', 'input', 'bank.taxId', 18],
  ...detailSince.flatMap(([from, members]) =>
    members.split(' ').map((name) => ['listRecurringDetails', 'output', `details.${name}`, from] as const),
  ),
];

const hasMember = (schema: Schema, path: string): boolean => {
  const [name = '', ...rest] = path.split('.');
  if (schema.kind === 'list' && !schema.joined) return hasMember(schema.item, path);
  if (schema.kind !== 'object') return false;
  const field = schema.fields[name];
  return field !== undefined && (rest.length === 0 || hasMember(field.schema, rest.join('.')));
};

test.each(Array.from({ length: newestRecurring.version }, (_, at) => at + 1))(
  'version %i has what the table of versions says',
  (version) => {
    const { operations, errorMap } = serviceOf(version);
    const expected = [...operationsOf].filter(([, [from, to]]) => from <= version && version <= to);
    expect([...operations.keys()].sort()).toEqual(expected.map(([name]) => name).sort());
    for (const [operation, side, path, from] of membersSince) {
      const isThere = hasMember(operations.get(operation)![side], path);
      expect([operation, path, isThere]).toEqual([operation, path, version >= from]);
    }
    expect(errorMap !== undefined).toBe(version >= 46);
    expect(hasMember(operations.get('storeToken')!.output, 'rechargeReference')).toBe(version === 1 || version >= 13);
  },
);
