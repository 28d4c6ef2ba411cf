/** The store and the gate of a server as they are, with points at which the process may be struck, and on demand without the journal. */
import type { IdempotencyCache } from '../../../src/idempotency/ports.ts';
import type { DetailStore, ImportTransaction } from '../../../src/services/recurring/store/repository.ts';
import type { Point } from './points.ts';

/** Called at each passing. */
export type Pass = (point: Point) => void;

/** Every key is new to it, and nothing is kept. */
const blind = (unit: ImportTransaction): ImportTransaction => ({
  ...unit,
  reserve: async () => undefined,
  complete: async () => {},
});

const woundedUnit = (unit: ImportTransaction, pass: Pass): ImportTransaction => ({
  ...unit,
  savepoint: (work) =>
    unit.savepoint(async () => {
      pass('before the effect');
      const result = await work();
      pass('after the effect');
      return result;
    }),
});

export const woundedStore = (store: DetailStore, pass: Pass, { journal }: { readonly journal: boolean }): DetailStore =>
  Object.freeze<DetailStore>({
    ...store,
    async write(work) {
      const result = await store.write(async (unit) => {
        const done = await work(woundedUnit(journal ? unit : blind(unit), pass));
        pass('before the commit');
        return done;
      });
      pass('after the commit');
      return result;
    },
  });

export const woundedGate = (gate: IdempotencyCache, pass: Pass): IdempotencyCache =>
  Object.freeze<IdempotencyCache>({
    async reserve(scope, fingerprint) {
      pass('before the claim');
      const claim = await gate.reserve(scope, fingerprint);
      pass('after the claim');
      return claim;
    },
    async complete(scope, kept) {
      pass('before the record');
      await gate.complete(scope, kept);
      pass('after the record');
    },
    release: (scope, ticket) => gate.release(scope, ticket),
    close: () => gate.close(),
  });
