/** A program may read a resource, change a member and send all of it: what only the platform sets must be as it is. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { publicVersionsOf } from '../support/public-facts.ts';
import type { Asking } from '../support/resources.ts';
import { cardFor, cardInfo, type Furnished, furnished } from '../support/seeded-platform.ts';

let gateway: TestGateway;
let ask: Furnished;
beforeEach(async () => {
  gateway = await openGateway();
  ask = furnished(gateway);
});
afterEach(() => gateway.close());

const phone = { number: '+31201234567', type: 'mobile' };
const deliveryContact = {
  address: { city: 'Utrecht', country: 'NL', line1: 'Oudegracht', line2: '12', postalCode: '3511AB' },
  name: { firstName: 'Anna', lastName: 'Dijk' },
};
const authentication = { email: 'anna@example.com', password: 'secret', phone };

/** Creates one of each kind, with many members; returns their paths. */
async function createAll(): Promise<Readonly<Record<string, string>>> {
  const address = { city: 'A', country: 'NL', houseNumberOrName: '1', postalCode: '1011', street: 'S' };
  const holder = await ask.holder({
    capabilities: { issueCard: { requested: true } },
    contactDetails: { address, email: 'anna@example.com', phone },
    metadata: { a: 'b' },
  });
  const account = await ask.account(holder, { platformPaymentConfiguration: { settlementDelayDays: 2 } });
  const card = { ...cardInfo, authentication, deliveryContact };
  const old = await ask.instrument(account, {
    card,
    description: 'd',
    reference: 'r',
    paymentInstrumentGroupId: 'PG1',
  });
  const replacement = await ask.instrument(account, { card, replacementOfId: old, status: 'inactive' });
  const lost = await ask.instrument(account, { status: 'suspended', statusReason: 'lost' });
  const bank = (issuingCountryCode: string) =>
    ask.instrument(account, { type: 'bankAccount', card: undefined, issuingCountryCode });
  const instruments = {
    card: old,
    replacement,
    lost,
    dutch: await bank('NL'),
    british: await bank('GB'),
    us: await bank('US'),
  };
  return {
    holder: `/accountHolders/${holder}`,
    account: `/balanceAccounts/${account}`,
    ...Object.fromEntries(Object.entries(instruments).map(([name, id]) => [name, `/paymentInstruments/${id}`])),
  };
}

/** By the resource: members that only the platform sets, with other values than they have. */
const others: readonly (readonly [resource: string, member: string, value: unknown])[] = [
  ['holder', 'id', 'AH0'],
  ['holder', 'legalEntityId', 'LE2'],
  ['account', 'id', 'BA0'],
  ['account', 'balances', [{ available: 1, balance: 0, currency: 'EUR', reserved: 0 }]],
  ['account', 'balances', []],
  ['account', 'defaultCurrencyCode', 'USD'],
  ['card', 'id', 'PI0'],
  ['card', 'description', 'other'],
  ['card', 'issuingCountryCode', 'DE'],
  ['card', 'paymentInstrumentGroupId', 'PG2'],
  ['card', 'reference', 'other'],
  ['card', 'replacedById', 'PI0'],
  ['replacement', 'replacementOfId', 'PI0'],
  ['card', 'type', 'bankAccount'],
  ['card', 'bankAccount', { formFactor: 'virtual', type: 'iban', iban: 'NL13TEST0123456789' }],
  ['dutch', 'bankAccount', { formFactor: 'physical', type: 'iban', iban: 'NL13TEST0123456789' }],
  ['dutch', 'bankAccount', { formFactor: 'virtual', type: 'iban' }],
];
const othersOfCards: readonly (readonly [string, unknown])[] = [
  ['bin', '400000'],
  ['expiration', { month: '01', year: '2031' }],
  ['lastFour', '0000'],
  ['number', '************0000'],
  // In full, it is never accepted.
  ['number', '4000056655665556'],
];

describe.each(publicVersionsOf('BalancePlatform'))('version %i', (version) => {
  const asking: Asking = { version };

  test('all that was read can be sent back, and changes nothing', async () => {
    for (const [name, path] of Object.entries(await createAll())) {
      const read = await ask.get(path, asking);
      const { body, headers } = await ask.patch(path, read.body, asking);
      expect([name, body]).toEqual([
        name,
        { ...read.body, ...(body.statusComment && { statusComment: body.statusComment }) },
      ]);
      expect([name, headers.ETag]).toEqual([name, read.headers.ETag]);
    }
  });

  test('with a change', async () => {
    const { holder, account, card } = await createAll();
    const suspended = version === 1 ? 'Suspended' : 'suspended';
    for (const path of [holder!, account!, card!]) {
      const { body: read } = await ask.get(path, asking);
      const changed = await ask.patch(path, { ...read, status: suspended }, asking);
      expect([path, changed.status, changed.body.status]).toEqual([path, 200, suspended]);
    }
  });

  test.each(others)('%s: another %s is refused', async (name, member, value) => {
    const path = (await createAll())[name]!;
    const { body: before, headers } = await ask.get(path, asking);
    const { status, body } = await ask.patch(path, { ...before, [member]: value }, asking);
    // An empty list is absent, as everywhere.
    const isAbsent = Array.isArray(value) && value.length === 0;
    expect([status, body.invalidFields?.map((each: { name: string }) => each.name)]).toEqual(
      isAbsent ? [200, undefined] : [422, [member]],
    );
    expect((await ask.get(path, asking)).headers.ETag).toBe(headers.ETag);
  });

  test.each(othersOfCards)('card: another %s is refused: %j', async (member, value) => {
    const { card: path, dutch } = await createAll();
    const { body: read } = await ask.get(path!, asking);
    const { body, text } = await ask.patch(path!, { card: { ...read.card, [member]: value } }, asking);
    expect(body.invalidFields.map((each: { name: string }) => each.name)).toEqual([`card.${member}`]);
    expect(text).not.toContain('4000056655665556');
    expect((await ask.patch(dutch!, { card: read.card }, asking)).status).toBe(422);
  });

  test('a security code is refused, as it is not stored', async () => {
    const account = await ask.account(await ask.holder());
    const created = await ask.post(
      '/paymentInstruments',
      cardFor(account, { card: { ...cardInfo, usage: 'singleUse' } }),
      asking,
    );
    const { cvc, number: _, ...card } = created.body.card;
    const path = `/paymentInstruments/${created.body.id}`;
    expect((await ask.patch(path, { card }, asking)).status).toBe(200);
    expect((await ask.patch(path, { card: { ...card, cvc } }, asking)).status).toBe(400);
  });

  test('a create may have what the new resource has', async () => {
    const active = version === 1 ? 'Active' : 'active';
    const [suspended, refused] = [version === 1 ? 'Suspended' : 'suspended', [422, ['status']]];
    const balances = [{ available: 0, balance: 0, currency: 'EUR', reserved: 0 }];
    const create = async (path: string, body: object) => {
      const answer = await ask.post(path, body, asking);
      return [answer.status, answer.body.invalidFields?.map((each: { name: string }) => each.name)];
    };
    const account = { accountHolderId: await ask.holder() };
    expect(await create('/accountHolders', { legalEntityId: 'LE1', status: active })).toEqual([200, undefined]);
    expect(await create('/accountHolders', { legalEntityId: 'LE1', status: suspended })).toEqual(refused);
    expect(await create('/balanceAccounts', { ...account, balances, status: active })).toEqual([200, undefined]);
    expect(await create('/balanceAccounts', { ...account, status: suspended })).toEqual(refused);
    const other = { ...account, balances, defaultCurrencyCode: 'USD' };
    expect(await create('/balanceAccounts', other)).toEqual([422, ['balances']]);
  });
});

test('what is stored of another platform is compared with nothing', async () => {
  const other = furnished(gateway, callers.otherPlatform, 'OtherPlatform');
  const path = `/accountHolders/${await other.holder()}`;
  const [right, wrong] = [
    await ask.patch(path, { legalEntityId: 'LE1' }),
    await ask.patch(path, { legalEntityId: 'LE2' }),
  ];
  expect([right.body.errorCode, wrong.body.errorCode]).toEqual(['30_002', '30_002']);
});

test('of two programs that read the same state, the second one is refused where a read-only member has changed since', async () => {
  const account = await ask.account(await ask.holder());
  const old = await ask.instrument(account);
  const first = await ask.instrument(account, { status: 'inactive', replacementOfId: old });
  const path = `/paymentInstruments/${old}`;
  const { body: read } = await ask.get(path);
  expect(read.replacedById).toBe(first);
  await ask.post(`/paymentInstruments/${first}/cancel`);
  await ask.instrument(account, { status: 'inactive', replacementOfId: old });
  const { body } = await ask.patch(path, { ...read, status: 'suspended' });
  expect(body.invalidFields).toMatchObject([{ name: 'replacedById' }]);
  expect((await ask.get(path)).body.status).toBe('active');
});
