/** Idempotent execution over a store and a cache in memory: which requests run a handler, and what a retry gets. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import {
  type BoundHandler,
  type CacheReservation,
  type IdempotencyCache,
  type IdempotentTransaction,
  type LocalHandler,
  type ReadingTransaction,
  RecordStored,
  type RequestHasher,
  type StoredOutcome,
} from '../../src/core/idempotency/ports.ts';
import type { ExecutionResult } from '../../src/core/idempotency/replay.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { noCache } from '../support/no-cache.ts';
import { override } from '../support/override.ts';

const caller: Caller = {
  credential: 'c',
  tenant: 'Demo',
  roles: new Set<string>(),
  grants: new Map<string, Set<string>>(),
  requiresKey: false,
};
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'anna' };

let references = 0;
const request = (parts: Partial<CanonicalRequest> & { readonly name?: string } = {}): CanonicalRequest => {
  const { name = 'disable', ...rest } = parts;
  references += 1;
  return {
    service: recurringV25,
    operation: recurringV25.operations.get(name)!,
    input,
    caller,
    requestReference: String(references).padStart(16, '0'),
    key: 'a-key',
    ...rest,
  } as CanonicalRequest;
};

const unexpected = async (): Promise<never> => {
  throw new Error('no other server is asked here');
};
const ofRemoteOperations = {
  reservePending: unexpected,
  completePending: unexpected,
  removePending: unexpected,
  add: unexpected,
  takeOver: unexpected,
  remove: unexpected,
  leave: unexpected,
};

/** Records of committed transactions; a transaction that throws leaves none. */
class MemoryStore {
  readonly records = new Map<string, StoredOutcome>();
  reads = 0;
  transactions = 0;

  read = async <T>(work: (tx: ReadingTransaction) => Promise<T>): Promise<T> => {
    this.reads += 1;
    return work({ idempotencyRecords: { find: async (recordKey) => this.records.get(recordKey) } });
  };

  write = async <T>(work: (tx: IdempotentTransaction) => Promise<T>): Promise<T> => {
    this.transactions += 1;
    const added = new Map<string, StoredOutcome>();
    const hashes = new Map<string, string>();
    const result = await work({
      idempotencyRecords: {
        find: async (recordKey) => this.records.get(recordKey),
        reserve: async (recordKey, { requestHash }) => {
          hashes.set(recordKey, requestHash);
          if (this.records.has(recordKey)) throw new RecordStored();
        },
        complete: async (recordKey, outcome) => {
          added.set(recordKey, { requestHash: hashes.get(recordKey)!, outcome });
        },
        ...ofRemoteOperations,
      },
      pendingRequests: ofRemoteOperations,
      savepoint: (savepoint) => savepoint(),
    });
    for (const [recordKey, stored] of added) this.records.set(recordKey, stored);
    return result;
  };
}

let store: MemoryStore;
let handled: unknown[];
let lookups: string[];
let handle: () => Promise<unknown>;
let isTwoPhase: boolean;

const handlerOf = ({ operation }: CanonicalRequest): BoundHandler<ReadingTransaction, object> => {
  const plain: LocalHandler<ReadingTransaction, object> = {
    handle: async (_, __, ___, lookupResult) => {
      if (operation.effect === 'writes') handled.push(lookupResult);
      return handle();
    },
  };
  if (!isTwoPhase) return { kind: 'plain', ...plain };
  return {
    kind: 'twoPhase',
    ...plain,
    lookup: async (_, __, ___, id) => {
      lookups.push(id);
      return 'found';
    },
  };
};

const hasher: RequestHasher = {
  recordKey: ({ tenant }, key) => `${tenant} ${key}`,
  upstreamKey: (recordKey) => `upstream ${recordKey}`,
  requestHash: ({ operation, input }) => JSON.stringify([operation.name, input]),
  seal: (text) => text,
  open: (text) => text,
};

type Execute = (request: CanonicalRequest) => Promise<ExecutionResult>;

const open = (cache?: IdempotencyCache, wait: () => Promise<unknown> = async () => {}): Execute => {
  const execute = createIdempotentExecutor({ store, cache, hasher, context: {}, wait });
  return (sent) => execute(sent, executorOf(handlerOf(sent)));
};

const problemOf = async (executed: Promise<unknown>): Promise<string> => {
  try {
    await executed;
  } catch (thrown) {
    return (thrown as Problem).problem;
  }
  return 'none';
};

beforeEach(() => {
  store = new MemoryStore();
  handled = [];
  lookups = [];
  isTwoPhase = false;
  handle = async () => ({ response: `number ${handled.length}` });
});

describe('a request with a key', () => {
  test('runs its handler once; retries get its outcome, in this process and in another one', async () => {
    const execute = open();
    const first = request();
    expect(await execute(first)).toEqual({
      requestReference: first.requestReference,
      output: { response: 'number 1' },
      replayed: false,
    });
    const replay = { requestReference: first.requestReference, output: { response: 'number 1' }, replayed: true };
    expect(await execute(request())).toEqual(replay);
    expect(await open()(request())).toEqual(replay);
    expect(handled).toHaveLength(1);
  });
  test('is refused where the key was used for another request', async () => {
    const execute = open();
    await execute(request());
    const other = () => request({ input: { ...input, shopperReference: 'bert' } as CanonicalRequest['input'] });
    expect(await problemOf(execute(other()))).toBe('keyReused');
    expect(await problemOf(open()(other()))).toBe('keyReused');
    expect(handled).toHaveLength(1);
  });
  test('stores the refusal of a handler as the outcome', async () => {
    handle = async () => {
      throw new Problem(recurringProblems.contractNotFound);
    };
    const execute = open();
    const first = await execute(request());
    expect([first.problem?.problem, first.replayed]).toEqual(['contractNotFound', false]);
    const again = await open()(request());
    expect([again.problem?.problem, again.replayed, again.requestReference]).toEqual([
      'contractNotFound',
      true,
      first.requestReference,
    ]);
    expect(handled).toHaveLength(1);
  });
  test('stores no failure: the retry runs the handler again', async () => {
    const execute = open();
    const works = handle;
    handle = async () => {
      throw new Error('the disk is full');
    };
    await expect(execute(request())).rejects.toThrow('the disk is full');
    expect(store.records.size).toBe(0);
    handle = works;
    expect(await execute(request())).toMatchObject({ replayed: false });
    expect(handled).toHaveLength(2);
  });
  test('waits briefly for the one in flight, and is then refused', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    handle = () => promise;
    const patience = Promise.withResolvers<void>();
    const execute = open(undefined, () => patience.promise);
    const first = execute(request());
    const joined = execute(request());
    resolve({ response: 'done' });
    expect(await first).toMatchObject({ replayed: false });
    expect(await joined).toMatchObject({ replayed: true, output: { response: 'done' } });

    const endless = Promise.withResolvers<unknown>();
    handle = () => endless.promise;
    const second = execute(request({ key: 'another-key' }));
    const late = problemOf(execute(request({ key: 'another-key' })));
    patience.resolve();
    expect(await late).toBe('inProgress');
    endless.resolve({ response: 'late' });
    expect(await second).toMatchObject({ replayed: false });
  });
  test('is not answered from memory: a record that the database has lost is lost with its effect', async () => {
    const execute = open(override(noCache, { reserve: async () => ({ kind: 'completed' }) }));
    const first = await execute(request());
    store.records.clear();
    const again = await execute(request());
    expect([again.replayed, again.output]).toEqual([false, { response: 'number 2' }]);
    expect(again.requestReference).not.toBe(first.requestReference);
    expect(await execute(request())).toEqual({ ...again, replayed: true });
  });
  test('reads the record once for all that waited, after the one in flight has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    handle = () => promise;
    const execute = open(undefined, () => new Promise(() => {}));
    const first = execute(request());
    const waiting = Array.from({ length: 5 }, () => execute(request()));
    const other = problemOf(execute(request({ input: { ...input, shopperReference: 'bert' } as never })));
    resolve({ response: 'done' });
    expect(await first).toMatchObject({ replayed: false });
    for (const each of waiting) expect(await each).toMatchObject({ replayed: true, output: { response: 'done' } });
    expect(await other).toBe('keyReused');
    // One for the six.
    expect(store.reads).toBe(1);
    expect(handled).toHaveLength(1);
  });
  test('a new key costs no read, and one that this process has answered no transaction', async () => {
    const [first, other] = [open(), open()];
    await first(request());
    expect([store.reads, store.transactions]).toEqual([0, 1]);
    expect(await first(request())).toMatchObject({ replayed: true });
    expect([store.reads, store.transactions]).toEqual([1, 1]);
    // Another process finds out in its transaction that there is a record, and only reads it from then on.
    for (const counts of [
      [2, 2],
      [3, 2],
    ]) {
      expect(await other(request())).toMatchObject({ replayed: true });
      expect([store.reads, store.transactions]).toEqual(counts);
    }
    expect(handled).toHaveLength(1);
  });
  test('waits for a replay in flight, however long its read takes', async () => {
    const execute = open();
    await execute(request());
    const { promise, resolve } = Promise.withResolvers<void>();
    const read = store.read;
    store.read = async (work) => {
      await promise;
      return read(work);
    };
    const both = [execute(request()), execute(request())];
    // Its wait would be over by now.
    await new Promise(setImmediate);
    resolve();
    for (const each of both) expect(await each).toMatchObject({ replayed: true });
  });
  test('is refused where the one in flight has failed', async () => {
    const { promise, reject } = Promise.withResolvers<unknown>();
    handle = () => promise;
    const execute = open(undefined, () => new Promise(() => {}));
    const first = execute(request());
    const second = problemOf(execute(request()));
    reject(new Error('the disk is full'));
    await expect(first).rejects.toThrow('the disk is full');
    expect(await second).toBe('inProgress');
  });
  test('looks up before its transaction, and never for a retry', async () => {
    isTwoPhase = true;
    await open()(request());
    expect([lookups, handled]).toEqual([['Demo a-key'], ['found']]);
    expect(await open()(request())).toMatchObject({ replayed: true });
    expect(lookups).toHaveLength(1);
  });
});

describe('the shared cache', () => {
  const completed: string[] = [];
  const released: string[] = [];
  const cacheWith = (reservation: CacheReservation): IdempotencyCache =>
    override(noCache, {
      reserve: async () => reservation,
      complete: async (recordKey) => void completed.push(recordKey),
      release: async (_, token) => void released.push(token),
    });
  beforeEach(() => {
    completed.length = 0;
    released.length = 0;
  });

  test('spares a new key the read, and a retry the transaction', async () => {
    await open(cacheWith({ kind: 'reserved', token: 't' }))(request());
    expect([completed, released]).toEqual([['Demo a-key'], []]);
    expect([store.reads, store.transactions]).toEqual([0, 1]);
    expect(await open(cacheWith({ kind: 'completed' }))(request())).toMatchObject({ replayed: true });
    expect([store.reads, store.transactions]).toEqual([1, 1]);
    expect(completed).toHaveLength(1);
  });
  test('may have lost the key: the transaction finds the record', async () => {
    await open()(request());
    expect(await open(cacheWith({ kind: 'reserved', token: 't' }))(request())).toMatchObject({ replayed: true });
    expect([completed, released, handled.length]).toEqual([['Demo a-key'], [], 1]);
  });
  test('answers nothing while the store does not, and releases its reservation', async () => {
    const away = new Error('the store is away');
    const execute = (reservation: CacheReservation) => open(cacheWith(reservation))(request());
    store.read = () => Promise.reject(away);
    store.write = () => Promise.reject(away);
    for (const kind of ['completed', 'unknown'] as const) await expect(execute({ kind })).rejects.toBe(away);
    await expect(execute({ kind: 'reserved', token: 't' })).rejects.toBe(away);
    expect([completed, released]).toEqual([[], ['t']]);
  });
  test('refuses a request in flight in another process, but not an old reservation', async () => {
    const inFlight = (ageMs: number) => cacheWith({ kind: 'inFlight', ageMs });
    expect(await problemOf(open(inFlight(100))(request()))).toBe('inProgress');
    expect(handled).toHaveLength(0);
    expect(await open(inFlight(5_000))(request())).toMatchObject({ replayed: false });
  });
  test('releases the reservation after a failure', async () => {
    handle = async () => {
      throw new Error('no');
    };
    await expect(open(cacheWith({ kind: 'reserved', token: 't' }))(request())).rejects.toThrow('no');
    expect([completed, released]).toEqual([[], ['t']]);
  });
  test('falls back to the store during an outage', async () => {
    const execute = () => open(cacheWith({ kind: 'unknown' }))(request());
    expect(await execute()).toMatchObject({ replayed: false });
    expect(await execute()).toMatchObject({ replayed: true });
    expect(handled).toHaveLength(1);
  });
});

describe('a request without a key', () => {
  test('runs each time, and stores no record', async () => {
    const execute = open();
    for (const response of ['number 1', 'number 2'])
      expect(await execute(request({ key: undefined }))).toMatchObject({ output: { response }, replayed: false });
    expect(store.records.size).toBe(0);
  });
  test('throws the refusal of its handler', async () => {
    handle = async () => {
      throw new Problem(recurringProblems.contractNotFound);
    };
    expect(await problemOf(open()(request({ key: undefined })))).toBe('contractNotFound');
  });
  test('passes the lookup to its handler, under its own reference', async () => {
    isTwoPhase = true;
    const unkeyed = request({ key: undefined });
    await open()(unkeyed);
    expect([lookups, handled]).toEqual([[unkeyed.requestReference], ['found']]);
  });
});

test('a read runs each time, even with a key', async () => {
  const execute = open();
  const list = () => execute(request({ name: 'listRecurringDetails' }));
  expect(await list()).toMatchObject({ replayed: false });
  expect(await list()).toMatchObject({ replayed: false });
  expect([store.transactions, store.records.size]).toEqual([0, 0]);
});
