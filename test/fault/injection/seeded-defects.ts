/** The store and the gate of a server as they are, with points at which the process may be struck, and on demand without the journal. */
import type { Gate } from '../../../src/idempotency/ports.ts';
import type { DetailStore, ImportUnit } from '../../../src/services/recurring/store/repository.ts';
import type { Point } from './points.ts';

/** Called at each passing. */
export type Pass = (point: Point) => void;

/** Every key is new to it, and nothing is kept. */
const blind = (unit: ImportUnit): ImportUnit => ({
  ...unit,
  claim: async () => undefined,
  settle: async () => {},
});

const woundedUnit = (unit: ImportUnit, pass: Pass): ImportUnit => ({
  ...unit,
  attempt: (work) =>
    unit.attempt(async () => {
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

export const woundedGate = (gate: Gate, pass: Pass): Gate =>
  Object.freeze<Gate>({
    async claim(scope, fingerprint) {
      pass('before the claim');
      const claim = await gate.claim(scope, fingerprint);
      pass('after the claim');
      return claim;
    },
    async settle(scope, kept) {
      pass('before the record');
      await gate.settle(scope, kept);
      pass('after the record');
    },
    release: (scope, ticket) => gate.release(scope, ticket),
    close: () => gate.close(),
  });
