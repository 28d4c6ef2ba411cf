/** Tests the limit on requests without an outcome: made-up credentials fill no store. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyRequest, ForwardedCaller } from '../../src/core/contract/canonical.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import { PendingLimit, type PendingLimitOptions } from '../../src/core/idempotency/pending-limit.ts';
import { NotSent, OutcomeUnknown } from '../../src/core/idempotency/ports.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { createUnsettledRequests, type UnsettledRequests } from '../../src/stores/sql/unsettled-requests.ts';
import type { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { createStore } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { ring } from '../support/fixture.ts';
import { openMigratedMemory } from '../support/migrated.ts';

let now: number;
let engine: SqliteEngine;
let unsettled: UnsettledRequests;
let references: number;

beforeEach(async () => {
  now = 1_000_000;
  references = 0;
  engine = await openMigratedMemory(() => now);
  unsettled = createUnsettledRequests(engine);
});
afterEach(() => engine.close());

type Max = Partial<Pick<PendingLimitOptions, 'perCredentialMax' | 'max'>>;

/** Sends a writing request of a credential to a server that does not deduplicate. `fail`: how it fails. `key`: null for none. */
const openGateway = (max: Max | undefined, fail: Error | 'none' = new OutcomeUnknown('reset')) => {
  const pendingLimit =
    max &&
    new PendingLimit({
      count: unsettled.countByCredential,
      perCredentialMax: 0,
      max: 0,
      monotonicMs: () => now,
      ...max,
    });
  const execute = createIdempotentExecutor<ReadTransaction, object>({
    store: createStore(engine),
    hasher: createRequestHasher(ring.index, 'test'),
    context: {},
    wait: async () => {},
    remote: { process: 'host 1', ...(pendingLimit && { pendingLimit }) },
  });
  return async (credential: string, key: string | null = randomUUID()): Promise<string> => {
    references += 1;
    const caller: ForwardedCaller = { credential, tenant: credential, requiresKey: false, rights: 'upstream' };
    const request: AnyRequest = {
      service: recurringV25,
      operation: recurringV25.operations.get('disable')!,
      input: { merchantAccount: 'Shop', shopperReference: 'anna' },
      caller,
      requestReference: `REF${String(references).padStart(13, '0')}`,
      key: key ?? undefined,
    };
    const forward = async () => {
      if (fail !== 'none') throw fail;
      return { output: { response: 'done' } };
    };
    try {
      await execute(
        request,
        executorOf({ kind: 'remote', upstream: 'payments', deduplicates: false, msMax: 30_000, forward }),
      );
      return 'ok';
    } catch (thrown) {
      if (thrown instanceof Problem) return thrown.problem;
      throw thrown;
    }
  };
};

const rowWithoutKey = {
  ...{ upstream: 'payments', service: 'Recurring', operation: 'disable', tenant: 'earlier', credential: 'earlier' },
  ...{ process: 'host 1', inFlightMs: 0, repeatableMs: 0 },
};

const repeat = async (times: number, send: (at: number) => Promise<string>): Promise<readonly string[]> => {
  const outcomes: string[] = [];
  for (let at = 0; at < times; at += 1) outcomes.push(await send(at));
  return outcomes;
};
const many = (count: number, outcome: string) => new Array<string>(count).fill(outcome);
const pending = async () => (await unsettled.list(1_000)).length;

describe('requests whose outcome is unknown', () => {
  test('of one credential are limited, and other credentials are not', async () => {
    const send = openGateway({ perCredentialMax: 3 });
    expect(await repeat(5, () => send('a'))).toEqual([...many(3, 'outcomeUnknown'), ...many(2, 'tooManyRequests')]);
    expect(await send('b')).toBe('outcomeUnknown');
    expect(await pending()).toBe(4);
  });

  test('of made-up credentials are limited together', async () => {
    const send = openGateway({ perCredentialMax: 3, max: 10 });
    const outcomes = await repeat(50, (at) => send(`made up ${at}`));
    expect(outcomes).toEqual([...many(10, 'outcomeUnknown'), ...many(40, 'overloaded')]);
    expect(await pending()).toBe(10);
  });

  test('grow without the limit (control)', async () => {
    const send = openGateway(undefined);
    expect(await repeat(50, (at) => send(`made up ${at}`))).toEqual(many(50, 'outcomeUnknown'));
    expect(await pending()).toBe(50);
  });

  test('a retry of a pending request is no further one, and a refused one frees its key', async () => {
    const send = openGateway({ perCredentialMax: 1 });
    expect(await send('a', 'key-1')).toBe('outcomeUnknown');
    expect(await send('a', 'key-2')).toBe('tooManyRequests');
    expect(await send('a', 'key-1')).toBe('outcomeUnknown');
    const [found] = await unsettled.list(1);
    now += 60_000;
    expect(await unsettled.settle(found!.id, undefined)).toBe(true);
    // The counts of the store are read again, in the background.
    await send('b');
    await new Promise(setImmediate);
    expect(await send('a', 'key-2')).toBe('outcomeUnknown');
  });

  test('without a key are not kept, and refuse nobody', async () => {
    const send = openGateway({ perCredentialMax: 1, max: 1 });
    expect(await repeat(50, () => send('a', null))).toEqual(many(50, 'outcomeUnknown'));
    expect(await pending()).toBe(0);
    expect(await send('a')).toBe('outcomeUnknown');
    // Rows of an earlier release.
    await createStore(engine).write((tx) => tx.pendingRequests.add({ ...rowWithoutKey, id: 'EARLIER' }));
    const limit = new PendingLimit({ count: unsettled.countByCredential, perCredentialMax: 1, max: 0 });
    await limit.refresh();
    expect(() => limit.add({ tenant: 'earlier', credential: 'earlier' })).not.toThrow();
    expect(() => limit.add({ tenant: 'a', credential: 'a' })).toThrow(Problem);
  });

  test('counts are those of all processes', async () => {
    await repeat(3, () => openGateway({ perCredentialMax: 3 })('a'));
    const limit = new PendingLimit({ count: unsettled.countByCredential, perCredentialMax: 3, max: 0 });
    await limit.refresh();
    expect(() => limit.add({ tenant: 'a', credential: 'a' })).toThrow(Problem);
    expect(() => limit.add({ tenant: 'b', credential: 'b' })).not.toThrow();
  });
});

test.each<[string, Error | 'none', string]>([
  ['that are answered', 'none', 'ok'],
  ['that were not sent', new NotSent('refused'), 'unavailable'],
  ['that are refused', new Problem('notAllowed'), 'notAllowed'],
])('requests %s do not count', async (_, fail, outcome) => {
  const send = openGateway({ perCredentialMax: 2, max: 2 }, fail);
  expect(await repeat(10, () => send('a'))).toEqual(many(10, outcome));
  expect(await repeat(10, (at) => send('a', `key ${at}`))).toEqual(many(10, outcome));
  expect(await pending()).toBe(0);
});
