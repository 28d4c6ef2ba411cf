/** The controls of a demo. */
import type { Input } from '../../core/contract/index.ts';
import type { addTestFault, changeTestClock } from './contract.ts';

type ConsoleFault = Input<typeof addTestFault>;

/** What a fault can name. */
interface FaultVocabulary {
  readonly operations: readonly string[];
  readonly services: readonly string[];
  readonly formats: readonly string[];
  readonly problems: readonly string[];
}

/** The controls of a demo. Each method throws ControlRefused for a value that cannot be. */
export interface DemoControls {
  now(): number;
  reset(): Promise<void>;
  changeClock(change: Input<typeof changeTestClock>): void;
  faults(): readonly ConsoleFault[];
  vocabulary(): FaultVocabulary;
  addFault(fault: ConsoleFault): void;
  clearFaults(): void;
}

/** A control that cannot be; nothing was changed. */
export class ControlRefused extends Error {
  override readonly name = 'ControlRefused';
}
