/** Webhooks from a real server to a real receiver: what arrives, signed and in order, whatever the receiver does. */
import { setTimeout } from 'node:timers/promises';
import { hmacValidator } from '@adyen/api-library';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { startWebhookServer, tokenOf, type WebhookServer } from '../support/webhook-server.ts';

let serving: WebhookServer;
let receiver: Receiver;
let elsewhere: Receiver;
beforeAll(async () => {
  [receiver, elsewhere] = await Promise.all([openReceiver(), openReceiver()]);
  serving = await startWebhookServer({ WEBHOOK_MS_MAX: '500' });
});
afterAll(async () => {
  await serving?.close();
  await Promise.all([receiver?.close(), elsewhere?.close()]);
});

const eventsAt = (path: string, at: Receiver = receiver) => at.at(path).map(({ body }) => JSON.parse(body));
const idsAt = (path: string) => eventsAt(path).map(({ eventId }) => eventId);

test.concurrent('each event arrives signed, in both formats, and holds no card', async () => {
  const shop = await serving.openShop('Every');
  const { key } = await shop.listen(`${receiver.origin}/every?for=us`);
  const classic = await shop.listen(`${receiver.origin}/classic`, 'classic');
  const stored = await shop.call('storeToken', tokenOf('anna'));
  await shop.call('storeToken', tokenOf('anna'));
  await shop.call('storeToken', tokenOf('anna', { number: '4000009900000038' }));
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
    () => receiver.journal,
    () => receiver.at('/every?for=us').length >= 6,
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
    () => receiver.journal,
    () => receiver.at('/classic').length >= 2,
  );
  const items = eventsAt('/classic').map(({ notificationItems: [item] }) => item.NotificationRequestItem);
  expect(items.map(({ eventCode, pspReference }) => `${eventCode} ${pspReference}`)).toEqual([
    `RECURRING_CONTRACT ${reference}`,
    `RECURRING_CONTRACT ${replaced}`,
  ]);
  for (const item of items) expect(validator.validateHMAC(item, classic.key)).toBe(true);
}, 60_000);

test.concurrent('shoppers at once, each in order, over few connections', async () => {
  const shop = await serving.openShop('Order');
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
        ids.push((await shop.call('storeToken', tokenOf(shopper, { expiryYear: String(2030 + n) }))).pspReference!);
      wanted.set(shopper, ids);
    }),
  );
  await until(
    () => receiver.at('/order').length,
    () => receiver.at('/order').length >= 120,
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
  const shop = await serving.openShop('Down');
  const own = await openReceiver();
  await shop.listen(`${own.origin}/`);
  await own.close();
  const wanted: string[] = [];
  for (let n = 0; n < 5; n += 1)
    wanted.push((await shop.call('storeToken', tokenOf('anna', { expiryYear: String(2030 + n) }))).pspReference!);
  await setTimeout(1_000);
  await own.reopen();
  await until(
    () => own.journal,
    () => own.journal.length >= 5,
  );
  expect(eventsAt('/', own).map(({ eventId }) => eventId)).toEqual(wanted);
  await own.close();
}, 60_000);

test.concurrent('no answer in time, a refusal, a redirect: each is tried again, under one id, and not followed', async () => {
  const shop = await serving.openShop('Trouble');
  await shop.listen(`${receiver.origin}/trouble`);
  receiver.respond('/trouble', (response, _, nth) => {
    if (nth === 1) return;
    if (nth === 2) response.writeHead(307, { Location: `${elsewhere.origin}/stolen` });
    response.end();
  });
  const { pspReference } = await shop.call('storeToken', tokenOf('anna'));
  const next = await shop.call('storeToken', tokenOf('anna', { expiryYear: '2031' }));
  await until(
    () => idsAt('/trouble'),
    () => idsAt('/trouble').includes(next.pspReference),
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
  const shop = await serving.openShop('Chatty');
  await shop.listen(`${receiver.origin}/chatty`);
  receiver.respond('/chatty', (response, { body }) => {
    const { data } = JSON.parse(body);
    if (data.shopperReference === 'long') response.end('x'.repeat(5_000_000));
    else response.write('x');
  });
  const wanted: string[] = [];
  for (const shopper of ['long', 'endless', 'long', 'endless'])
    wanted.push(
      (await shop.call('storeToken', tokenOf(shopper, { expiryYear: String(2030 + wanted.length) }))).pspReference!,
    );
  await until(
    () => idsAt('/chatty'),
    () => idsAt('/chatty').length >= 4,
  );
  await setTimeout(1_500);
  // A head that says 200 is acceptance: nothing comes again.
  expect(idsAt('/chatty').sort()).toEqual(wanted.sort());
}, 60_000);

test.concurrent('one endpoint that never answers does not hold up another, and is left alone', async () => {
  const [bad, good] = [await serving.openShop('Silent'), await serving.openShop('Lively')];
  await bad.listen(`${receiver.origin}/silent`);
  await good.listen(`${receiver.origin}/lively`);
  receiver.respond('/silent', () => {});
  const many = Array.from({ length: 150 }, (_, n) => `shopper-${n}`);
  for (let from = 0; from < many.length; from += 30)
    await Promise.all(many.slice(from, from + 30).map((shopper) => bad.call('storeToken', tokenOf(shopper))));
  await Promise.all(many.slice(0, 40).map((shopper) => good.call('storeToken', tokenOf(shopper))));
  await until(
    () => receiver.at('/lively').length,
    () => receiver.at('/lively').length >= 40,
  );
  const tried = receiver.at('/silent').length;
  // All 150 were due before.
  expect(tried).toBeLessThan(75);
  await setTimeout(2_000);
  // 150 are due; eight at once would be 16 a second, were it not left alone.
  expect(receiver.at('/silent').length - tried).toBeLessThan(16);
}, 60_000);

test('the log and the list of endpoints say no key, and no card', async () => {
  const keys = (await serving.room.endpoints.list()).map(({ company, endpointId, sealed }) =>
    serving.room.context.vault.open({ company, record: `webhook ${endpointId}` }, sealed, 'shown'),
  );
  expect(keys.length).toBeGreaterThan(5);
  const said = `${serving.server.output()}${await serving.webhooks('endpoint', 'list')}${await serving.webhooks('endpoint', 'list', '--json')}`;
  for (const key of keys) expect(said).not.toContain(key);
  expect(said).not.toContain('4111111111111111');
});
