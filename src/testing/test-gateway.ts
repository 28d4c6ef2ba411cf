/** A gateway inside a test: in memory, with a clock, identifiers, faults and a record of calls that the test controls. */
import { hash } from 'node:crypto';
import { type GatewayOptions, type RunningGateway, startGateway } from '../app/create-gateway.ts';
import { openMemory } from '../store/sqlite/memory.ts';
import { prepareControls, type TestControls } from './controls.ts';
import { createSeededRandom } from './seeded-random.ts';

/** The options of a gateway inside a test; it is in memory. */
export interface TestGatewayOptions extends Omit<GatewayOptions, 'store'> {
  /** The same seed gives the same references, identifiers and numbers. By default 1. */
  readonly seed?: number;
  /** Where the clock stands still, as `Date` accepts it. Without it the clock follows that of the machine. */
  readonly clock?: string | number | Date;
}

/** A gateway whose clock, faults and data a test controls. */
export interface TestGateway extends RunningGateway, TestControls {}

/** Starts a gateway in memory. Throws ConfigError for settings, and TypeError for a clock that is no date. */
export async function createGateway({ seed = 1, clock, ...given }: TestGatewayOptions): Promise<TestGateway> {
  const options = { keys: keysOf(seed), ...given, settings: { LOG_LEVEL: 'silent', ...given.settings } };
  const prepared = prepareControls({ clock, random: createSeededRandom(seed), open: openMemory });
  const { gateway, backend } = await startGateway(options, { ...prepared.overrides, backend: prepared.backend });
  const controls = await prepared.connect(backend);
  const { clock: running, faults, reset } = controls;
  return Object.freeze<TestGateway>({
    ...gateway,
    get calls() {
      return controls.calls;
    },
    clock: running,
    faults,
    reset,
  });
}

/** The text of a key file. Aliases are derived from its keys, so they are those of the seed, too. */
function keysOf(seed: number): string {
  return ['k-test', 'index', 'pepper'].map((name) => `${name}:${hash('sha256', `${seed}:${name}`)}\n`).join('');
}
