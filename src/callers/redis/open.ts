/** The callers and deprecations of gateways without a database. */
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import type { CallerOwners } from '../caller-owners.ts';
import type { StoredCallerRecords } from '../caller-record.ts';
import type { Comparisons } from '../comparisons.ts';
import type { DeprecationStore } from '../stored-deprecation.ts';
import { createRedisCallerRecords, type RedisRecordParts } from './caller-records.ts';
import { createRedisDeprecations } from './deprecations.ts';
import { createCallerKeys } from './keys.ts';
import { createRedisComparisons, createRedisOwners } from './owners.ts';

/** What replaces the tables of callers. */
export interface RedisCallers {
  readonly records: StoredCallerRecords;
  readonly owners: CallerOwners;
  readonly comparisons: Comparisons;
  /** `audit`: records who changes what. */
  createDeprecations(audit: Pick<AuditTrail, 'append'>): DeprecationStore;
}

export interface RedisCallersParts extends Omit<RedisRecordParts, 'keys'> {
  /** Gateways with the same scope share callers and deprecations. */
  readonly scope: string;
  readonly clock: Clock;
}

/** Returns the stores of callers in a Redis. */
export function createRedisCallers({ commands, scope, lifeMs, clock }: RedisCallersParts): RedisCallers {
  const parts = { commands, keys: createCallerKeys(scope), clock };
  return Object.freeze<RedisCallers>({
    records: createRedisCallerRecords({ ...parts, lifeMs }),
    owners: createRedisOwners(parts),
    comparisons: createRedisComparisons(parts),
    createDeprecations: (audit) => createRedisDeprecations({ ...parts, audit }),
  });
}
