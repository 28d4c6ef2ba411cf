/** The callers and deprecations of gateways without a database. */
import type { AuditTrail } from '../../../access/index.ts';
import { type Clock, compareTexts } from '../../../core/lib/index.ts';
import { type Comparisons, comparisonsMax, type SavedComparison } from '../../../forward/index.ts';
import type { CallerOwner, CallerOwners } from '../caller-owners.ts';
import type { StoredCallerRecords } from '../caller-record.ts';
import type { DeprecationStore } from '../stored-deprecation.ts';
import { createRedisCallerRecords, type RedisCallerParts, type RedisRecordParts } from './caller-records.ts';
import { createRedisDeprecations } from './deprecations.ts';
import { createCallerKeys } from './keys.ts';

/** What replaces the tables of callers. */
export interface RedisCallers {
  readonly records: StoredCallerRecords;
  readonly owners: CallerOwners;
  readonly comparisons: Comparisons;
  /** `audit`: records who changes what. */
  createDeprecations(audit: Pick<AuditTrail, 'append'>): DeprecationStore;
}

interface RedisCallersParts extends Omit<RedisRecordParts, 'keys'> {
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

interface Parts extends RedisCallerParts {
  readonly clock: Clock;
}

/** Returns the owners of a Redis. */
export function createRedisOwners({ commands, keys, clock }: Parts): CallerOwners {
  return Object.freeze<CallerOwners>({
    async list() {
      const texts = await commands.run((client) => client.hvals(keys.owners));
      const owners = texts.map((text) => JSON.parse(text) as CallerOwner);
      return owners.toSorted((one, other) => compareTexts(one.credential, other.credential));
    },
    async set(owner) {
      const text = JSON.stringify({ ...owner, setAt: clock.now() } satisfies CallerOwner);
      await commands.run((client) => client.hset(keys.owners, owner.credential, text));
    },
    // A command that is sent again finds none.
    remove: (credential) => commands.run(async (client) => (await client.hdel(keys.owners, credential)) > 0),
  });
}

/** Returns the comparisons of a Redis. */
export function createRedisComparisons({ commands, keys, clock }: Parts): Comparisons {
  const list = async (): Promise<readonly SavedComparison[]> => {
    const texts = await commands.run((client) => client.hvals(keys.comparisons));
    const saved = texts.map((text) => JSON.parse(text) as SavedComparison);
    return saved.toSorted((one, other) => other.savedAt - one.savedAt || compareTexts(one.name, other.name));
  };
  return Object.freeze<Comparisons>({
    list,
    async save(comparison) {
      const text = JSON.stringify({ ...comparison, savedAt: clock.now() } satisfies SavedComparison);
      await commands.run((client) => client.hset(keys.comparisons, comparison.name, text));
      const old = (await list()).slice(comparisonsMax).map(({ name }) => name);
      if (old.length > 0) await commands.run((client) => client.hdel(keys.comparisons, ...old));
    },
  });
}
