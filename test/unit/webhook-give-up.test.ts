/** When an event becomes a dead letter: by the clock of the database, and not because a clock has jumped. */
import { createServer } from 'node:http';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { TakenJob } from '../../src/stores/jobs/job.ts';
import { createDeliveryHandler } from '../../src/stores/jobs/webhooks/deliver.ts';
import type { Endpoint, EndpointStore } from '../../src/stores/jobs/webhooks/ports.ts';
import { keyScope } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import type { JobHandler } from '../../src/stores/jobs/worker.ts';
import { vault } from '../integration/samples.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { webhookFormats } from '../support/services.ts';

const dayMs = 24 * 60 * 60_000;
const giveUpMs = 3 * dayMs;
const scope = { tenant: 'Demo', endpointId: 'we_1' };
const endpoint: Endpoint = {
  ...scope,
  // No server listens on the discard port.
  url: 'http://127.0.0.1:9/',
  format: 'tokenization',
  sealed: vault.seal(keyScope(scope), { payload: 'ab'.repeat(32) }),
  createdAt: 1,
};

const startDelivery = (url = endpoint.url): JobHandler => {
  const endpoints = { findFor: async () => ({ ...endpoint, url }), deferDue: async () => {} } as Partial<EndpointStore>;
  return createDeliveryHandler({
    jobs: { end: async () => {} },
    endpoints: endpoints as EndpointStore,
    formats: webhookFormats,
    vault,
    environment: 'test',
    deliveryMsMax: 1_000,
    giveUpMs,
    count: () => {},
  });
};

/** Saved so long ago that it has this age now, by a clock of the database that is so far ahead. */
const jobOf = (ageMs: number, aheadMs = 0): TakenJob => ({
  tenant: 'Demo',
  jobId: 'P1/we_1',
  kind: 'webhook',
  orderingKey: 'we_1/anna',
  payload: JSON.stringify({ eventId: 'P1', requestReference: 'P1', at: 1, kind: 'created', merchantAccount: 'Shop' }),
  createdAt: 1_800_000_000_000 + aheadMs - ageMs,
  ageMs,
  attempts: 1,
  leaseOwner: 'here',
});

const run = (handler: JobHandler, job: TakenJob) => handler.run(job, new AbortController().signal);
const isRetried = expect.objectContaining({ retryAfterMs: expect.any(Number) });
const isAbandoned = expect.objectContaining({ abandonReason: expect.stringContaining('could not be reached') });

afterEach(() => {
  jest.restoreAllMocks();
});

test('an event that is refused for 15 minutes leaves its order, and one without an answer does not', async () => {
  const server = createServer((_, response) => response.writeHead(500).end());
  const url = `http://127.0.0.1:${await listenLocally(server)}/`;
  const leaves = async (handler: JobHandler, minutes: number): Promise<unknown> =>
    (await run(handler, jobOf(minutes * 60_000))) as unknown;
  expect(await leaves(startDelivery(url), 14)).toMatchObject({ leavesOrder: false, because: 'it answered 500' });
  expect(await leaves(startDelivery(url), 16)).toMatchObject({ leavesOrder: true, because: 'it answered 500' });
  expect(await leaves(startDelivery(), 16)).toMatchObject({ leavesOrder: false });
  server.closeAllConnections();
  server.close();
});

test('an event that is old enough is abandoned, a younger one is retried', async () => {
  const handler = startDelivery();
  expect(await run(handler, jobOf(giveUpMs - 60_000))).toEqual(isRetried);
  expect(await run(handler, jobOf(giveUpMs + 60_000))).toEqual(isAbandoned);
});

test('the clock of the server does not count: four days ahead, it abandons nothing', async () => {
  const realNow = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 4 * dayMs);
  const job = { ...jobOf(1_000), createdAt: realNow() - 1_000 };
  // Control: by the clock of the server, the event would be overdue.
  expect(Date.now() - job.createdAt).toBeGreaterThan(giveUpMs);
  expect(await run(startDelivery(), job)).toEqual(isRetried);
});

test('a clock of the database that jumps ahead makes no event overdue', async () => {
  const handler = startDelivery();
  expect(await run(handler, jobOf(1_000))).toEqual(isRetried);
  const afterJump = jobOf(4 * dayMs, 4 * dayMs);
  expect(await run(handler, afterJump)).toEqual(isRetried);
  // Control: a delivery that has not seen the clock before takes the age as it is.
  expect(await run(startDelivery(), afterJump)).toEqual(isAbandoned);
});
