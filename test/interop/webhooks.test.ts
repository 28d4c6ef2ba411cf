/** Webhooks from a real server to a real receiver: what arrives, signed and in order, and what becomes of those that nobody takes. */
import { setTimeout } from 'node:timers/promises';
import { hmacValidator } from '@adyen/api-library';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { openStrongroom, type Strongroom } from '../../src/strongroom.ts';
import { openReceiver, type Receiver, until } from '../support/receiver.ts';
import { ask, basic, prepareProduction, type Server, startServer, tempFolder, triglyph } from '../support/server.ts';

const folder = tempFolder();
let variables: Readonly<Record<string, string>>;
let server: Server;
let room: Strongroom;
let receiver: Receiver;
let elsewhere: Receiver;
beforeAll(async () => {
  [receiver, elsewhere] = await Promise.all([openReceiver(), openReceiver()]);
  ({ variables } = await prepareProduction(folder.path, { WEBHOOK_MS_MAX: '500', WEBHOOK_GIVE_UP_MS: '4000' }));
  server = await startServer('serve', folder.path, variables);
  room = await openStrongroom(readConfig('production', variables), { exclusive: false });
});
afterAll(async () => {
  await room?.close();
  await server?.stop();
  await Promise.all([receiver?.close(), elsewhere?.close()]);
  folder.discard();
});

const run = async (...parameters: string[]): Promise<string> => {
  const { code, stdout, stderr } = await triglyph(['webhooks', ...parameters], folder.path, variables);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

interface Shop {
  readonly company: string;
  call(operation: string, input: object, headers?: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  listen(url: string, format?: string): Promise<{ readonly id: string; readonly key: string }>;
}

/** A company of the test's own. */
const openShop = async (company: string): Promise<Shop> => {
  const merchantAccount = `${company}Web`;
  await room.registry.addMerchantAccount(company, merchantAccount);
  const wanted = { company, kind: 'basic', roles: ['recurring'], merchantAccounts: [merchantAccount] } as const;
  const { username, secret } = await room.registry.addCredential(wanted);
  const authorization = basic(username!, secret);
  return {
    company,
    async call(operation, input, headers) {
      const given = { merchantAccount, ...input };
      const { status, answer } = await ask(server.callers, operation, given, authorization, headers);
      expect(status).toBe(200);
      return answer as Record<string, string>;
    },
    listen: async (url, format = 'tokenization') =>
      JSON.parse(await run('endpoint', 'add', company, url, '--format', format, '--json')),
  };
};

const card = (more: object = {}) => ({
  number: '4111111111111111',
  expiryMonth: '3',
  expiryYear: '2030',
  holderName: 'Anna van Dijk',
  ...more,
});
const token = (shopperReference: string, more: object = {}) => ({
  card: card(more),
  recurring: { contract: 'RECURRING' },
  shopperReference,
});
const eventsAt = (path: string, at: Receiver = receiver) => at.at(path).map(({ body }) => JSON.parse(body));
const idsAt = (path: string) => eventsAt(path).map(({ eventId }) => eventId);

test.concurrent('each event arrives signed, in both formats, and holds no card', async () => {
  const shop = await openShop('Every');
  const { key } = await shop.listen(`${receiver.origin}/every?for=us`);
  const classic = await shop.listen(`${receiver.origin}/classic`, 'classic');
  const stored = await shop.call('storeToken', token('anna'));
  await shop.call('storeToken', token('anna'));
  await shop.call('storeToken', token('anna', { number: '4000009900000038' }));
  const [first, second] = (await shop.call('listRecurringDetails', { shopperReference: 'anna' }))
    .details as unknown as readonly { RecurringDetail: { recurringDetailReference: string } }[];
  const replaced = second!.RecurringDetail.recurringDetailReference;
  await shop.call('scheduleAccountUpdater', {
    reference: 'check-1',
    shopperReference: 'anna',
    selectedRecurringDetailReference: replaced,
  });
  await shop.call('disable', { shopperReference: 'anna' });
  await until(
    () => receiver.at('/every?for=us').length >= 6,
    () => receiver.journal,
  );

  const validator = new hmacValidator();
  for (const { headers, body } of receiver.at('/every?for=us')) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      protocol: 'HmacSHA256',
      'user-agent': 'triglyph',
    });
    expect(validator.validateHMACSignature(key, String(headers.hmacsignature), body)).toBe(true);
    expect(validator.validateHMACSignature(classic.key, String(headers.hmacsignature), body)).toBe(false);
    expect(body).not.toMatch(/\d{15}(?!\d*")|van Dijk|expiry/);
  }
  const reference = stored.recurringDetailReference;
  expect(first!.RecurringDetail.recurringDetailReference).toBe(reference);
  const events = eventsAt('/every?for=us');
  expect(events.map(({ type, data }) => `${type} ${data.storedPaymentMethodId}`)).toEqual([
    `recurring.token.created ${reference}`,
    `recurring.token.alreadyExisting ${reference}`,
    `recurring.token.created ${replaced}`,
    `recurring.token.updated ${replaced}`,
    `recurring.token.disabled ${reference}`,
    `recurring.token.disabled ${replaced}`,
  ]);
  expect(events[0]).toMatchObject({ eventId: stored.pspReference, environment: 'test', version: '1' });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(6);

  await until(
    () => receiver.at('/classic').length >= 2,
    () => receiver.journal,
  );
  const items = eventsAt('/classic').map(({ notificationItems: [item] }) => item.NotificationRequestItem);
  expect(items.map(({ eventCode, pspReference }) => `${eventCode} ${pspReference}`)).toEqual([
    `RECURRING_CONTRACT ${reference}`,
    `RECURRING_CONTRACT ${replaced}`,
  ]);
  for (const item of items) expect(validator.validateHMAC(item, classic.key)).toBe(true);
}, 60_000);

test.concurrent('shoppers at once, each in order, over few connections', async () => {
  const shop = await openShop('Order');
  await shop.listen(`${receiver.origin}/order`);
  receiver.respond('/order', async (response) => {
    await setTimeout(Math.random() * 20);
    response.end();
  });
  const shoppers = Array.from({ length: 12 }, (_, n) => `shopper-${n}`);
  const wanted = new Map<string, string[]>();
  await Promise.all(
    shoppers.map(async (shopper) => {
      const ids: string[] = [];
      for (let n = 0; n < 10; n += 1)
        ids.push((await shop.call('storeToken', token(shopper, { expiryYear: String(2030 + n) }))).pspReference!);
      wanted.set(shopper, ids);
    }),
  );
  await until(
    () => receiver.at('/order').length >= 120,
    () => receiver.at('/order').length,
  );
  const events = eventsAt('/order');
  for (const shopper of shoppers)
    expect(events.filter(({ data }) => data.shopperReference === shopper).map(({ eventId }) => eventId)).toEqual(
      wanted.get(shopper),
    );
  expect(events).toHaveLength(120);
  expect(new Set(receiver.at('/order').map(({ remotePort }) => remotePort)).size).toBeLessThan(60);
}, 60_000);

test.concurrent('a receiver that is down, and comes back, hears of all in order', async () => {
  const shop = await openShop('Down');
  const own = await openReceiver();
  await shop.listen(`${own.origin}/`);
  await own.close();
  const wanted: string[] = [];
  for (let n = 0; n < 5; n += 1)
    wanted.push((await shop.call('storeToken', token('anna', { expiryYear: String(2030 + n) }))).pspReference!);
  await setTimeout(1_000);
  await own.reopen();
  await until(
    () => own.journal.length >= 5,
    () => own.journal,
  );
  expect(eventsAt('/', own).map(({ eventId }) => eventId)).toEqual(wanted);
  await own.close();
}, 60_000);

test.concurrent('no answer in time, a refusal, a redirect: each is tried again, under one id, and not followed', async () => {
  const shop = await openShop('Trouble');
  await shop.listen(`${receiver.origin}/trouble`);
  receiver.respond('/trouble', (response, _, nth) => {
    if (nth === 1) return;
    if (nth === 2) response.writeHead(307, { Location: `${elsewhere.origin}/stolen` });
    response.end();
  });
  const { pspReference } = await shop.call('storeToken', token('anna'));
  const next = await shop.call('storeToken', token('anna', { expiryYear: '2031' }));
  await until(
    () => idsAt('/trouble').includes(next.pspReference),
    () => idsAt('/trouble'),
  );
  expect(idsAt('/trouble').slice(0, 4)).toEqual([pspReference, pspReference, pspReference, next.pspReference]);
  expect(
    new Set(
      receiver
        .at('/trouble')
        .slice(0, 3)
        .map(({ body, headers }) => `${headers.hmacsignature} ${body}`),
    ).size,
  ).toBe(1);
  expect(elsewhere.at('/stolen')).toEqual([]);
}, 60_000);

test.concurrent('an answer that never ends, or is too long, holds nobody up', async () => {
  const shop = await openShop('Chatty');
  await shop.listen(`${receiver.origin}/chatty`);
  receiver.respond('/chatty', (response, { body }) => {
    const { data } = JSON.parse(body);
    if (data.shopperReference === 'long') response.end('x'.repeat(5_000_000));
    else response.write('x');
  });
  const wanted: string[] = [];
  for (const shopper of ['long', 'endless', 'long', 'endless'])
    wanted.push(
      (await shop.call('storeToken', token(shopper, { expiryYear: String(2030 + wanted.length) }))).pspReference!,
    );
  await until(
    () => idsAt('/chatty').length >= 4,
    () => idsAt('/chatty'),
  );
  await setTimeout(1_500);
  // A head that says 200 is acceptance: nothing comes again.
  expect(idsAt('/chatty').sort()).toEqual(wanted.sort());
}, 60_000);

test.concurrent('one endpoint that never answers does not hold up another, and is left alone', async () => {
  const [bad, good] = [await openShop('Silent'), await openShop('Lively')];
  await bad.listen(`${receiver.origin}/silent`);
  await good.listen(`${receiver.origin}/lively`);
  receiver.respond('/silent', () => {});
  const many = Array.from({ length: 150 }, (_, n) => `shopper-${n}`);
  for (let from = 0; from < many.length; from += 30)
    await Promise.all(many.slice(from, from + 30).map((shopper) => bad.call('storeToken', token(shopper))));
  const startedAt = performance.now();
  await Promise.all(many.slice(0, 40).map((shopper) => good.call('storeToken', token(shopper))));
  await until(
    () => receiver.at('/lively').length >= 40,
    () => receiver.at('/lively').length,
  );
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  const tried = receiver.at('/silent').length;
  await setTimeout(2_000);
  // 150 are due; eight at once would be 16 a second, were it not left alone.
  expect(receiver.at('/silent').length - tried).toBeLessThan(16);
}, 60_000);

test.concurrent('what nobody takes is a dead letter; the next goes on; and it is delivered when it is tried again', async () => {
  const shop = await openShop('Dead');
  const { id } = await shop.listen(`${receiver.origin}/dead?token=hidden`);
  let refusing = true;
  receiver.respond('/dead?token=hidden', (response, { body }) => {
    if (refusing && JSON.parse(body).type === 'recurring.token.created') response.writeHead(500);
    response.end();
  });
  const idsHere = () => idsAt('/dead?token=hidden');
  const refused = (await shop.call('storeToken', token('anna'))).pspReference!;
  const next = (await shop.call('storeToken', token('anna', { expiryYear: '2031' }))).pspReference!;
  await until(() => idsHere().includes(next), idsHere);
  expect(idsHere().filter((each) => each === refused).length).toBeGreaterThan(1);

  const [letter, ...others] = JSON.parse(await run('list', 'Dead', '--json'));
  expect(others).toEqual([]);
  expect(letter).toEqual({
    id: `${refused}/${id}`,
    company: 'Dead',
    type: 'recurring.token.created',
    merchantAccount: 'DeadWeb',
    endpoint: `${receiver.origin}/dead`,
    happenedAt: expect.any(String),
    givenUpAt: expect.any(String),
    attempts: expect.any(Number),
    because: 'it answered 500',
  });
  expect(await run('list', 'Every')).toBe('There is no dead letter.\n');
  expect(await run('list')).toContain(
    `${refused}/${id}  Dead  recurring.token.created  ${receiver.origin}/dead  given up`,
  );
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  expect(metrics).toMatch(/^triglyph_webhooks_total\{outcome="givenUp"\} [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_total\{outcome="refused"\} [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_dead_letters [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_oldest_due_seconds \d/m);

  const before = idsHere().length;
  refusing = false;
  expect(await run('retry', `${refused}/${id}`)).toBe(
    '1 webhooks are tried again, by the servers, as if they were new.\n',
  );
  await until(() => idsHere().length > before, idsHere);
  expect(idsHere().at(-1)).toBe(refused);
  await until(async () => (await run('list', 'Dead')) === 'There is no dead letter.\n', idsHere);
}, 60_000);

test('the log and the list of endpoints say no key, and no card', async () => {
  const keys = (await room.endpoints.list()).map(({ company, endpointId, sealed }) =>
    room.world.vault.open({ company, recurringDetailReference: `webhook ${endpointId}` }, sealed, 'shown'),
  );
  expect(keys.length).toBeGreaterThan(5);
  const said = `${server.output()}${await run('endpoint', 'list')}${await run('endpoint', 'list', '--json')}`;
  for (const key of keys) expect(said).not.toContain(key);
  expect(said).not.toContain('4111111111111111');
});
