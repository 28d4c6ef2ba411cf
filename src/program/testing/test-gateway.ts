/** Adds controls to a gateway inside a test: it is in memory, with a clock, identifiers, faults and a record of calls that the test controls. */
import { hash } from 'node:crypto';
import { openMemory } from '../../stores/sqlite/index.ts';
import type { ControlledOptions, GatewayOptions, RunningGateway } from '../app/create-gateway.ts';
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

/** Returns options for `createGateway`: its gateway has the controls besides. Throws TypeError for a clock that is no date. */
export function withControls({ seed = 1, clock, ...given }: TestGatewayOptions): ControlledOptions<TestControls> {
  const { backend, overrides, connect } = prepareControls({
    clock,
    random: createSeededRandom(seed),
    open: openMemory,
  });
  return {
    keys: keysOf(seed),
    ...given,
    settings: { LOG_LEVEL: 'silent', ...given.settings },
    controls: { overrides: { ...overrides, backend }, connect },
  };
}

/** The text of a key file. Aliases are derived from its keys, so they are those of the seed, too. */
function keysOf(seed: number): string {
  return ['k-test', 'index', 'pepper'].map((name) => `${name}:${hash('sha256', `${seed}:${name}`)}\n`).join('');
}
