/** Version 1 of the balance platform: its own members and statuses over the resources of version 2, and one key in both. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { type Asking, essence } from '../support/resources.ts';
import { cardFor, type Furnished, furnished } from '../support/seeded-platform.ts';

let gateway: TestGateway;
let ask: Furnished;
beforeEach(async () => {
  gateway = await openGateway();
  // It checks every answer against the public description of its version.
  ask = furnished(gateway);
});
afterEach(() => gateway.close());

const inV1 = (asking: Asking = {}): Asking => ({ version: 1, ...asking });
const withKey = (key: string, asking: Asking = {}): Asking => ({ ...asking, headers: { 'idempotency-key': key } });
const physicalIn = (issuingCountryCode: string, account: string, status?: string) => {
  const { card, ...rest } = cardFor(account);
  return { ...rest, issuingCountryCode, card: { ...card, formFactor: 'physical' }, ...(status && { status }) };
};

describe('statuses of payment instruments', () => {
  /** By the status of a request: what version 1 answers, and what version 2 has. */
  test.each([
    ['Active', 'Active', { status: 'active' }],
    ['active', 'Active', { status: 'active' }],
    ['Closed', 'Closed', { status: 'closed' }],
    ['Inactive', 'Inactive', { status: 'inactive' }],
    ['Lost', 'Lost', { status: 'suspended', statusReason: 'lost' }],
    ['Requested', 'Inactive', { status: 'inactive' }],
    ['Stolen', 'Stolen', { status: 'suspended', statusReason: 'stolen' }],
    ['Suspended', 'Suspended', { status: 'suspended' }],
    ['blocked', 'Suspended', { status: 'suspended' }],
    ['discarded', 'Closed', { status: 'closed' }],
  ])('%s', async (status, answered, stored) => {
    const account = await ask.account(await ask.holder());
    const created = await ask.post('/paymentInstruments', cardFor(account, { status }), inV1());
    expect([created.status, created.body.status]).toEqual([200, answered]);
    const path = `/paymentInstruments/${created.body.id}`;
    const { body: newer } = await ask.get(path);
    expect(newer).toMatchObject(stored);
    expect('statusReason' in newer).toBe('statusReason' in stored);
    expect((await ask.get(path, inV1())).body).toEqual(created.body);
    const changed = await ask.patch(`/paymentInstruments/${await ask.instrument(account)}`, { status }, inV1());
    // An active one never becomes inactive.
    expect(changed.body.errorCode ?? changed.body.status).toBe(answered === 'Inactive' ? '30_201' : answered);
  });

  test('a physical card of the United States is requested until it is active', async () => {
    const account = await ask.account(await ask.holder());
    const requested = await ask.post('/paymentInstruments', physicalIn('US', account), inV1());
    expect(requested.body.status).toBe('Requested');
    const path = `/paymentInstruments/${requested.body.id}`;
    expect((await ask.get(path)).body.status).toBe('inactive');
    expect((await ask.patch(path, { status: 'Active' }, inV1())).body.status).toBe('Active');
    const inactive = await ask.post('/paymentInstruments', physicalIn('NL', account, 'Inactive'), inV1());
    expect(inactive.body.status).toBe('Inactive');
  });

  test('a lost card that is found again has no reason', async () => {
    const path = `/paymentInstruments/${await ask.instrument(await ask.account(await ask.holder()))}`;
    expect((await ask.patch(path, { status: 'Lost' }, inV1())).body.status).toBe('Lost');
    expect((await ask.patch(path, { status: 'Stolen' }, inV1())).body.status).toBe('Stolen');
    expect((await ask.patch(path, { status: 'Active' }, inV1())).body.status).toBe('Active');
    expect((await ask.get(path)).body).not.toHaveProperty('statusReason');
  });

  test('a list is by the statuses that are stored', async () => {
    const account = await ask.account(await ask.holder());
    const lost = await ask.instrument(account, { status: 'suspended', statusReason: 'lost' });
    await ask.instrument(account);
    const list = (status: string) => ask.get(`/balanceAccounts/${account}/paymentInstruments?status=${status}`, inV1());
    const { body } = await list('Suspended');
    expect(body.paymentInstruments).toMatchObject([{ id: lost, status: 'Lost' }]);
    expect((await list('Lost')).status).toBe(422);
  });
});

test('statuses of account holders and balance accounts, in any case', async () => {
  const holder = await ask.holder();
  const account = await ask.account(holder);
  const paths = { holder: `/accountHolders/${holder}`, account: `/balanceAccounts/${account}` };
  expect((await ask.patch(paths.account, { status: 'Inactive' }, inV1())).body.status).toBe('Inactive');
  expect((await ask.patch(paths.account, { status: 'suspended' }, inV1())).body.status).toBe('Suspended');
  expect((await ask.patch(paths.holder, { status: 'Suspended' }, inV1())).body.status).toBe('Suspended');
  expect((await ask.patch(paths.holder, { status: 'Inactive' }, inV1())).status).toBe(422);
  expect((await ask.get(paths.holder)).body.status).toBe('suspended');
});

test('answers about balance accounts have their payment instruments; those of version 2 do not', async () => {
  const holder = await ask.holder();
  const [account, empty] = [await ask.account(holder), await ask.account(holder)];
  const first = await ask.instrument(account);
  const second = await ask.instrument(account, { status: 'closed' });
  const paymentInstruments = [{ id: first }, { id: second }];
  const path = `/balanceAccounts/${account}`;
  expect((await ask.get(path, inV1())).body.paymentInstruments).toEqual(paymentInstruments);
  const changed = await ask.patch(path, { description: 'a shop' }, inV1());
  expect(changed.body).toMatchObject({ description: 'a shop', paymentInstruments });
  const { body: list } = await ask.get(`/accountHolders/${holder}/balanceAccounts`, inV1());
  expect(list.balanceAccounts).toMatchObject([{ id: account, paymentInstruments }, { id: empty }]);
  expect(list.balanceAccounts[1]).not.toHaveProperty('paymentInstruments');
  for (const newer of [path, `/accountHolders/${holder}/balanceAccounts`])
    expect((await ask.get(newer)).text).not.toContain('paymentInstruments');
});

test('a delivery address has street and house in version 1, and lines in version 2', async () => {
  const account = await ask.account(await ask.holder());
  const address = {
    city: 'Utrecht',
    country: 'NL',
    houseNumberOrName: '12',
    postalCode: '3511AB',
    street: 'Oudegracht',
  };
  const name = { firstName: 'Anna', lastName: 'Dijk' };
  const deliveryContact = { address, name, personalData: { idNumber: 'A1234567' } };
  const { card, ...rest } = cardFor(account);
  const created = await ask.post('/paymentInstruments', { ...rest, card: { ...card, deliveryContact } }, inV1());
  expect(created.body.card.deliveryContact).toEqual({ address, name });
  const { body, text } = await ask.get(`/paymentInstruments/${created.body.id}`);
  const { street: line1, houseNumberOrName: line2, ...others } = address;
  expect(body.card.deliveryContact).toEqual({ address: { ...others, line1, line2 }, name });
  expect(text).not.toContain('A1234567');
});

test('a key holds in both versions', async () => {
  const holder = await ask.holder();
  const account = await ask.account(holder);
  await ask.instrument(account);
  const body = cardFor(account, { status: 'Lost' });
  const first = await ask.post('/paymentInstruments', body, withKey('one', inV1()));
  const same = cardFor(account, { status: 'suspended', statusReason: 'lost' });
  const second = await ask.post('/paymentInstruments', same, withKey('one'));
  expect(second.body).toMatchObject({ id: first.body.id, status: 'suspended', statusReason: 'lost' });
  const other = await ask.post('/paymentInstruments', { ...body, status: 'Stolen' }, withKey('one', inV1()));
  expect(other.status).toBe(422);

  const path = `/balanceAccounts/${account}`;
  const changed = await ask.patch(path, { status: 'Inactive' }, withKey('two', inV1()));
  expect(changed.body.paymentInstruments).toHaveLength(2);
  await ask.instrument(await ask.account(holder));
  gateway.restart();
  // A retry gets the answer of the first request, also after another change.
  await ask.patch(path, { status: 'active' });
  await ask.instrument(account);
  expect((await ask.patch(path, { status: 'Inactive' }, withKey('two', inV1()))).body).toEqual(changed.body);
  const { paymentInstruments, ...known } = changed.body;
  expect((await ask.patch(path, { status: 'inactive' }, withKey('two'))).body).toEqual({
    ...known,
    status: 'inactive',
    balances: expect.anything(),
  });
});

test('requests at once with one key, in both versions, have one effect', async () => {
  const account = await ask.account(await ask.holder());
  const send = (at: number) =>
    at % 2 === 0
      ? ask.post('/paymentInstruments', cardFor(account, { status: 'Stolen' }), withKey('at-once', inV1()))
      : ask.post(
          '/paymentInstruments',
          cardFor(account, { status: 'suspended', statusReason: 'stolen' }),
          withKey('at-once'),
        );
  const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(send));
  const made = answers.filter(({ status }) => status === 200);
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  expect((await ask.get(`/balanceAccounts/${account}`, inV1())).body.paymentInstruments).toHaveLength(1);
});

test('the resources of another platform do not exist', async () => {
  const other = furnished(gateway, callers.otherPlatform, 'OtherPlatform');
  const holder = await other.holder();
  const account = await other.account(holder);
  const id = await other.instrument(account);
  const unknown = essence(await ask.get('/balanceAccounts/BA0', inV1()));
  for (const path of [
    `/balanceAccounts/${account}`,
    `/accountHolders/${holder}/balanceAccounts`,
    `/paymentInstruments/${id}`,
  ]) {
    const { status, text } = await ask.get(path, inV1());
    expect([path, status]).toEqual([path, unknown.status]);
    expect(text).not.toContain(id);
  }
  const refused = await ask.patch(`/balanceAccounts/${account}`, { description: 'mine' }, inV1());
  expect(essence(refused)).toEqual(unknown);
});
