/** Finds the recorded calls that a deprecation concerns. */

import type { CallFacts } from '../../core/gateway/index.ts';
import type { CallerUse } from './caller-record.ts';
import { compileDeprecations, type DeprecationRule } from './deprecation.ts';

/** How a deprecation concerns a call. */
export type Concern = 'deprecated' | 'exempt' | undefined;

/** Returns a function that tells how the deprecation concerns calls of a record. */
export function compileConcern(rule: DeprecationRule): (use: CallerUse) => Concern {
  // The callers that a rule concerns are the same at all times.
  const compiled = compileDeprecations([rule], { now: () => 0 });
  return (use) => {
    const found = compiled?.find(factsOf(use));
    if (found === undefined) return undefined;
    return found.notice === undefined ? 'exempt' : 'deprecated';
  };
}

/** What rules look at. */
export function factsOf(use: CallerUse): CallFacts {
  const { format, version, service, operation, credential } = use;
  return {
    format,
    version,
    service: service === '' ? undefined : service,
    operation: operation === '' ? undefined : operation,
    credential: credential === '' ? undefined : credential,
  };
}
