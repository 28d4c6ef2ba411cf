/** The store and the cache of a server with crash points, and on demand without idempotency records. */

import type { IdempotencyCache } from '../../../src/core/idempotency/ports.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { Transaction } from '../../../src/stores/transaction.ts';
import { override } from '../../support/override.ts';
import type { Point } from './crash-points.ts';

/** Called at each point. */
export type Pass = (point: Point) => void;

export function instrumentStore(store: Store, pass: Pass, { records }: { readonly records: boolean }): Store {
  const write: Store['write'] = async (work) => {
    const result = await store.write(async (transaction) => {
      const done = await work(instrumentTransaction(records ? transaction : withoutRecords(transaction), pass));
      pass('before the commit');
      return done;
    });
    pass('after the commit');
    return result;
  };
  return override(store, { write });
}

export function instrumentCache(cache: IdempotencyCache, pass: Pass): IdempotencyCache {
  return override<IdempotencyCache>(cache, {
    async reserve(recordKey) {
      pass('before the reservation');
      const reservation = await cache.reserve(recordKey);
      pass('after the reservation');
      return reservation;
    },
    async complete(recordKey) {
      pass('before caching');
      await cache.complete(recordKey);
      pass('after caching');
    },
  });
}

/** Every key is new to it, and no outcome is stored. */
function withoutRecords(transaction: Transaction): Transaction {
  return override(transaction, {
    idempotencyRecords: override(transaction.idempotencyRecords, {
      reserve: async () => undefined,
      complete: async () => {},
    }),
  });
}

function instrumentTransaction(transaction: Transaction, pass: Pass): Transaction {
  return override(transaction, {
    savepoint: (work) =>
      transaction.savepoint(async () => {
        pass('before the effect');
        const result = await work();
        pass('after the effect');
        return result;
      }),
  });
}
