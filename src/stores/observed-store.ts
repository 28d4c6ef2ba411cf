/** Tells observers of the reads and transactions of requests. */
import { runInStep, type WithinStep } from '../core/gateway/index.ts';
import type { Dialect } from './sql/engine.ts';
import type { Store } from './store.ts';

/** Returns the store with its work observed as steps. It passes on the trace of a request with its events. */
export function observeStore(store: Store, dialect: Dialect, within: WithinStep | undefined): Store {
  if (within === undefined) return store;
  return Object.freeze<Store>({
    read: (work) =>
      within(
        () => ({ name: 'read', dialect }),
        // Another request may run the work of this one, as in a common transaction.
        (step) => store.read(step === undefined ? work : (tx) => runInStep(step, () => work(tx))),
      ),
    write: (work, options) =>
      within(
        () => ({ name: 'transaction', dialect }),
        (step) => {
          if (step === undefined) return store.write(work, options);
          return store.write((tx) => {
            if (step.traceparent !== undefined) tx.outbox.traceparent = step.traceparent;
            return runInStep(step, () => work(tx));
          }, options);
        },
      ),
  });
}
