/** For every store: requests that were forwarded are pending until they have an outcome, whoever finds it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyRequest, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import type { NewPendingRequest, StoredOutcome } from '../../src/core/idempotency/ports.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { SealBroken } from '../../src/core/vault/seal.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { ForwardingRun, type ForwardingStore } from '../simulation/forwarding.ts';
import { ring } from '../support/fixture.ts';

/** Opens a store of its own, and removes it again. */
export interface ForwardingStores {
  open(): Promise<ForwardingStore>;
  dispose(store: ForwardingStore): Promise<void>;
}

const inFlightMs = 30_000;
const repeatableMs = 90_000;
const daysMs = 400 * 24 * 60 * 60 * 1000;
const readCommitted = { isolation: 'readCommitted' } as const;

/** Each opens a store of its own. */
const runsOfModel = 5;

export function describeForwarding({ open, dispose }: ForwardingStores): void {
  describe('forwarded requests', () => {
    let forwarding: ForwardingStore;
    beforeEach(async () => {
      forwarding = await open();
    });
    afterEach(() => dispose(forwarding));

    const record = { requestHash: 'h', operation: 'disable', requestReference: 'A' };
    const pendingRequest = (id: string, parts: Partial<NewPendingRequest> = {}): NewPendingRequest => ({
      id,
      recordKey: `key of ${id}`,
      upstream: 'orders',
      service: 'Orders',
      operation: 'placeOrder',
      tenant: 'Demo',
      credential: 'c',
      process: 'host 1',
      input: '{"a":1}',
      inFlightMs,
      repeatableMs,
      ...parts,
    });
    const reserve = (parts: Partial<NewPendingRequest> = {}): Promise<void> =>
      forwarding.store.write(async (tx) => {
        const id = parts.id ?? 'A';
        const recordKey = `key of ${id}`;
        expect(
          await tx.idempotencyRecords.reservePending(recordKey, { ...record, requestReference: id }),
        ).toBeUndefined();
        await tx.pendingRequests.add(pendingRequest(id, parts));
      }, readCommitted);
    const found = () => forwarding.store.read((tx) => tx.idempotencyRecords.find('key of A'));
    const remove = (id: string, attempt?: string) =>
      forwarding.store.write(
        (tx) => tx.pendingRequests.remove({ id, recordKey: `key of ${id}` }, attempt),
        readCommitted,
      );
    const pass = (ms: number) => forwarding.pass(ms);

    test('one is in flight, then a retry may ask again, then it is unknown', async () => {
      await reserve();
      expect(await found()).toMatchObject({ requestHash: 'h', pending: { id: 'A', attempt: 'A', state: 'inFlight' } });
      await pass(inFlightMs);
      expect(await found()).toMatchObject({ pending: { state: 'repeatable' } });
      expect(await forwarding.unsettled.countUnknown()).toBe(0);
      await pass(repeatableMs);
      expect(await found()).toMatchObject({ pending: { state: 'unknown' } });
      expect(await forwarding.unsettled.countUnknown()).toBe(1);
    });
    test('one request takes over, and the earlier one can no longer withdraw it', async () => {
      await reserve();
      const pending = {
        id: 'A',
        recordKey: 'key of A',
        attempt: 'A',
        upstream: 'shop',
        state: 'repeatable',
        idleMs: 0,
      } as const;
      const takeOver = (by: string) =>
        forwarding.store.write((tx) => tx.pendingRequests.takeOver(pending, by, inFlightMs), readCommitted);
      expect(await takeOver('B')).toBe(false);
      await pass(inFlightMs);
      const taken = await Promise.all(['B', 'C', 'D'].map(takeOver));
      expect(taken.filter((each) => each)).toHaveLength(1);
      expect(await remove('A', 'A')).toBe(false);
      expect(await found()).toMatchObject({ pending: { state: 'inFlight' } });
    });
    test('an answer and an operator at once: one of them settles it, and the record has one outcome', async () => {
      for (let at = 0; at < 10; at += 1) {
        const id = `R${at}`;
        await reserve({ id });
        await pass(inFlightMs);
        const answered = forwarding.store.write(async (tx) => {
          const isOwn = await tx.pendingRequests.remove({ id, recordKey: `key of ${id}` });
          if (isOwn) await tx.idempotencyRecords.completePending(`key of ${id}`, 'answered');
          return isOwn;
        }, readCommitted);
        const [byAnswer, byOperator] = await Promise.all([
          answered,
          forwarding.unsettled.settle(id, at % 2 === 0 ? 'settled' : undefined),
        ]);
        expect([byAnswer, byOperator].filter((each) => each)).toHaveLength(1);
        const stored = await forwarding.store.read((tx) => tx.idempotencyRecords.find(`key of ${id}`));
        const settled = at % 2 === 0 ? { requestHash: 'h', outcome: 'settled' } : undefined;
        expect(stored).toEqual(byAnswer ? { requestHash: 'h', outcome: 'answered' } : settled);
      }
    });
    test.each([true, false])(
      'an answer that is copied to the record of another tenant is not opened: %s',
      async (isBound) => {
        const real = createRequestHasher(ring.index, 'test', undefined, { sealsAll: true });
        const one = { part: 'outcome', record: '', operation: '' } as const;
        // The control binds every outcome to the same place.
        const unbound = { seal: (text: string) => real.seal(text, one), open: (text: string) => real.open(text, one) };
        const hasher = isBound ? real : { ...real, ...unbound };
        const execute = createIdempotentExecutor<ReadTransaction, object>({
          ...{ store: forwarding.store, hasher, context: {}, wait: async () => {} },
        });
        const forward = async ({ caller }: AnyRequest) => ({ output: { response: `secret of ${caller.tenant}` } });
        const executor = executorOf<ReadTransaction, object>({
          ...{ kind: 'remote', upstream: 'orders', deduplicates: true, msMax: 1_000, forward },
        });
        const requestOf = (tenant: string): AnyRequest => ({
          ...{ service: recurringV25, operation: recurringV25.operations.get('disable')!, key: 'a-key' },
          input: { merchantAccount: 'Shop', shopperReference: tenant },
          caller: { credential: `ws@${tenant}`, tenant, roles: new Set(), grants: new Map(), requiresKey: false },
          requestReference: `REF-${tenant}`,
        });
        const [victim, attacker] = [requestOf('Victim'), requestOf('Attacker')];
        await execute(victim, executor);
        const recordKeyOf = ({ caller }: AnyRequest) => real.recordKey(caller, 'a-key');
        const stored = await forwarding.store.read((tx) => tx.idempotencyRecords.find(recordKeyOf(victim)));
        // What can write to the store gives the attacker a record with the answer to the other tenant.
        const copied = { id: 'copied', recordKey: recordKeyOf(attacker) };
        await forwarding.store.write(async (tx) => {
          const requestHash = real.requestHash(attacker as CanonicalRequest);
          await tx.idempotencyRecords.reservePending(copied.recordKey, { ...record, requestHash });
          await tx.pendingRequests.add(pendingRequest(copied.id, copied));
        }, readCommitted);
        await pass(inFlightMs);
        const { outcome } = stored as StoredOutcome;
        expect(outcome).not.toContain('secret');
        expect(await forwarding.unsettled.settle(copied.id, outcome)).toBe(true);
        const replayed = execute(attacker, executor);
        if (isBound) await expect(replayed).rejects.toThrow(SealBroken);
        else expect(await replayed).toMatchObject({ output: { response: 'secret of Victim' }, replayed: true });
        expect(await execute(victim, executor)).toMatchObject({
          output: { response: 'secret of Victim' },
          replayed: true,
        });
      },
    );
    test('an operator settles none that is in flight', async () => {
      await reserve();
      expect(await forwarding.unsettled.settle('A', 'settled')).toBe(false);
      expect(await found()).toMatchObject({ pending: { state: 'inFlight' } });
    });
    test('neither it nor its record expires; with an outcome the record does', async () => {
      await reserve();
      await forwarding.pass(daysMs, true);
      expect(await found()).toMatchObject({ pending: { state: 'unknown' } });
      expect(await forwarding.unsettled.settle('A', 'settled')).toBe(true);
      expect(await found()).toEqual({ requestHash: 'h', outcome: 'settled' });
      await forwarding.pass(daysMs, true);
      expect(await found()).toBeUndefined();
    });
    test('those of all credentials are listed by age and counted; one without a key is settled, and leaves no record', async () => {
      await reserve({ credential: 'd' });
      await pass(1_000);
      await reserve({ id: 'B' });
      await pass(1_000);
      await forwarding.store.write(
        (tx) => tx.pendingRequests.add(pendingRequest('C', { recordKey: undefined })),
        readCommitted,
      );
      const { unsettled } = forwarding;
      expect((await unsettled.list(2)).map(({ id }) => id)).toEqual(['A', 'B']);
      expect((await unsettled.list(9)).map(({ id }) => id)).toEqual(['A', 'B', 'C']);
      const counts = await unsettled.countByCredential();
      // One without a key counts towards no limit.
      expect(counts.toSorted((one, other) => one.credential.localeCompare(other.credential))).toEqual([
        { tenant: 'Demo', credential: 'c', requests: 1 },
        { tenant: 'Demo', credential: 'd', requests: 1 },
      ]);
      expect(await unsettled.find('B')).toMatchObject({ recordKey: 'key of B', process: 'host 1', input: '{"a":1}' });
      expect((await unsettled.find('C'))?.recordKey).toBeUndefined();
      await pass(inFlightMs);
      expect(await unsettled.settle('C', undefined)).toBe(true);
      expect(await unsettled.find('C')).toBeUndefined();
      expect(await unsettled.find('none')).toBeUndefined();
    });
    test('one that fails is left with its reason; a retry that asks again forgets it', async () => {
      await reserve();
      await forwarding.store.write(
        (tx) => tx.pendingRequests.leave({ id: 'A', recordKey: 'key of A' }, 'B', 'of another attempt'),
        readCommitted,
      );
      expect(await found()).toMatchObject({ pending: { state: 'inFlight' } });
      await forwarding.store.write(
        (tx) => tx.pendingRequests.leave({ id: 'A', recordKey: 'key of A' }, 'A', 'the connection broke'),
        readCommitted,
      );
      expect(await forwarding.unsettled.find('A')).toMatchObject({
        state: 'repeatable',
        failure: 'the connection broke',
      });
    });
    test('of two requests with one key at once, one is reserved', async () => {
      const reserved = await Promise.all(
        ['A', 'B', 'C'].map((id) =>
          forwarding.store
            .write(async (tx) => {
              const earlier = await tx.idempotencyRecords.reservePending('one key', {
                ...record,
                requestReference: id,
              });
              if (earlier === undefined) await tx.pendingRequests.add(pendingRequest(id, { recordKey: 'one key' }));
              return earlier === undefined;
            }, readCommitted)
            // A database may refuse one of two that wait for each other.
            .catch(() => false),
        ),
      );
      expect(reserved.filter((each) => each)).toHaveLength(1);
      expect(await forwarding.unsettled.list(9)).toHaveLength(1);
    });
    test('an unknown one is reported once, by one process', async () => {
      await reserve();
      const { unsettled } = forwarding;
      expect(await unsettled.takeUnreported()).toEqual([]);
      await pass(repeatableMs);
      const reported = await Promise.all([unsettled.takeUnreported(), unsettled.takeUnreported()]);
      expect(reported.flat()).toMatchObject([{ id: 'A', upstream: 'orders', input: '{"a":1}', state: 'unknown' }]);
      expect(await unsettled.takeUnreported()).toEqual([]);
    });
    test.each([
      ['deduplicates', true, false],
      ['does not', false, false],
      ['can be asked', false, true],
    ])('the model finds nothing, where the server %s', async (_, deduplicates, canBeAsked) => {
      for (let seed = 1; seed <= runsOfModel; seed += 1) {
        const own = await open();
        const run = new ForwardingRun({ over: own, seed, deduplicates, canBeAsked });
        const failures = await run.run();
        await dispose(own);
        if (failures.length > 0) throw new Error([`seed ${seed}`, ...failures, ...run.trace].join('\n'));
      }
    });
  });
}
