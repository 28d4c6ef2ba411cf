/** What the model expects of a request: the answer in every format, and the effects in the store. */
import type { ProblemName } from '../resources/problems.ts';

export type Expected =
  | {
      readonly outcome: 'ok';
      readonly output: Readonly<Record<string, unknown>>;
      /** The ETag header of a resource. */
      readonly eTag?: string;
    }
  | Refusal;

/** A refusal that is stored and replayed. */
export interface Refusal {
  readonly outcome: ProblemName;
  readonly message: string;
}

export interface Step {
  readonly expected: Expected;
  /** What is written, as text and in no order. */
  readonly effects: readonly string[];
}
