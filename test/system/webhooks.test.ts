/** Tests webhooks from a real server to a real receiver: at least once, signed and in order, also with a faulty receiver. */
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

/** The distinct events received, in the order of their first deliveries. */
const eventsAt = (path: string, at: Receiver = receiver) => at.eventsAt(path).map(({ body }) => JSON.parse(body));
const idsAt = (path: string, at: Receiver = receiver) => at.eventsAt(path).map(({ eventId }) => eventId);
const untilEvents = (count: number, path: string, at: Receiver = receiver) =>
  until(
    () => at.deliveries,
    () => at.eventsAt(path).length >= count,
  );

test.concurrent('each event arrives signed, in both formats, without card data', async () => {
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
  await untilEvents(6, '/every?for=us');

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

  await untilEvents(2, '/classic');
  const items = eventsAt('/classic').map(({ notificationItems: [item] }) => item.NotificationRequestItem);
  expect(items.map(({ eventCode, pspReference }) => `${eventCode} ${pspReference}`)).toEqual([
    `RECURRING_CONTRACT ${reference}`,
    `RECURRING_CONTRACT ${replaced}`,
  ]);
  for (const item of items) expect(validator.validateHMAC(item, classic.key)).toBe(true);
});

test.concurrent('events of concurrent shoppers arrive in order per shopper, over few connections', async () => {
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
  await untilEvents(120, '/order');
  const events = eventsAt('/order');
  for (const shopper of shoppers)
    expect(events.filter(({ data }) => data.shopperReference === shopper).map(({ eventId }) => eventId)).toEqual(
      wanted.get(shopper),
    );
  expect(events).toHaveLength(120);
  expect(new Set(receiver.at('/order').map(({ remotePort }) => remotePort)).size).toBeLessThan(60);
});

test.concurrent('a receiver that recovers from an outage gets all events in order', async () => {
  const shop = await serving.openShop('Down');
  const own = await openReceiver();
  await shop.listen(`${own.origin}/`);
  await own.close();
  const wanted: string[] = [];
  for (let n = 0; n < 5; n += 1)
    wanted.push((await shop.call('storeToken', tokenOf('anna', { expiryYear: String(2030 + n) }))).pspReference!);
  await setTimeout(1_000);
  await own.reopen();
  await untilEvents(5, '/', own);
  expect(idsAt('/', own)).toEqual(wanted);
  await own.close();
});

test.concurrent('a timed out or redirected delivery is retried under the same id, and redirects are not followed', async () => {
  const shop = await serving.openShop('Trouble');
  await shop.listen(`${receiver.origin}/trouble`);
  receiver.respond('/trouble', (response, _, nth) => {
    if (nth === 1) return;
    if (nth === 2) response.writeHead(307, { Location: `${elsewhere.origin}/stolen` });
    response.end();
  });
  const { pspReference } = await shop.call('storeToken', tokenOf('anna'));
  const next = await shop.call('storeToken', tokenOf('anna', { expiryYear: '2031' }));
  await untilEvents(2, '/trouble');
  expect(idsAt('/trouble')).toEqual([pspReference, next.pspReference]);
  const deliveries = receiver.at('/trouble');
  const tries = deliveries.slice(
    0,
    deliveries.findIndex(({ eventId }) => eventId === next.pspReference),
  );
  expect(tries.length).toBeGreaterThanOrEqual(3);
  expect(new Set(tries.map(({ body, headers }) => `${headers.hmacsignature} ${body}`)).size).toBe(1);
  expect(elsewhere.at('/stolen')).toEqual([]);
});

test.concurrent('an endless or oversized response delays no other event', async () => {
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
  await untilEvents(4, '/chatty');
  // The status line 200 accepts an event. Where it was late, the event may be delivered once more.
  await until('deliveries to end', async () => {
    const before = receiver.at('/chatty').length;
    await setTimeout(1_500);
    return receiver.at('/chatty').length === before;
  });
  expect(idsAt('/chatty').sort()).toEqual(wanted.sort());
});

test.concurrent('an endpoint that never answers does not delay another, and its circuit opens', async () => {
  const [bad, good] = [await serving.openShop('Silent'), await serving.openShop('Lively')];
  await bad.listen(`${receiver.origin}/silent`);
  await good.listen(`${receiver.origin}/lively`);
  receiver.respond('/silent', () => {});
  const many = Array.from({ length: 150 }, (_, n) => `shopper-${n}`);
  for (let from = 0; from < many.length; from += 30)
    await Promise.all(many.slice(from, from + 30).map((shopper) => bad.call('storeToken', tokenOf(shopper))));
  await Promise.all(many.slice(0, 40).map((shopper) => good.call('storeToken', tokenOf(shopper))));
  await untilEvents(40, '/lively');
  const tried = receiver.at('/silent').length;
  // All 150 were due before.
  expect(tried).toBeLessThan(75);
  await setTimeout(2_000);
  // 150 are due: without the circuit breaker, eight at once would be 16 a second.
  expect(receiver.at('/silent').length - tried).toBeLessThan(16);
});

test('the log and the list of endpoints contain no key and no card number', async () => {
  const keys = (await serving.backend.endpoints.list()).map(({ tenant: company, endpointId, sealed }) =>
    serving.backend.context.vault.open({ tenant: company, record: `webhook ${endpointId}` }, sealed, 'payload'),
  );
  expect(keys.length).toBeGreaterThan(5);
  const printed = `${serving.server.output()}${await serving.webhooks('endpoint', 'list')}${await serving.webhooks('endpoint', 'list', '--json')}`;
  for (const key of keys) expect(printed).not.toContain(key);
  expect(printed).not.toContain('4111111111111111');
});
