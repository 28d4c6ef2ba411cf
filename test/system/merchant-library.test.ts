/** Tests the recurring interface with the merchants' client library. */
import { randomUUID } from 'node:crypto';
import { RecurringAPI, type Types } from '@adyen/api-library';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientAt, refusal, type Secret, type SecuredDemo, startSecuredDemo } from '../support/merchant-library.ts';
import { ask } from '../support/server.ts';

let demo: SecuredDemo;
beforeAll(async () => {
  demo = await startSecuredDemo();
});
afterAll(() => demo?.close());

const secrets: readonly (readonly [string, Secret])[] = [
  ['an API key', { apiKey: 'demo-api-key' }],
  ['HTTP Basic', { username: 'ws@Company.Demo', password: 'demo-password' }],
];
const api = (secret: Secret = secrets[0]![1]) => new RecurringAPI(clientAt(demo.origin, secret)).RecurringApi;

const merchantAccount = 'DemoMerchant';
const renewed = '4000009900000020';
const store = async (shopperReference: string, number: string): Promise<string> => {
  const card = { number, expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const recurring = { contract: 'RECURRING' };
  const { answer } = await ask(demo.server.callers, 'storeToken', {
    merchantAccount,
    shopperReference,
    card,
    recurring,
  });
  return String(answer.recurringDetailReference);
};

describe.each(secrets)('with %s', (_, secret) => {
  test('lists stored details with the library’s types', async () => {
    const answer = await api(secret).listRecurringDetails({ merchantAccount, shopperReference: 'shopper-1' });
    expect(answer.shopperReference).toBe('shopper-1');
    expect(answer.creationDate).toBeInstanceOf(Date);
    const details = answer.details!.map(({ RecurringDetail }) => RecurringDetail as Types.recurring.RecurringDetail);
    expect(details.map(({ variant }) => variant)).toEqual(['visa', 'mc', 'sepadirectdebit']);
    expect(details[0]).toMatchObject({
      card: { expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk', number: '1111' },
      contractTypes: ['ONECLICK', 'RECURRING'],
      recurringDetailReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
    });
    expect(details[2]!.bank).toMatchObject({ iban: 'NL13TEST0123456789' });
  });

  test('disables a detail once for an Idempotency-Key', async () => {
    const shopperReference = randomUUID();
    const recurringDetailReference = await store(shopperReference, renewed);
    const asked = { merchantAccount, shopperReference, recurringDetailReference };
    const idempotencyKey = randomUUID();
    for (let times = 0; times < 2; times += 1) {
      const answer = await api(secret).disable(asked, { idempotencyKey });
      expect(answer.response).toBe('[detail-successfully-disabled]');
    }
    const { errorCode } = await refusal(api(secret).disable(asked));
    expect(errorCode).toBe('800');
  });

  test('schedules the account updater', async () => {
    const shopperReference = randomUUID();
    const selectedRecurringDetailReference = await store(shopperReference, renewed);
    const references = { merchantAccount, reference: 'check', shopperReference, selectedRecurringDetailReference };
    const answer = await api(secret).scheduleAccountUpdater(references);
    expect(answer).toEqual({
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      result: 'CardExpiryChanged',
    });
  });
});

test('an error response raises the library’s exception with the error code and pspReference', async () => {
  const thrown = await refusal(
    api().scheduleAccountUpdater({
      merchantAccount,
      reference: 'check',
      card: { number: renewed, expiryMonth: '99', expiryYear: '2030', holderName: 'Anna van Dijk' },
    }),
  );
  expect(thrown).toMatchObject({
    statusCode: 422,
    errorCode: '141',
    apiError: {
      message: 'Expiry month should be between 1 and 12 inclusive: 99',
      errorType: 'validation',
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
    },
  });
});

test('an unknown shopper yields an empty result, and a wrong API key an error', async () => {
  expect(await api().listRecurringDetails({ merchantAccount, shopperReference: 'unknown-shopper' })).toEqual({});
  const wrong = await refusal(
    api({ apiKey: 'wrong' }).listRecurringDetails({ merchantAccount, shopperReference: 'unknown-shopper' }),
  );
  expect(wrong.statusCode).toBe(401);
});
