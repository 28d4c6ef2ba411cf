/** Replays and alters webhooks as they are sent; the verification of docs/webhooks.md finds it, the older signature does not. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createDeliveryHandler } from '../../src/stores/jobs/webhooks/deliver.ts';
import type { Endpoint, EndpointStore } from '../../src/stores/jobs/webhooks/ports.ts';
import { signatureOf, standardHeaders } from '../../src/stores/jobs/webhooks/signature.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { vault } from '../integration/samples.ts';
import { webhookFormats } from '../support/services.ts';

const key = '0123456789abcdef'.repeat(4);
const nextKey = 'fedcba9876543210'.repeat(4);
const sentAt = Date.UTC(2026, 0, 15, 12, 30, 45, 678);
const minuteMs = 60_000;

type Verify = (key: string, body: string, headers: IncomingHttpHeaders, now: number) => boolean;

/** The example of the documentation, without its import. */
function documentedExample(): Verify {
  const text = readFileSync('docs/webhooks.md', 'utf8');
  const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)]
    .map(([, each]) => each!)
    .find((each) => /isFresh/.test(each))!;
  const withoutImport = code.replace(/^import .*$/m, '');
  return Function(
    'createHmac',
    'timingSafeEqual',
    `${withoutImport}; return isFreshAndOurs;`,
  )(createHmac, timingSafeEqual) as Verify;
}

const verify = documentedExample();

interface Received {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Delivers an event twice at different times, as after a lost answer. */
async function deliver(eventId: string, keys = key): Promise<readonly [Received, Received]> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ body: String(Buffer.concat(await request.toArray())), headers: request.headers });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const scope = { tenant: 'Demo', endpointId: 'we_1' };
  const endpoint: Endpoint = {
    ...scope,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    format: 'tokenization',
    sealed: vault.seal(keyScope(scope), { payload: keys }),
    ...(keys.includes(' ') && { rotation: { until: sentAt + minuteMs, isOver: false } }),
    createdAt: 1,
  };
  const endpoints: Partial<EndpointStore> = { findFor: async () => endpoint };
  const handler = createDeliveryHandler({
    jobs: { end: async () => {} },
    endpoints: endpoints as EndpointStore,
    formats: webhookFormats,
    vault,
    environment: 'test',
    deliveryMsMax: 20_000,
    giveUpMs: 1_000_000,
    count: () => {},
  });
  const payload = JSON.stringify({ eventId, requestReference: 'P1', at: 1, kind: 'created', merchantAccount: 'Shop' });
  const job = {
    ...scope,
    jobId: 'P1/we_1',
    kind: 'webhook',
    orderingKey: 'we_1/anna',
    payload,
    createdAt: 1,
    ageMs: 1,
  };
  try {
    for (const [attempts, at] of [sentAt, sentAt + 2 * minuteMs].entries()) {
      jest.spyOn(Date, 'now').mockReturnValue(at);
      const taken = { ...job, attempts: attempts + 1, leaseOwner: 'here' };
      expect(await handler.run(taken, new AbortController().signal)).toBe('ended');
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const [first, second] = received;
  return [first!, second!];
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** What receivers verified before: the body only. */
const verifyBody: Verify = (wanted, body, { hmacsignature }) => signatureOf(wanted, body) === hmacsignature;

test('a delivery has the headers of Standard Webhooks; another attempt has the same id and its own time', async () => {
  const [first, second] = await deliver('P1.2');
  expect(first.headers).toMatchObject({
    'webhook-id': 'P1-2',
    'webhook-timestamp': '1768480245',
    'webhook-signature': `v1,${signatureOf(key, `P1-2.1768480245.${first.body}`)}`,
    hmacsignature: signatureOf(key, first.body),
    protocol: 'HmacSHA256',
  });
  expect(second.body).toBe(first.body);
  expect(second.headers).toMatchObject({ 'webhook-id': 'P1-2', 'webhook-timestamp': '1768480365' });
  for (const { body, headers } of [first, second]) expect(verify(key, body, headers, sentAt + minuteMs)).toBe(true);
});

test('the known example of Standard Webhooks has its known signature', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64').toString('hex');
  const body = '{"test": 2432232314}';
  expect(
    standardHeaders({ key: secret }, { eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt: 1_614_265_330_000, body }),
  ).toMatchObject({ 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' });
});

test.each<[string, (sent: Received) => Partial<Received>, number]>([
  ['a copy, six minutes later', () => ({}), 6 * minuteMs],
  ['a copy from the future', () => ({}), -6 * minuteMs],
  ['another id', ({ headers }) => ({ headers: { ...headers, 'webhook-id': 'P2' } }), 0],
  ['a new time', ({ headers }) => ({ headers: { ...headers, 'webhook-timestamp': '1768480600' } }), 6 * minuteMs],
  ['a time that is no number', ({ headers }) => ({ headers: { ...headers, 'webhook-timestamp': 'now' } }), 0],
])('%s is refused; the older signature accepts it', async (_, alter, laterMs) => {
  const [sent] = await deliver('P1');
  expect(verify(key, sent.body, sent.headers, sentAt)).toBe(true);
  const { body, headers } = { ...sent, ...alter(sent) };
  expect(verify(key, body, headers, sentAt + laterMs)).toBe(false);
  expect(verifyBody(key, body, headers, sentAt + laterMs)).toBe(true);
});

test('a changed body, another key and a missing signature are refused', async () => {
  const [{ body, headers }] = await deliver('P1');
  expect(verify(key, `${body} `, headers, sentAt)).toBe(false);
  expect(verify(nextKey, body, headers, sentAt)).toBe(false);
  expect(verify(key, body, { ...headers, 'webhook-signature': undefined }, sentAt)).toBe(false);
});

test('during a rotation one header has both signatures, and either key verifies it', async () => {
  const [{ body, headers }] = await deliver('P1', `${key} ${nextKey}`);
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
  for (const each of [key, nextKey]) expect(verify(each, body, headers, sentAt)).toBe(true);
  expect(verify('00'.repeat(32), body, headers, sentAt)).toBe(false);
});
