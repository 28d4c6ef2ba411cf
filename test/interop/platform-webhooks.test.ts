/** Webhooks of a balance platform from a real server to a real receiver: what arrives, as the library of merchants reads and checks it. */
import { ConfigurationWebhooksHandler, hmacValidator, TokenizationWebhooksHandler } from '@adyen/api-library';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { openStrongroom, type Strongroom } from '../../src/strongroom.ts';
import { type Delivery, openReceiver, type Receiver, until } from '../support/receiver.ts';
import { ask, basic, prepareProduction, type Server, startServer, tempFolder, triglyph } from '../support/server.ts';

const folder = tempFolder();
const [company, merchantAccount, balancePlatform] = ['Both', 'BothWeb', 'BothPlatform'];
const validator = new hmacValidator();
let variables: Readonly<Record<string, string>>;
let server: Server;
let room: Strongroom;
let receiver: Receiver;
let platformSecret: string;
let shopAuthorization: string;
const keys: Record<string, string> = {};

const run = async (...parameters: string[]): Promise<string> => {
  const { code, stdout, stderr } = await triglyph(['webhooks', ...parameters], folder.path, variables);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

beforeAll(async () => {
  receiver = await openReceiver();
  ({ variables } = await prepareProduction(folder.path, { WEBHOOK_MS_MAX: '500', WEBHOOK_GIVE_UP_MS: '3000' }));
  server = await startServer('serve', folder.path, variables);
  room = await openStrongroom(readConfig('production', variables), { exclusive: false });
  const { registry } = room;
  await registry.addMerchantAccount(company, merchantAccount);
  for (const [owner, id] of [
    [company, balancePlatform],
    ['Alone', 'AlonePlatform'],
  ] as const)
    await registry.saveBalancePlatform({ id, company: owner, status: 'Active', timeZone: 'UTC' });
  const shop = await registry.addCredential({
    ...{ company, kind: 'basic', roles: ['recurring'], merchantAccounts: [merchantAccount] },
  });
  shopAuthorization = basic(shop.username!, shop.secret);
  platformSecret = await secretOf(company, balancePlatform);
  for (const format of ['configuration', 'tokenization', 'classic']) {
    const url = `${receiver.origin}/${format}`;
    keys[format] = JSON.parse(await run('endpoint', 'add', company, url, '--format', format, '--json')).key;
  }
}, 60_000);
afterAll(async () => {
  await room?.close();
  await server?.stop();
  await receiver?.close();
  folder.discard();
});

const secretOf = async (owner: string, platform: string): Promise<string> => {
  const wanted = { company: owner, kind: 'apiKey', roles: ['balancePlatform'], merchantAccounts: [] } as const;
  return (await room.registry.addCredential({ ...wanted, balancePlatform: platform })).secret;
};

// biome-ignore lint/suspicious/noExplicitAny: an answer has whatever its operation gives
type Answered = any;

const call = async (
  method: string,
  path: string,
  body?: object,
  headers = {},
  secret = platformSecret,
): Promise<Answered> => {
  const response = await fetch(`${server.callers}/bcl/v2${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return response.json();
};

/** As a receiver does: its signature first, then what the library makes of it. */
const read = ({ headers, body }: Delivery) => {
  expect(headers).toMatchObject({ 'content-type': 'application/json', protocol: 'HmacSHA256' });
  expect(validator.validateHMACSignature(keys.configuration!, String(headers.hmacsignature), body)).toBe(true);
  expect(validator.validateHMACSignature(keys.tokenization!, String(headers.hmacsignature), body)).toBe(false);
  const webhook = new ConfigurationWebhooksHandler(body).getGenericWebhook();
  expect(webhook).toMatchObject({ environment: 'test', timestamp: expect.any(Date) });
  const { data } = webhook as unknown as { readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  expect(data.balancePlatform).toBe(balancePlatform);
  const resource = data.accountHolder ?? data.balanceAccount ?? data.paymentInstrument;
  return { type: webhook.type, id: resource?.id, resource, eventId: headers.eventid };
};

test('holder, account and cards: each change arrives, signed, in the order of its resource, and no number with it', async () => {
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
    () => receiver.at('/configuration').length >= 10,
    () => receiver.journal,
  );

  const heard = receiver.at('/configuration').map(read);
  const of = (id: string) => heard.filter((each) => each.id === id);
  const types = (id: string) => of(id).map(({ type }) => String(type).slice('balancePlatform.'.length));
  expect(heard).toHaveLength(10);
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
  expect(new Set(heard.map(({ eventId }) => eventId)).size).toBe(10);
  expect(of(old.id).map(({ resource }) => [resource?.status, resource?.replacedById])).toEqual([
    ['active', undefined],
    ['active', fresh.id],
    ['closed', fresh.id],
  ]);

  // As they come, not as the library gives them: the last of each is what GET answers.
  const last = (id: string) =>
    receiver
      .at('/configuration')
      .map(({ body }) => Object.values(JSON.parse(body).data) as { readonly id?: string }[])
      .map((parts) => parts.find((part) => part.id === id))
      .findLast((part) => part !== undefined);
  expect(last(holder.id)).toEqual(await call('GET', `/accountHolders/${holder.id}`));
  expect(last(account.id)).toEqual(await call('GET', `/balanceAccounts/${account.id}`));
  for (const { id } of [old, fresh]) expect(last(id)).toEqual(await call('GET', `/paymentInstruments/${id}`));
  const { iban, ...open } = bank.bankAccount;
  expect(last(bank.id)).toEqual({ ...bank, bankAccount: open });
  const all = JSON.stringify(receiver.journal);
  for (const secret of [old.card.number, fresh.card.number, iban, 'cvc']) expect(all).not.toContain(secret);
  expect(receiver.at('/tokenization')).toEqual([]);
  expect(receiver.at('/classic')).toEqual([]);
}, 60_000);

test('a stored detail is told in the formats of stored details, and not in the other one', async () => {
  const before = receiver.at('/configuration').length;
  const input = {
    merchantAccount,
    card: { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' },
    recurring: { contract: 'RECURRING' },
    shopperReference: 'anna',
  };
  const { answer } = await ask(server.callers, 'storeToken', input, shopAuthorization);
  await until(
    () => receiver.at('/tokenization').length + receiver.at('/classic').length >= 2,
    () => receiver.journal,
  );
  const [event] = receiver.at('/tokenization');
  expect(validator.validateHMACSignature(keys.tokenization!, String(event?.headers.hmacsignature), event!.body)).toBe(
    true,
  );
  expect(new TokenizationWebhooksHandler(event!.body).getGenericWebhook()).toMatchObject({
    type: 'recurring.token.created',
    eventId: answer.pspReference,
    data: { merchantAccount, storedPaymentMethodId: answer.recurringDetailReference },
  });
  const item = JSON.parse(receiver.at('/classic')[0]!.body).notificationItems[0].NotificationRequestItem;
  expect(validator.validateHMAC(item, keys.classic!)).toBe(true);
  expect(item.pspReference).toBe(answer.recurringDetailReference);
  expect(receiver.at('/configuration')).toHaveLength(before);
}, 60_000);

test('what nobody takes is a dead letter of its platform, whose company has nothing else, and is sent again', async () => {
  let isRefusing = true;
  receiver.respond('/alone', (response) => {
    response.statusCode = isRefusing ? 500 : 202;
    response.end();
  });
  await run('endpoint', 'add', 'Alone', `${receiver.origin}/alone`, '--format', 'configuration');
  const secret = await secretOf('Alone', 'AlonePlatform');
  const holder = await call('POST', '/accountHolders', { legalEntityId: 'LE1' }, {}, secret);
  const letters = async () => JSON.parse(await run('list', '--json'));
  await until(async () => (await letters()).length === 1, letters, 30_000);
  const [letter] = await letters();
  expect(letter).toMatchObject({
    company: 'Alone',
    type: 'balancePlatform.accountHolder.created',
    balancePlatform: 'AlonePlatform',
  });
  expect(letter).not.toHaveProperty('merchantAccount');
  isRefusing = false;
  await run('retry', letter.id);
  await until(async () => (await letters()).length === 0, letters);
  const tries = receiver.at('/alone');
  expect(new Set(tries.map(({ body, headers }) => `${headers.eventid} ${body}`)).size).toBe(1);
  expect(letter.id.startsWith(`${tries[0]?.headers.eventid}/we_`)).toBe(true);
  expect(JSON.parse(tries.at(-1)!.body).data.accountHolder).toEqual(holder);
}, 60_000);
