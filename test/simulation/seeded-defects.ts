/** Gateways with one defect each. The simulation has to find every one of them, or it would prove nothing. */
import { Problem } from '../../src/core/contract/problem.ts';
import { type NewRecord, RecordStored, type StoredOutcome } from '../../src/core/idempotency/ports.ts';
import type { EventBatch } from '../../src/stores/jobs/webhooks/event.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Transaction } from '../../src/stores/transaction.ts';
import { resources } from '../resources/services.ts';
import { override } from '../support/override.ts';
import { type OutcomeMemory, overrideRecords, rememberOutcomes } from '../support/remembering-store.ts';
import type { CacheServer } from './cache-server.ts';
import type { RunParts, Variant } from './process.ts';
import type { SystemVariant } from './simulate.ts';

export interface SeededDefect extends SystemVariant {
  /** The failure that the auditor reports. */
  readonly symptom: RegExp;
}

type Work<T> = (transaction: Transaction) => Promise<T>;

/** Rolls the transaction back, and carries the result of its work. */
class RolledBack<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('rolled back by a seeded defect');
    this.value = value;
  }
}

/** Rolls the transaction back where `isWanted`, and returns the result of its work all the same. */
async function writeAndRollBack<T>(store: Store, work: Work<T>, isWanted: () => boolean): Promise<T> {
  try {
    return await store.write(async (transaction) => {
      const value = await work(transaction);
      if (isWanted()) throw new RolledBack(value);
      return value;
    });
  } catch (thrown) {
    if (thrown instanceof RolledBack) return thrown.value;
    throw thrown;
  }
}

const withWrite =
  (write: (store: Store) => Store['write']): Variant =>
  (parts) => ({ ...parts, store: override(parts.store, { write: write(parts.store) }) });

const neverReserved = async () => {};
const ignore = async () => {};

const withoutRecords = withWrite(
  (store) => (work) =>
    store.write((transaction) => work(overrideRecords(transaction, { reserve: neverReserved, complete: ignore }))),
);

/** The record is looked up before the effect, and written after it. */
const recordAfterEffect = withWrite((store) => async <T>(work: Work<T>) => {
  let record: readonly [string, NewRecord] | undefined;
  let outcome = '';
  const lookup = await writeAndRollBack(
    store,
    (transaction) =>
      work(
        overrideRecords(transaction, {
          reserve: async (key, entry) => {
            await transaction.idempotencyRecords.reserve(key, entry);
            record = [key, entry];
          },
        }),
      ),
    () => record !== undefined,
  );
  if (record === undefined) return lookup;
  const [key, entry] = record;
  const complete = async (_: string, text: string) => {
    outcome = text;
  };
  const result = await store.write((transaction) =>
    work(overrideRecords(transaction, { reserve: neverReserved, complete })),
  );
  const completed = store.write(async (transaction) => {
    await transaction.idempotencyRecords.reserve(key, entry);
    await transaction.idempotencyRecords.complete(key, outcome);
  });
  await completed.catch((thrown: unknown) => {
    if (!(thrown instanceof RecordStored)) throw thrown;
  });
  return result;
});

const withoutRequestHash: Variant = (parts) => ({
  ...parts,
  requestHasher: override(parts.requestHasher, { requestHash: () => 'x'.repeat(43) }),
});

/** A granted reservation of the cache outweighs the stored record, and reservations of other requests are released. */
const trustedCache: Variant = (parts, run) => {
  const granted = new Set<string>();
  const { cache } = parts;
  const withStore = withWrite(
    (store) => (work) =>
      store.write((transaction) =>
        work(
          overrideRecords(transaction, {
            reserve: async (key, entry) => {
              const isStored = (await transaction.idempotencyRecords.find(key)) !== undefined;
              if (!granted.delete(key) || !isStored) await transaction.idempotencyRecords.reserve(key, entry);
            },
          }),
        ),
      ),
  )(parts, run);
  return {
    ...withStore,
    cache: override(cache, {
      reserve: async (key) => {
        const reservation = await cache.reserve(key);
        if (reservation.kind === 'reserved') granted.add(key);
        return reservation;
      },
      release: async (key) => run.cacheServer.remove(key),
    }),
  };
};

/** Outcomes by record key, each with the virtual time at which it was saved. */
type Memory = Map<string, { readonly stored: StoredOutcome; readonly savedAt: number }>;

/** A memory that all processes of a run share. */
const sharedMemories = new WeakMap<CacheServer, Memory>();
function sharedMemory({ cacheServer }: RunParts): Memory {
  const memory: Memory = sharedMemories.get(cacheServer) ?? new Map();
  sharedMemories.set(cacheServer, memory);
  return memory;
}

interface Remembering {
  readonly memoryOf: (run: RunParts) => Memory;
  readonly beforeCommit?: boolean;
  readonly msMax?: number;
}

const remembering =
  ({ memoryOf, beforeCommit = false, msMax = Number.POSITIVE_INFINITY }: Remembering): Variant =>
  (parts, run) => {
    const entries = memoryOf(run);
    const memory: OutcomeMemory = {
      async find(recordKey) {
        const { stored, savedAt = 0 } = entries.get(recordKey) ?? {};
        return run.now() - savedAt < msMax ? stored : undefined;
      },
      save: async (recordKey, stored) => entries.set(recordKey, { stored, savedAt: run.now() }),
    };
    return { ...parts, store: rememberOutcomes(parts.store, memory, { beforeCommit }) };
  };

const answeredBeforeCommit = withWrite(
  (store) =>
    <T>(work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        store
          .write(async (transaction) => {
            const result = await work(transaction);
            resolve(result);
            return result;
          })
          .catch(reject);
      }),
);

const refusalsNotStored = withWrite((store) => async (work) => {
  let isRefusal = false;
  const watched = (transaction: Transaction): Transaction =>
    overrideRecords(transaction, {
      complete: (key, outcome) => {
        isRefusal = outcome.includes('"problem"');
        return transaction.idempotencyRecords.complete(key, outcome);
      },
    });
  return writeAndRollBack(
    store,
    (transaction) => work(watched(transaction)),
    () => isRefusal,
  );
});

/** A process that dies between the two transactions loses the events. */
const eventsAfterEffect = withWrite((store) => async (work) => {
  const batches: EventBatch[] = [];
  const result = await store.write((transaction) => {
    batches.length = 0;
    return work(
      override(transaction, {
        outbox: override(transaction.outbox, {
          enqueue: async (batch) => {
            batches.push(batch);
          },
        }),
      }),
    );
  });
  for (const batch of batches) await store.write((transaction) => transaction.outbox.enqueue(batch));
  return result;
});

/** The change that was requested has an event; changes that follow from it have none. */
const onlyFirstEvent = withWrite(
  (store) => (work) =>
    store.write((transaction) =>
      work(
        override(transaction, {
          outbox: override(transaction.outbox, {
            enqueue: (batch) => transaction.outbox.enqueue({ ...batch, events: batch.events.slice(0, 1) }),
          }),
        }),
      ),
    ),
);

/** The request hash of each key that is reserved in the cache. */
const owners = new WeakMap<CacheServer, Map<string, string>>();

/** A request in flight decides which request the key belongs to, although it may never commit. */
const runningRequestTrusted: Variant = (parts, { cacheServer }) => {
  const hashes = owners.get(cacheServer) ?? new Map<string, string>();
  owners.set(cacheServer, hashes);
  let requestHash = '';
  return {
    ...parts,
    requestHasher: override(parts.requestHasher, {
      requestHash: (request) => {
        requestHash = parts.requestHasher.requestHash(request);
        return requestHash;
      },
    }),
    cache: override(parts.cache, {
      // The gateway reserves a key right after it has computed the hash of the request.
      reserve: async (key) => {
        const own = requestHash;
        const reservation = await parts.cache.reserve(key);
        if (reservation.kind === 'reserved') hashes.set(key, own);
        if (reservation.kind === 'inFlight' && hashes.get(key) !== own) throw new Problem('keyReused');
        return reservation;
      },
    }),
  };
};

const executedTwice = /is executed, after .* under the same key/;
const eventMissing = /wrote .* instead of .*event /;
const followingEventMissing = /wrote .*change account_holder .* instead of .*event accountHolder /;
const tables = resources.flatMap((resource) => resource.tables).join('|');
/** Two transactions did not see each other: a holder is closed, say, while an account is created under it. */
const conflictCommitted = new RegExp(`wrote (add|change) (${tables}) .* instead of `);
const effectMissing = /is answered \w+ for what was never executed/;
/** Half of a transaction, or one that is executed again. */
const failedMemberKept = /wrote .* instead of |is executed, after .* under the same key|written without a request/;

export const seededDefects: Readonly<Record<string, SeededDefect>> = Object.freeze({
  'no idempotency records, only the cache': { variant: withoutRecords, symptom: executedTwice },
  'the record is written in a transaction of its own, after the effect': {
    variant: recordAfterEffect,
    symptom: executedTwice,
  },
  'the request hash is not compared': { variant: withoutRequestHash, symptom: /has the answer of/ },
  'the cache is trusted, and reservations of other requests are released': {
    variant: trustedCache,
    symptom: executedTwice,
  },
  'the outcome is remembered before the commit': {
    variant: remembering({ memoryOf: sharedMemory, beforeCommit: true }),
    symptom: effectMissing,
  },
  'outcomes are remembered after the commit': {
    variant: remembering({ memoryOf: sharedMemory }),
    symptom: /is answered \w+ for what the database has lost/,
  },
  'a process remembers outcomes for a minute': {
    variant: remembering({ memoryOf: () => new Map(), msMax: 60_000 }),
    symptom: /is answered \w+ for what has expired/,
  },
  'the answer is sent before the commit': { variant: answeredBeforeCommit, symptom: effectMissing },
  'refusals are not stored': { variant: refusalsNotStored, symptom: effectMissing },
  'a request in flight decides which request the key belongs to': {
    variant: runningRequestTrusted,
    symptom: /the key was used for only this request/,
  },
  'events are enqueued in a transaction of their own, after the effect': {
    variant: eventsAfterEffect,
    symptom: eventMissing,
  },
  'only the first change has an event': { variant: onlyFirstEvent, symptom: followingEventMissing },
  'the database does not isolate transactions: two executions': { unvalidated: true, symptom: executedTwice },
  'the database does not isolate transactions: a rule is broken': { unvalidated: true, symptom: conflictCommitted },
  'a member of a group is answered before the commit': { groupDefect: 'early answer', symptom: effectMissing },
  'the members of a group that another one rolled back are answered': {
    groupDefect: 'lost group',
    symptom: effectMissing,
  },
  'a group keeps what a failed member wrote': { groupDefect: 'failed member stays', symptom: failedMemberKept },
});
