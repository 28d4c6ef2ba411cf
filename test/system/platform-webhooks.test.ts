/** Tests webhooks of a balance platform from a real server to a real receiver, validated with the merchants' library. */
import { ConfigurationWebhooksHandler, hmacValidator, TokenizationWebhooksHandler } from '@adyen/api-library';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Delivery, openReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { type Shop, startWebhookServer, tokenOf, type WebhookServer } from '../support/webhook-server.ts';

const [company, balancePlatform] = ['Both', 'BothPlatform'];
const validator = new hmacValidator();
let serving: WebhookServer;
let shop: Shop;
let receiver: Receiver;
let platformSecret: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  receiver = await openReceiver();
  serving = await startWebhookServer({ WEBHOOK_MS_MAX: '500' });
  shop = await serving.openShop(company);
  platformSecret = await serving.openPlatform(company, balancePlatform);
  for (const format of ['configuration', 'tokenization', 'classic'])
    keys[format] = (await shop.listen(`${receiver.origin}/${format}`, format)).key;
});
afterAll(async () => {
  await serving?.close();
  await receiver?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: an answer has whatever its operation gives
type Answered = any;

const call = async (method: string, path: string, body?: object, headers = {}): Promise<Answered> => {
  const response = await fetch(`${serving.server.callers}/bcl/v2${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-API-Key': platformSecret, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return response.json();
};

/** Checks the signature, then parses the event with the client library. */
const read = ({ headers, body }: Delivery) => {
  expect(headers).toMatchObject({ 'content-type': 'application/json', protocol: 'HmacSHA256' });
  expect(validator.validateHMACSignature(keys.configuration!, String(headers.hmacsignature), body)).toBe(true);
  expect(validator.validateHMACSignature(keys.tokenization!, String(headers.hmacsignature), body)).toBe(false);
  const webhook = new ConfigurationWebhooksHandler(body).getGenericWebhook();
  expect(webhook).toMatchObject({ environment: 'test', timestamp: expect.any(Date) });
  const { data } = webhook as unknown as { readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  expect(data.balancePlatform).toBe(balancePlatform);
  const resource = data.accountHolder ?? data.balanceAccount ?? data.paymentInstrument;
  return { type: webhook.type, id: resource?.id, resource };
};

test('changes of account holders, balance accounts and cards arrive signed, in order per resource, without card numbers', async () => {
  const holder = await call('POST', '/accountHolders', { legalEntityId: 'LE1', reference: 'ours' });
  const account = await call('POST', '/balanceAccounts', { accountHolderId: holder.id });
  const asked = {
    ...{ type: 'card', issuingCountryCode: 'NL', balanceAccountId: account.id },
    card: {
      ...{ brand: 'visa', brandVariant: 'visadebit', cardholderName: 'Anna', formFactor: 'virtual' },
      usage: 'singleUse',
    },
  };
  const key = { 'Idempotency-Key': 'the-key-of-the-old-card-here' };
  const old = await call('POST', '/paymentInstruments', asked, key);
  expect(old.card).toMatchObject({ number: expect.stringMatching(/^\d{16}$/), cvc: expect.any(String) });
  await call('POST', '/paymentInstruments', asked, key);
  const fresh = await call('POST', '/paymentInstruments', { ...asked, status: 'inactive', replacementOfId: old.id });
  await call('PATCH', `/paymentInstruments/${fresh.id}`, { status: 'active' });
  await call('PATCH', `/paymentInstruments/${fresh.id}`, { status: 'active' });
  await call('POST', `/paymentInstruments/${fresh.id}/cancel`, { statusReason: 'lost' });
  const bank = await call('POST', '/paymentInstruments', {
    ...{ type: 'bankAccount', issuingCountryCode: 'NL', balanceAccountId: account.id },
  });
  await until(
    () => receiver.deliveries,
    () => receiver.eventsAt('/configuration').length >= 10,
  );

  const events = receiver.eventsAt('/configuration').map(read);
  const of = (id: string) => events.filter((each) => each.id === id);
  const types = (id: string) => of(id).map(({ type }) => String(type).slice('balancePlatform.'.length));
  expect(events).toHaveLength(10);
  expect(types(holder.id)).toEqual(['accountHolder.created', 'accountHolder.updated']);
  expect(types(account.id)).toEqual(['balanceAccount.created']);
  expect(types(old.id)).toEqual([
    'paymentInstrument.created',
    'paymentInstrument.updated',
    'paymentInstrument.updated',
  ]);
  expect(types(fresh.id)).toEqual([
    'paymentInstrument.created',
    'paymentInstrument.updated',
    'paymentInstrument.updated',
  ]);
  expect(types(bank.id)).toEqual(['paymentInstrument.created']);
  expect(of(old.id).map(({ resource }) => [resource?.status, resource?.replacedById])).toEqual([
    ['active', undefined],
    ['active', fresh.id],
    ['closed', fresh.id],
  ]);

  // Compares the raw bodies: the last event of each resource equals the response of GET.
  const last = (id: string) =>
    receiver
      .eventsAt('/configuration')
      .map(({ body }) => Object.values(JSON.parse(body).data) as { readonly id?: string }[])
      .map((parts) => parts.find((part) => part.id === id))
      .findLast((part) => part !== undefined);
  expect(last(holder.id)).toEqual(await call('GET', `/accountHolders/${holder.id}`));
  expect(last(account.id)).toEqual(await call('GET', `/balanceAccounts/${account.id}`));
  for (const { id } of [old, fresh]) expect(last(id)).toEqual(await call('GET', `/paymentInstruments/${id}`));
  const { iban, ...open } = bank.bankAccount;
  expect(last(bank.id)).toEqual({ ...bank, bankAccount: open });
  const all = JSON.stringify(receiver.deliveries);
  for (const secret of [old.card.number, fresh.card.number, iban, 'cvc']) expect(all).not.toContain(secret);
  expect(receiver.at('/tokenization')).toEqual([]);
  expect(receiver.at('/classic')).toEqual([]);
});

test('an event of a stored detail is sent in the formats tokenization and classic, not in configuration', async () => {
  const before = receiver.eventsAt('/configuration').length;
  const answer = await shop.call('storeToken', tokenOf('anna'));
  await until(
    () => receiver.deliveries,
    () => receiver.eventsAt('/tokenization').length + receiver.eventsAt('/classic').length >= 2,
  );
  const [event] = receiver.at('/tokenization');
  expect(validator.validateHMACSignature(keys.tokenization!, String(event?.headers.hmacsignature), event!.body)).toBe(
    true,
  );
  expect(new TokenizationWebhooksHandler(event!.body).getGenericWebhook()).toMatchObject({
    type: 'recurring.token.created',
    eventId: answer.pspReference,
    data: { merchantAccount: 'BothWeb', storedPaymentMethodId: answer.recurringDetailReference },
  });
  const item = JSON.parse(receiver.at('/classic')[0]!.body).notificationItems[0].NotificationRequestItem;
  expect(validator.validateHMAC(item, keys.classic!)).toBe(true);
  expect(item.pspReference).toBe(answer.recurringDetailReference);
  expect(receiver.eventsAt('/configuration')).toHaveLength(before);
});
