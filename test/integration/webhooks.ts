/** Webhook events on every engine: queued for each endpoint with the effect, and due in the order of the shopper. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import {
  type DetailEventData,
  type RecurringEvent,
  type RecurringEventData,
  recurringEvent,
} from '../../src/payments/recurring/events.ts';
import type { JobQueue, TakenJob } from '../../src/stores/jobs/job.ts';
import type { DomainEvent, EventBatch } from '../../src/stores/jobs/webhooks/event.ts';
import type { Endpoint, EndpointStore } from '../../src/stores/jobs/webhooks/ports.ts';
import { keyScope, openKeys, sealKeys } from '../../src/stores/jobs/webhooks/signing-keys.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { createJobs } from '../../src/stores/sql/jobs.ts';
import { createKeyRotation } from '../../src/stores/sql/key-rotation.ts';
import { createEndpoints } from '../../src/stores/sql/webhook-endpoints.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import { passTime } from '../support/advance-time.ts';
import { tables } from '../support/migrated.ts';
import { override } from '../support/override.ts';
import { webhookFormats } from '../support/services.ts';
import { furnish, ring, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

const countJobs = statement<{ readonly jobs: number }>('test-count-jobs', 'select count(*) as jobs from job');

const event = (shopperReference: string, kind: DetailEventData['kind'] = 'created'): RecurringEvent =>
  recurringEvent({
    kind,
    merchantAccount: 'DemoMerchant',
    shopperReference,
    recurringDetailReference: `${shopperReference}-detail`,
    variant: 'visa',
    firstPspReference: 'FIRST',
  });

const permitType = 'recurring.permit.created';
const permitOf = (shopperReference: string): RecurringEvent =>
  recurringEvent({
    kind: 'permitCreated',
    merchantAccount: 'DemoMerchant',
    shopperReference,
    recurringDetailReference: `${shopperReference}-detail`,
    token: 'PT1',
  });

/** As the payload of a job. */
type StoredEvent = RecurringEventData & {
  readonly eventId: string;
  readonly requestReference: string;
  readonly at: number;
};

const batch = (pspReference: string, ...notices: readonly DomainEvent[]): EventBatch => ({
  tenant: 'Demo',
  requestReference: pspReference,
  at: 1_583_059_991_000,
  events: notices,
});

export function describeWebhooks({ open, dispose }: EngineFactory): void {
  describe('webhooks', () => {
    let engine: Engine;
    let store: Store;
    let jobs: JobQueue;
    let endpoints: EndpointStore;
    let rung: string[];
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      rung = [];
      store = createStore(engine, { shared: [webhookFormats], onJobSaved: (kind) => rung.push(kind) });
      jobs = createJobs(engine);
      endpoints = createEndpoints(engine);
    });
    afterEach(() => dispose(engine));

    const endpoint = (endpointId: string, format = 'tokenization', company = 'Demo'): Endpoint => ({
      tenant: company,
      endpointId,
      url: `https://${endpointId.replace('_', '-')}.example.com/`,
      format,
      sealed: vault.seal(keyScope({ tenant: company, endpointId }), { payload: 'ab'.repeat(32) }),
      createdAt: 1,
    });
    const enqueue = (...all: readonly EventBatch[]) =>
      store.write(async (tx) => {
        for (const each of all) await tx.outbox.enqueue(each);
      });
    const take = (max = 100) => jobs.take('webhook', { leaseOwner: 'here', leaseMs: 60_000, max });
    const end = (job: TakenJob) => store.write((tx) => tx.jobs.end(job));
    const eventOf = ({ payload }: TakenJob) => JSON.parse(payload) as StoredEvent;
    const ids = (taken: readonly TakenJob[]) => taken.map(({ jobId }) => jobId).sort();
    const countQueued = async () => (await engine.read((session) => session.query(countJobs, [])))[0]?.jobs;

    test('a company without an endpoint: nothing is written and no worker is notified', async () => {
      await endpoints.add(endpoint('we_other', 'tokenization', 'Other'));
      await enqueue(batch('P1', event('anna')));
      expect(await countQueued()).toBe(0);
      expect(rung).toEqual([]);
    });

    test('an event is one job for each endpoint of the company, under one id', async () => {
      await endpoints.add(endpoint('we_1'));
      await endpoints.add(endpoint('we_2'));
      await endpoints.add(endpoint('we_3', 'tokenization', 'Other'));
      await enqueue(batch('P1', event('anna')));
      expect(rung).toEqual(['webhook']);
      const taken = await take();
      expect(ids(taken)).toEqual(['P1/we_1', 'P1/we_2']);
      for (const job of taken)
        expect(eventOf(job)).toEqual({
          eventId: 'P1',
          requestReference: 'P1',
          at: 1_583_059_991_000,
          ...event('anna').data,
        });
      expect((await endpoints.findFor(taken[0]!))?.tenant).toBe('Demo');
      expect(new Set(await Promise.all(taken.map(async (job) => (await endpoints.findFor(job))?.endpointId)))).toEqual(
        new Set(['we_1', 'we_2']),
      );
    });

    test('a transaction waits for one statement, whatever endpoints get its event', async () => {
      let waited: string[] = [];
      const counting = override<Engine>(engine, {
        write: (work, options) =>
          engine.write((session) => {
            const query: typeof session.query = (asked, parameters) => {
              waited.push(asked.name);
              return session.query(asked, parameters);
            };
            const execute: typeof session.execute = (asked, parameters) => {
              waited.push(asked.name);
              return session.execute(asked, parameters);
            };
            return work(override(session, { query, execute }));
          }, options),
      });
      const counted = createStore(counting, { shared: [webhookFormats] });
      for (const [at, endpointId] of ['we_1', 'we_2'].entries()) {
        await counted.write((tx) => tx.outbox.enqueue(batch(`P${at}`, event('anna'))));
        expect(waited).toEqual(['advance-endpoints-2']);
        expect(await countQueued()).toBe(at);
        waited = [];
        await endpoints.add(endpoint(endpointId));
      }
    });

    test('a transaction that rolls back queues nothing', async () => {
      await endpoints.add(endpoint('we_1'));
      const halt = new Error('halt');
      const halted = store.write(async (tx) => {
        await tx.outbox.enqueue(batch('P1', event('anna')));
        throw halt;
      });
      await expect(halted).rejects.toBe(halt);
      expect(await countQueued()).toBe(0);
      expect(rung).toEqual([]);
    });

    test('events that the description of a format lacks go to endpoints that name them, and these get no others', async () => {
      await endpoints.add(endpoint('we_all'));
      await endpoints.add({ ...endpoint('we_permits'), eventTypes: [permitType] });
      await endpoints.add({ ...endpoint('we_two'), eventTypes: ['recurring.token.disabled', permitType] });
      await enqueue(batch('P1', event('anna'), permitOf('anna'), event('anna', 'disabled'), permitOf('ben')));
      const received: string[] = [];
      for (let taken = await take(); taken.length > 0; taken = await take())
        for (const job of taken) {
          received.push(job.jobId);
          await end(job);
        }
      expect(received.toSorted()).toEqual([
        ...['P1.2/we_permits', 'P1.2/we_two', 'P1.3/we_all', 'P1.3/we_two', 'P1.4/we_permits', 'P1.4/we_two'],
        'P1/we_all',
      ]);
      expect((await endpoints.list()).map(({ eventTypes }) => eventTypes)).toEqual([
        undefined,
        [permitType],
        ['recurring.token.disabled', permitType],
      ]);
    });

    test('an event that leaves its order is tried on, and those behind it no longer wait for it', async () => {
      await endpoints.add(endpoint('we_1'));
      await enqueue(batch('P1', event('anna')), batch('P2', event('anna', 'updated')));
      const [first] = await take();
      await jobs.retryLater(first!, 0, 'it answered 500');
      expect(ids(await take())).toEqual(['P1/we_1']);
      await jobs.retryLater(first!, 0, 'it answered 500', true);
      const both = await take();
      expect(ids(both)).toEqual(['P1/we_1', 'P2/we_1']);
      // A new event waits for the one that is in order, and not for the other.
      await enqueue(batch('P3', event('anna', 'disabled')));
      const [alone, second] = both.toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1));
      expect((await endpoints.findFor(alone!))?.endpointId).toBe('we_1');
      await jobs.retryLater(alone!, 0, 'it answered 500', true);
      const [again] = await take();
      expect(again?.jobId).toBe('P1/we_1');
      await end(second!);
      expect(ids(await take())).toEqual(['P3/we_1']);
      await jobs.abandon(again!, 'too old');
      expect(await jobs.revive('Demo', 'P1/we_1')).toBe(true);
      for (const job of await take()) await end(job);
      expect(await endpoints.remove('we_1')).toBe(1);
      expect(await countQueued()).toBe(0);
    });

    test('each endpoint hears of a shopper in order, one after the other; shoppers do not wait for each other', async () => {
      await endpoints.add(endpoint('we_1'));
      await enqueue(batch('P1', event('anna')), batch('P2', event('ben')));
      await enqueue(batch('P3', event('anna', 'updated')));
      await enqueue(batch('P4', event('anna', 'disabled'), event('ben', 'disabled')));
      const takenIds: string[] = [];
      for (let round = 1; round <= 3; round += 1) {
        const taken = await take();
        expect(await take()).toEqual([]);
        takenIds.push(ids(taken).join());
        for (const job of taken) await end(job);
      }
      expect(takenIds).toEqual(['P1/we_1,P2/we_1', 'P3/we_1,P4.2/we_1', 'P4/we_1']);
      expect(await countQueued()).toBe(0);
    });

    test('several notices of a shopper in one tx go one after the other, and have ids of their own', async () => {
      await endpoints.add(endpoint('we_1'));
      await enqueue(batch('P1', event('anna', 'updated'), event('anna', 'disabled'), event('anna', 'updated')));
      const takenIds: string[] = [];
      for (let taken = await take(); taken.length > 0; taken = await take()) {
        expect(taken).toHaveLength(1);
        takenIds.push(`${eventOf(taken[0]!).eventId} ${eventOf(taken[0]!).kind}`);
        await end(taken[0]!);
      }
      expect(takenIds).toEqual(['P1 updated', 'P1.2 disabled', 'P1.3 updated']);
    });

    test('more notices than one statement holds', async () => {
      await endpoints.add(endpoint('we_1'));
      const many = Array.from({ length: 300 }, (_, n) => event(n % 3 === 0 ? 'anna' : `shopper-${n}`, 'disabled'));
      await enqueue(batch('P1', ...many));
      expect(await countQueued()).toBe(300);
      const first = await take(500);
      expect(first).toHaveLength(201);
      const annas: string[] = [];
      for (
        let next: readonly TakenJob[] = first.filter(({ orderingKey }) => orderingKey.includes('anna'));
        next.length > 0;
        next = await take()
      ) {
        expect(next).toHaveLength(1);
        annas.push(eventOf(next[0]!).eventId);
        await end(next[0]!);
      }
      expect(annas).toEqual(['P1', ...Array.from({ length: 99 }, (_, n) => `P1.${3 * (n + 1) + 1}`)]);
    });

    test('the classic format hears of what it knows, and of its shopper in order all the same', async () => {
      await endpoints.add(endpoint('we_1', 'classic'));
      await enqueue(batch('P1', event('anna', 'updated'), event('anna', 'created'), event('anna', 'created')));
      const [first, ...others] = await take();
      expect(others).toEqual([]);
      expect(first?.jobId).toBe('P1.2/we_1');
      await end(first!);
      expect(ids(await take())).toEqual(['P1.3/we_1']);
    });

    test('a check without a shopper has an ordering key of its own', async () => {
      await endpoints.add({ ...endpoint('we_1'), eventTypes: ['recurring.token.checked'] });
      const outcome = recurringEvent({
        kind: 'checked',
        merchantAccount: 'DemoMerchant',
        reference: 'r',
        result: 'NoChange',
      });
      await enqueue(batch('P1', outcome), batch('P2', outcome));
      expect(ids(await take())).toEqual(['P1/we_1', 'P2/we_1']);
    });

    test('what is put back was not tried; what is held back is due later, and only that of its endpoint', async () => {
      const held = endpoint('we_1');
      await endpoints.add(held);
      await endpoints.add(endpoint('we_2'));
      await enqueue(batch('P1', event('anna')), batch('P2', event('ben')));
      const [under] = (await take(10)).filter(({ jobId }) => jobId === 'P1/we_1');
      await engine.write((session) => session.execute(passTime, [120_000]));
      // Milliseconds come with a fraction, from clocks and from chance.
      await endpoints.deferDue(held, { afterMs: 4_999.5, spacingMs: 0 });
      expect(ids(await take())).toEqual(['P1/we_2', 'P2/we_2']);
      await engine.write((session) => session.execute(passTime, [5_001]));
      const again = await take();
      expect(ids(again)).toEqual(['P1/we_1', 'P2/we_1']);
      expect(again.map(({ attempts }) => attempts)).toEqual([2, 2]);
      await jobs.retryLater(again[1]!, 60_000.5, 'not yet');
      await jobs.defer(again[0]!, -0.25);
      expect(await take()).toEqual([expect.objectContaining({ jobId: again[0]!.jobId, attempts: 2 })]);
      expect(under?.attempts).toBe(1);
    });

    test('the backlog of an endpoint is deferred in its order, at the pace of the endpoint, and for a minute at most', async () => {
      const slow = endpoint('we_1');
      await endpoints.add(slow);
      const many = Array.from({ length: 2_500 }, (_, n) => batch(`P${n}`, event(`shopper-${n}`)));
      for (let from = 0; from < many.length; from += 500) await enqueue(...many.slice(from, from + 500));
      const later = (ms: number) => engine.write((session) => session.execute(passTime, [ms]));
      await later(600_000);
      const deferredAt = Date.now();
      await endpoints.deferDue(slow, { afterMs: 10_000, spacingMs: 30.5 });
      const count = async (): Promise<number> => (await take(3_000)).length;
      await later(9_000);
      expect(await count()).toBe(0);
      // Half of the minute, and what this test took.
      await later(31_000);
      const half = await count();
      expect(half).toBeGreaterThan(900);
      expect(half).toBeLessThanOrEqual(1 + (30_000 + Date.now() - deferredAt) / 30.5);
      // Those beyond the minute are due at its end.
      await later(31_000);
      expect(await count()).toBe(2_500 - half);
    });

    test('removing an endpoint deletes its queued events and no others', async () => {
      await endpoints.add(endpoint('we_1'));
      await endpoints.add(endpoint('we_2'));
      await enqueue(batch('P1', event('anna')), batch('P2', event('anna')));
      const [job] = (await take()).filter(({ jobId }) => jobId === 'P1/we_1');
      expect(await endpoints.remove('we_3')).toBeUndefined();
      expect(await endpoints.remove('we_1')).toBe(2);
      expect(await endpoints.findFor(job!)).toBeUndefined();
      expect((await endpoints.list()).map(({ endpointId }) => endpointId)).toEqual(['we_2']);
      expect(await countQueued()).toBe(2);
    });

    test('how old the oldest event is, also at an endpoint that rests, and how many were given up', async () => {
      const backlog = async () => [await endpoints.oldestWaitingMs(), await endpoints.countDeadLetters()];
      expect(await backlog()).toEqual([undefined, 0]);
      await endpoints.add(endpoint('we_1'));
      await enqueue(batch('P1', event('anna')), batch('P2', event('ben')));
      const age = statement('test-age', 'update job set created_at = created_at - 30000');
      await engine.write((session) => session.execute(age, []));
      expect(await endpoints.oldestWaitingMs()).toBeGreaterThanOrEqual(30_000);
      // An endpoint that rests: nothing is due, and the events grow older all the same.
      await endpoints.deferDue(endpoint('we_1'), { afterMs: 3_600_000, spacingMs: 0 });
      expect(await take()).toEqual([]);
      expect(await endpoints.oldestWaitingMs()).toBeGreaterThanOrEqual(30_000);
      await engine.write((session) => session.execute(passTime, [3_600_000]));
      for (const job of await take()) await jobs.abandon(job, 'no response');
      expect(await backlog()).toEqual([undefined, 2]);
    });

    test('the key of an endpoint is moved to another wrapping key with everything else, and opens', async () => {
      await endpoints.add(endpoint('we_1'));
      const spare = parseKeyRing(`k-new:${'ab'.repeat(32)}\nindex:${'ac'.repeat(32)}\npepper:${'ad'.repeat(32)}`);
      const newer = { ...ring, current: 'k-new', wrapping: new Map([...spare.wrapping, ...ring.wrapping]) };
      const rotation = createKeyRotation(engine, createWrapping(newer), tables);
      expect((await rotation.rotate({ begun() {}, moved() {} })).moved).toBe(1);
      const [moved] = await endpoints.list();
      expect(moved?.sealed.keyId).toBe('k-new');
      const alone = createVault({ ...newer, wrapping: spare.wrapping });
      expect(alone.open(keyScope(moved!), moved!.sealed, 'payload')).toBe('ab'.repeat(32));
      expect(() => alone.open(keyScope({ ...moved!, endpointId: 'we_2' }), moved!.sealed, 'payload')).toThrow();
    });

    test('two keys of an endpoint sign until the rotation is over, and then the new one alone', async () => {
      const [old, fresh, last] = ['ab', 'cd', 'ef'].map((each) => each.repeat(32)) as [string, string, string];
      await endpoints.add(endpoint('we_1'));
      await enqueue(batch('P1', event('anna')));
      const [job] = await take();
      const keys = async () => openKeys(vault, (await endpoints.findFor(job!))!);
      const rotate = (nextKey: string, graceMs: number) =>
        endpoints.rotate('we_1', {
          rotatingUntil: graceMs === 0 ? undefined : Date.now() + graceMs,
          seal: (of) => sealKeys(vault, of, graceMs === 0 ? { key: nextKey } : { ...openKeys(vault, of), nextKey }),
        });
      expect(await keys()).toEqual({ key: old });
      expect(await rotate(fresh, 3_600_000)).toBe(true);
      expect(await keys()).toEqual({ key: old, nextKey: fresh });
      // A second rotation replaces the key that no receiver needs yet.
      await rotate(last, 3_600_000);
      expect(await keys()).toEqual({ key: old, nextKey: last });
      // A server of the release before reads the first key of the text.
      const [{ sealed } = endpoint('we_1')] = await endpoints.list();
      const text = vault.open(keyScope(endpoint('we_1')), sealed, 'payload');
      expect(Buffer.from(text, 'hex').toString('hex')).toBe(old);
      await rotate(last, -1);
      expect(await keys()).toEqual({ key: last });
      await rotate(fresh, 0);
      expect(await keys()).toEqual({ key: fresh });
      expect((await endpoints.list())[0]?.rotation).toBeUndefined();
      expect(await endpoints.rotate('we_2', { rotatingUntil: undefined, seal: () => sealed })).toBe(false);
    });

    test('concurrent transactions: no event is lost or doubled, and no ordering key stops', async () => {
      await endpoints.add(endpoint('we_1'));
      const shoppers = ['anna', 'ben', 'carla', 'dirk'];
      const each = 12;
      const seen: string[] = [];
      let isEnqueuing = true;
      const deliver = async () => {
        while (isEnqueuing || (await countQueued()) !== 0)
          for (const job of await jobs.take('webhook', { leaseOwner: 'here', leaseMs: 60_000, max: 4 })) {
            seen.push(job.jobId);
            await end(job);
          }
      };
      const delivering = [deliver(), deliver()];
      await Promise.all(
        shoppers.map(async (shopper) => {
          for (let n = 0; n < each; n += 1) await enqueue(batch(`${shopper}-${n}`, event(shopper)));
        }),
      );
      isEnqueuing = false;
      await Promise.all(delivering);
      for (const shopper of shoppers)
        expect(seen.filter((id) => id.startsWith(shopper))).toEqual(
          Array.from({ length: each }, (_, n) => `${shopper}-${n}/we_1`),
        );
    });
  });
}
