/** The JSON-only server of the examples: what it refuses, what it counts, and what it answers to a repeated key. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type JsonServer, startJsonServer } from '../support/json-server.ts';
import { demoAuthorization } from '../support/server.ts';

let plain: JsonServer;
let deduplicating: JsonServer;
beforeAll(async () => {
  [plain, deduplicating] = await Promise.all([startJsonServer(), startJsonServer({ deduplicate: true })]);
});
afterAll(() => Promise.all([plain.close(), deduplicating.close()]));

const merchantAccount = 'DemoMerchant';
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
const recurring = { contract: 'RECURRING' };
const tokenOf = (shopperReference: string) => ({ merchantAccount, shopperReference, card, recurring });

async function ask(
  { origin }: JsonServer,
  operation: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> }> {
  const response = await fetch(`${origin}/pal/servlet/Recurring/v25/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: demoAuthorization, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

const unknown = { merchantAccount, shopperReference: 'unknown' };

test.each([
  ['SOAP', 415, '000', '<Envelope/>', { 'content-type': 'text/xml' }],
  ['a form', 415, '000', 'merchantAccount=DemoMerchant', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['no JSON', 400, '702', '{', {}],
  ['no credential', 401, '000', unknown, { authorization: '' }],
  ['a credential without a role', 403, '010', unknown, { 'x-api-key': 'demo-key-without-role' }],
  ['a foreign merchant account', 403, '901', { ...unknown, merchantAccount: 'OtherMerchant' }, {}],
  ['a shopper without details', 422, '800', unknown, {}],
])('refuses %s', async (_, status, errorCode, body, headers) => {
  const refused = await ask(plain, 'disable', body, headers);
  expect(refused).toMatchObject({ status, answer: { status, errorCode, pspReference: expect.any(String) } });
});

test('stores, lists and disables a detail, and counts these effects', async () => {
  const shopperReference = 'shopper-a';
  const { recurringDetailReference } = (await ask(plain, 'storeToken', tokenOf(shopperReference))).answer;
  const { answer } = await ask(plain, 'listRecurringDetails', { merchantAccount, shopperReference });
  expect(answer.details).toMatchObject([
    { RecurringDetail: { card: { ...card, number: '1111' }, recurringDetailReference, variant: 'visa' } },
  ]);
  const disabled = await ask(plain, 'disable', { merchantAccount, shopperReference, recurringDetailReference });
  expect(disabled.answer).toEqual({ response: '[detail-successfully-disabled]' });
  expect(await plain.effects('storeToken', shopperReference)).toBe(1);
  expect(await plain.effects('disable', shopperReference)).toBe(1);
});

test('has the effect of a key once where it deduplicates, and each time where it does not', async () => {
  for (const [server, effects] of [
    [plain, 2],
    [deduplicating, 1],
  ] as const) {
    const headers = { 'idempotency-key': 'key-of-shopper-b' };
    const first = await ask(server, 'storeToken', tokenOf('shopper-b'), headers);
    const second = await ask(server, 'storeToken', tokenOf('shopper-b'), headers);
    expect(second.answer.recurringDetailReference).toBe(first.answer.recurringDetailReference);
    expect(await server.effects('storeToken', 'shopper-b')).toBe(effects);
  }
  const reused = await ask(deduplicating, 'storeToken', tokenOf('other'), { 'idempotency-key': 'key-of-shopper-b' });
  expect(reused.answer.errorCode).toBe('704');
});
