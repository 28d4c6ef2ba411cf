/** What a test controls in a gateway: its clock, identifiers, faults, calls, and the way back to the start. */

import { credentialSecrets, credentials } from '../../access/index.ts';
import type { Backend, BackendOptions } from '../../backend/index.ts';
import { createIds } from '../../core/lib/index.ts';
import type { SqliteEngine } from '../../stores/sqlite/index.ts';
import type { StartOverrides } from '../app/create-gateway.ts';
import { type Call, CallLog } from './calls.ts';
import { faultNamesOf } from './fault.ts';
import { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import { TestClock } from './test-clock.ts';

/** What a test controls. */
export interface TestControls {
  /** The calls since the start or the last reset, oldest first. */
  readonly calls: readonly Call[];
  readonly clock: TestClock;
  readonly faults: Faults;
  /** Returns to the state after the start: the data, the clock, the identifiers, the calls and the faults. Credentials that were added stay. */
  reset(): Promise<void>;
}

/** @internal */
interface ControlOptions {
  /** Where the clock stands still. Without it the clock follows that of the machine. */
  readonly clock?: string | number | Date | undefined;
  readonly random: SeededRandom;
  /** Opens the store. `now`: the clock of the database. */
  readonly open: (now: () => number) => SqliteEngine | Promise<SqliteEngine>;
}

/**
 * The controls of a gateway that is not started yet.
 * @internal
 */
export interface PreparedControls {
  readonly backend: Required<Pick<BackendOptions, 'open' | 'context'>>;
  readonly overrides: Required<Pick<StartOverrides, 'interceptor' | 'observer'>>;
  /** Remembers the state of the store as that of the start. */
  connect(backend: Backend): Promise<TestControls>;
}

/** @internal */
export function prepareControls({ clock: start, random, open }: ControlOptions): PreparedControls {
  let backend: Backend | undefined;
  const clock = new TestClock(start, () => backend?.jobNotifier.notifyAll());
  const faults = new Faults(random.fraction, () =>
    faultNamesOf(backend?.services.implementations.map(({ service }) => service) ?? []),
  );
  const log = new CallLog(() => clock.now());
  let engine: SqliteEngine | undefined;
  return {
    backend: {
      open: async () => {
        engine = await open(() => clock.now());
        return engine;
      },
      context: { clock, ids: createIds(random.byte) },
    },
    overrides: { interceptor: faults.intercept, observer: log },
    async connect(started) {
      backend = started;
      await engine?.snapshot();
      random.reset();
      return {
        get calls() {
          return log.calls;
        },
        clock,
        faults,
        async reset() {
          await engine?.restore([credentials, credentialSecrets]);
          started.credentials.forget?.();
          clock.reset();
          random.reset();
          faults.clear();
          log.clear();
        },
      };
    },
  };
}
