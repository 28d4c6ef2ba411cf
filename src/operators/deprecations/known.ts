/** The deprecations of the configuration and of the store. */

import { deprecationRuleFaults } from '../../backend/deprecation-faults.ts';
import { type KnownDeprecations, mergeDeprecations } from '../../callers/known-deprecations.ts';
import type { OperatorContext } from '../operator.ts';

export async function listKnown({
  backend,
  deprecations: { configured },
}: Pick<OperatorContext, 'backend' | 'deprecations'>): Promise<KnownDeprecations> {
  return mergeDeprecations(configured, await backend.deprecations.load(), (rule) =>
    deprecationRuleFaults(rule, 'deprecation', undefined),
  );
}
