/** A gateway inside a test: in memory, with a clock, identifiers, faults and a record of calls that the test controls. */
import { hash } from 'node:crypto';
import {
  type RunningGateway,
  type GatewayOptions as RunOptions,
  type StartedGateway,
  startGateway,
} from '../app/create-gateway.ts';
import { problemsOf } from '../contract/service.ts';
import { createIds } from '../lib/ids.ts';
import { openMemory } from '../store/sqlite/memory.ts';
import { type Call, CallLog } from './calls.ts';
import { Faults } from './faults.ts';
import { createSeededRandom } from './seeded-random.ts';
import { TestClock } from './test-clock.ts';

export interface GatewayOptions extends Omit<RunOptions, 'store'> {
  /** The same seed gives the same references, identifiers and numbers. By default 1. */
  readonly seed?: number;
  /** Where the clock stands still, as `Date` accepts it. Without it the clock follows that of the machine. */
  readonly clock?: string | number | Date;
}

export interface TestGateway extends RunningGateway {
  /** The calls since the start or the last reset, oldest first. */
  readonly calls: readonly Call[];
  readonly clock: Pick<TestClock, 'now' | 'advance' | 'set'>;
  readonly faults: Pick<Faults, 'next' | 'always' | 'clear'>;
  /** Returns to the state after the start: the data, the clock, the identifiers, the calls and the faults. */
  reset(): Promise<void>;
}

/** Throws ConfigError for settings, and TypeError for a clock that is no date. */
export async function createGateway({ seed = 1, clock: start, ...given }: GatewayOptions): Promise<TestGateway> {
  const options = { keys: keysOf(seed), ...given, settings: { LOG_LEVEL: 'silent', ...given.settings } };
  let started: StartedGateway | undefined;
  const clock = new TestClock(start, () => started?.backend.jobNotifier.notifyAll());
  const random = createSeededRandom(seed);
  const faults = new Faults(random.fraction, () => problemNames(started));
  const log = new CallLog(() => clock.now());
  const engine = openMemory(() => clock.now());
  started = await startGateway(options, {
    interceptor: faults.intercept,
    onAnswer: log.record,
    backend: { open: async () => engine, context: { clock, ids: createIds(random.byte) } },
  });
  const { gateway, backend } = started;
  await engine.snapshot();
  random.reset();
  return Object.freeze<TestGateway>({
    ...gateway,
    get calls() {
      return log.calls;
    },
    clock,
    faults,
    async reset() {
      await engine.restore();
      backend.credentials.forget?.();
      clock.reset();
      random.reset();
      faults.clear();
      log.clear();
    },
  });
}

/** The text of a key file. Aliases are derived from its keys, so they are those of the seed, too. */
function keysOf(seed: number): string {
  return ['k-test', 'index', 'pepper'].map((name) => `${name}:${hash('sha256', `${seed}:${name}`)}\n`).join('');
}

function problemNames(started: StartedGateway | undefined): ReadonlySet<string> {
  const services = started?.backend.services.implementations.map(({ service }) => service) ?? [];
  return new Set(services.flatMap((service) => [...problemsOf(service).keys()]));
}
