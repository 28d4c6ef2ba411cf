/** What the gateway asks about each call: whether it is deprecated, what its answer says of that, and whether it is refused. */
import type { DeprecationNotice, Problem } from '../contract/index.ts';

/** What rules look at. What is not known yet matches no rule that names it. */
export interface CallFacts {
  readonly format: string;
  readonly version?: number | undefined;
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly credential?: string | undefined;
}

export interface Deprecation {
  /** Absent for a call that all its rules exempt. */
  readonly notice?: DeprecationNotice | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Why the call is refused now; absent where it is served. */
  readonly refusal?: Problem | undefined;
}

export interface Deprecations {
  /** Undefined for a call that no rule concerns. */
  find(call: CallFacts): Deprecation | undefined;
}

/** Deprecations that may change between two requests. */
export interface CurrentDeprecations {
  /** Undefined where there are none, so that calls cost nothing. */
  readonly current: Deprecations | undefined;
}
