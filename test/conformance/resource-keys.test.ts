/** Exactly once on resources: every writing operation under a key, sent again, with another body, by others, and after a restart. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { balancePlatformV2 } from '../../src/services/balance-platform/v2.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { cardInfo, furnished } from '../support/seeded-platform.ts';

let gateway: TestGateway;
let keys = 0;
beforeAll(async () => {
  gateway = await openGateway();
  await gateway.parts.registry.addCredential({
    ...{ company: 'Demo', kind: 'apiKey', secret: 'needs-a-key', roles: ['balancePlatform'], merchantAccounts: [] },
    ...{ balancePlatform: 'DemoPlatform', requiresKey: true },
  });
});
afterAll(() => gateway.close());

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** Another request of the same operation. */
  readonly other: object;
}

type Prepare = () => Promise<Write>;

const prepared = async () => {
  const by = furnished(gateway);
  const holder = await by.holder();
  const account = await by.account(holder);
  return { holder, account, instrument: await by.instrument(account) };
};

const card = { type: 'card', issuingCountryCode: 'NL', card: { ...cardInfo, usage: 'singleUse' } };

/** Each has an effect that a second time would show. */
const writes: Readonly<Record<string, Prepare>> = {
  createAccountHolder: async () => ({
    ...{ method: 'POST', path: '/accountHolders' },
    ...{ body: { legalEntityId: 'LE1' }, other: { legalEntityId: 'LE2' } },
  }),
  updateAccountHolder: async () => ({
    ...{ method: 'PATCH', path: `/accountHolders/${(await prepared()).holder}` },
    ...{ body: { description: 'one' }, other: { description: 'two' } },
  }),
  createBalanceAccount: async () => {
    const accountHolderId = (await prepared()).holder;
    return {
      method: 'POST',
      path: '/balanceAccounts',
      body: { accountHolderId },
      other: { accountHolderId, reference: 'x' },
    };
  },
  updateBalanceAccount: async () => ({
    ...{ method: 'PATCH', path: `/balanceAccounts/${(await prepared()).account}` },
    ...{ body: { reference: 'one' }, other: { reference: 'two' } },
  }),
  createPaymentInstrument: async () => {
    const balanceAccountId = (await prepared()).account;
    const body = { ...card, balanceAccountId };
    return { method: 'POST', path: '/paymentInstruments', body, other: { ...body, reference: 'x' } };
  },
  updatePaymentInstrument: async () => ({
    ...{ method: 'PATCH', path: `/paymentInstruments/${(await prepared()).instrument}` },
    ...{ body: { status: 'suspended' }, other: { status: 'closed' } },
  }),
  cancelPaymentInstrument: async () => ({
    ...{ method: 'POST', path: `/paymentInstruments/${(await prepared()).instrument}/cancel` },
    ...{ body: {}, other: { statusReason: 'lost' } },
  }),
};

test('every writing operation is tried', () => {
  const names = [...balancePlatformV2.operations.values()].filter(({ effect }) => effect === 'writes');
  expect(Object.keys(writes).sort()).toEqual(names.map(({ name }) => name).sort());
});

/** What a replay leaves out: it is shown in the first answer only. */
const shownOnce = (body: { readonly card?: { readonly lastFour?: string } }) =>
  body.card === undefined
    ? body
    : { ...body, card: { ...body.card, number: `************${body.card.lastFour}`, cvc: undefined } };

describe.each(Object.entries(writes))('%s', (_, prepare) => {
  const by = () => furnished(gateway);
  const send = ({ method, path }: Write, body: object, key: string | undefined, who: object = callers.platform) =>
    by().ask(method, path, body, { who: who as never, headers: { 'idempotency-key': key } });
  const freshKey = () => {
    keys += 1;
    return `a-key-of-the-test-${keys}`;
  };

  test('has its effect once, and gives the retry what it gave', async () => {
    const write = await prepare();
    const key = freshKey();
    const first = await send(write, write.body, key);
    expect(first.status).toBe(200);
    for (const restarted of [false, true]) {
      if (restarted) gateway.restart();
      const again = await send(write, write.body, key, callers.platformKey);
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: shownOnce(first.body) });
      expect(again.headers).toMatchObject({
        ...{ 'Idempotency-Key': key, 'Idempotent-Replayed': 'true', ETag: first.headers.ETag },
        pspReference: first.headers.pspReference,
      });
    }
    const asItIs = (await by().get(`${write.path.split('/').slice(0, 2).join('/')}/${first.body.id}`)).headers.ETag;
    expect(asItIs).toBe(first.headers.ETag);
  });

  test('refuses the key for another request, and reveals nothing to another caller', async () => {
    const write = await prepare();
    const key = freshKey();
    const first = await send(write, write.body, key);
    const other = await send(write, write.other, key);
    expect(other.body).toMatchObject({ status: 422, errorCode: '704' });
    expect(other.headers['transient-error']).toBe('false');
    expect((await send(write, write.body, key, callers.platformWithoutRole)).status).toBe(403);
    expect((await send(write, write.body, key, callers.anonymous)).status).toBe(401);
    const stranger = await send(write, write.body, key, callers.otherPlatform);
    expect(stranger.text).not.toContain(first.body.id);
    expect(stranger.headers['Idempotent-Replayed']).toBeUndefined();
  });

  test('keeps a refusal of the domain, and not one of the fields', async () => {
    const write = await prepare();
    const path = write.path.replace(/[A-Z]{2}\d{23}/, 'AH0');
    const absent = path === write.path ? undefined : { ...write, path };
    if (absent !== undefined) {
      const key = freshKey();
      expect((await send(absent, write.body, key)).body.errorCode).toBe('30_002');
      expect((await send(absent, write.body, key)).headers['Idempotent-Replayed']).toBe('true');
    }
    const key = freshKey();
    expect((await send(write, { ...write.body, misspelt: 1 }, key)).status).toBe(400);
    expect((await send(write, write.body, key)).status).toBe(200);
  });

  test('is refused without a key where the credential needs one', async () => {
    const write = await prepare();
    const who = { 'x-api-key': 'needs-a-key' };
    expect((await send(write, write.body, undefined, who)).body).toMatchObject({ status: 400, errorCode: '00_400' });
    expect((await send(write, write.body, freshKey(), who)).status).toBe(200);
  });
});
