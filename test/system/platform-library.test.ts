/** Tests all endpoints of the balance platform that the platforms' client library has. */
import { randomUUID } from 'node:crypto';
import { BalancePlatformAPI, Types } from '@adyen/api-library';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientAt, refusal, type Secret, type SecuredDemo, startSecuredDemo } from '../support/merchant-library.ts';

const { balancePlatform: models } = Types;

let demo: SecuredDemo;
beforeAll(async () => {
  demo = await startSecuredDemo();
});
afterAll(() => demo?.close());

const secrets: readonly (readonly [string, Secret])[] = [
  ['an API key', { apiKey: 'demo-platform-key' }],
  ['HTTP Basic', { username: 'ws@BalancePlatform.Demo', password: 'demo-password' }],
];
const api = (secret: Secret = secrets[0]![1]) => new BalancePlatformAPI(clientAt(demo.origin, secret));

const platform = 'DemoPlatform';
const holderInfo = (more: object = {}) => ({
  balancePlatform: platform,
  legalEntityId: 'LE322LJ223222D5GG42KN6869',
  reference: 'holder',
  ...more,
});
const cardInfo = (more: object = {}): Types.balancePlatform.PaymentInstrumentInfo => ({
  balanceAccountId: '',
  issuingCountryCode: 'NL',
  type: models.PaymentInstrumentInfo.TypeEnum.Card,
  status: models.PaymentInstrumentInfo.StatusEnum.Inactive,
  card: {
    brand: 'mc',
    brandVariant: 'mcdebit',
    cardholderName: 'Anna van Dijk',
    formFactor: models.CardInfo.FormFactorEnum.Virtual,
  },
  ...more,
});

describe.each(secrets)('with %s', (_, secret) => {
  test('reads a platform and pages through its account holders', async () => {
    const { PlatformApi } = api(secret);
    const found = await PlatformApi.getBalancePlatform(platform);
    expect(found).toMatchObject({ id: platform, status: 'Active' });
    const { accountHolders, hasNext, hasPrevious } = await PlatformApi.getAllAccountHoldersUnderBalancePlatform(
      platform,
      // With an offset of 0 the library leaves all three out.
      undefined,
      1,
    );
    expect(accountHolders).toHaveLength(1);
    expect(accountHolders[0]!.id).toMatch(/^AH[A-Z0-9]{23}$/);
    expect({ hasNext: typeof hasNext, hasPrevious }).toEqual({ hasNext: 'boolean', hasPrevious: false });
  });

  test('creates an account holder, a balance account and a card, and reads each back', async () => {
    const { AccountHoldersApi, BalanceAccountsApi, PaymentInstrumentsApi } = api(secret);
    const idempotencyKey = randomUUID();
    const holder = await AccountHoldersApi.createAccountHolder(holderInfo(), { idempotencyKey });
    expect(await AccountHoldersApi.createAccountHolder(holderInfo(), { idempotencyKey })).toEqual(holder);
    expect(holder).toMatchObject({ reference: 'holder', status: 'active' });
    expect(await AccountHoldersApi.getAccountHolder(holder.id)).toEqual(holder);
    const renamed = await AccountHoldersApi.updateAccountHolder(holder.id, {
      description: 'a florist',
      metadata: { a: '1' },
    });
    expect(renamed).toEqual({ ...holder, description: 'a florist', metadata: { a: '1' } });

    const account = await BalanceAccountsApi.createBalanceAccount({ accountHolderId: holder.id, reference: 'till' });
    expect(account).toMatchObject({ accountHolderId: holder.id, defaultCurrencyCode: 'EUR', status: 'active' });
    expect(await BalanceAccountsApi.getBalanceAccount(account.id)).toEqual(account);
    const described = await BalanceAccountsApi.updateBalanceAccount(account.id, { description: 'the till' });
    expect(described.description).toBe('the till');
    const { balanceAccounts } = await AccountHoldersApi.getAllBalanceAccountsOfAccountHolder(holder.id);
    expect(balanceAccounts.map(({ id }) => id)).toEqual([account.id]);

    const card = await PaymentInstrumentsApi.createPaymentInstrument(cardInfo({ balanceAccountId: account.id }));
    expect(card).toMatchObject({ balanceAccountId: account.id, status: 'inactive', type: 'card' });
    expect(card.id).toMatch(/^PI[A-Z0-9]{23}$/);
    expect(await PaymentInstrumentsApi.getPaymentInstrument(card.id)).toMatchObject({ id: card.id });
    const active = await PaymentInstrumentsApi.updatePaymentInstrument(card.id, {
      status: models.PaymentInstrumentUpdateRequest.StatusEnum.Active,
    });
    expect(active.status).toBe('active');
    const listed = await BalanceAccountsApi.getPaymentInstrumentsLinkedToBalanceAccount(
      account.id,
      undefined,
      10,
      'active',
    );
    expect(listed.paymentInstruments.map(({ id }) => id)).toEqual([card.id]);
    expect(
      (await BalanceAccountsApi.getPaymentInstrumentsLinkedToBalanceAccount(account.id, undefined, 10, 'closed'))
        .paymentInstruments,
    ).toEqual([]);
  });

  test('creates a bank account', async () => {
    const { AccountHoldersApi, BalanceAccountsApi, PaymentInstrumentsApi } = api(secret);
    const holder = await AccountHoldersApi.createAccountHolder(holderInfo());
    const account = await BalanceAccountsApi.createBalanceAccount({ accountHolderId: holder.id });
    const instrument = await PaymentInstrumentsApi.createPaymentInstrument({
      balanceAccountId: account.id,
      issuingCountryCode: 'NL',
      type: models.PaymentInstrumentInfo.TypeEnum.BankAccount,
    });
    expect(instrument.bankAccount).toMatchObject({
      type: 'iban',
      iban: expect.stringMatching(/^NL\d{2}[A-Z]{4}\d{10}$/),
    });
  });

  test('creates a card with a password and an address for bulk delivery, and deactivates its account', async () => {
    const { AccountHoldersApi, BalanceAccountsApi, PaymentInstrumentsApi } = api(secret);
    const holder = await AccountHoldersApi.createAccountHolder(holderInfo());
    const account = await BalanceAccountsApi.createBalanceAccount({ accountHolderId: holder.id });
    expect(account.balances).toEqual([
      { available: 0, balance: 0, currency: 'EUR', pending: 0, pendingAvailable: 0, reserved: 0 },
    ]);
    const bulkAddress = {
      country: 'NL',
      line1: 'Oudegracht 12',
      line2: 'Floor 2',
      line3: 'Desk',
      name: 'Anna van Dijk',
    };
    const { card, ...instrument } = await PaymentInstrumentsApi.createPaymentInstrument(
      cardInfo({
        balanceAccountId: account.id,
        status: models.PaymentInstrumentInfo.StatusEnum.Suspended,
        statusReason: models.PaymentInstrumentInfo.StatusReasonEnum.Stolen,
        card: {
          brand: 'VISA',
          brandVariant: 'visacorporate',
          cardholderName: 'Anna van Dijk',
          formFactor: models.CardInfo.FormFactorEnum.Physical,
          authentication: { password: 'open-sesame-17' },
          configuration: { configurationProfileId: 'CP1', bulkAddress },
        },
      }),
    );
    expect(instrument).toMatchObject({ status: 'suspended', statusReason: 'stolen' });
    expect(card).toMatchObject({
      brand: 'visa',
      authentication: { password: '******' },
      configuration: { bulkAddress },
    });
    const inactive = models.BalanceAccountUpdateRequest.StatusEnum.Inactive;
    expect(await BalanceAccountsApi.updateBalanceAccount(account.id, { status: inactive })).toMatchObject({
      status: 'inactive',
    });
  });
});

test('an error response raises the library’s exception with every invalid field', async () => {
  const { statusCode, responseBody } = await refusal(
    api().AccountHoldersApi.createAccountHolder({
      legalEntityId: 'LE322LJ223222D5GG42KN6869',
      timeZone: 'Mars/Olympus',
      description: 'x'.repeat(301),
    }),
  );
  expect(statusCode).toBe(422);
  const { invalidFields } = JSON.parse(String(responseBody)) as {
    readonly invalidFields: readonly { readonly name: string }[];
  };
  expect(invalidFields.map(({ name }) => name).sort()).toEqual(['description', 'timeZone']);
});

test('an unknown id and a wrong API key are refused', async () => {
  const unknown = await refusal(api().AccountHoldersApi.getAccountHolder('AH00000000000000000000000'));
  expect(unknown.statusCode).toBe(422);
  const wrong = await refusal(api({ apiKey: 'wrong' }).PlatformApi.getBalancePlatform(platform));
  expect(wrong.statusCode).toBe(401);
});
