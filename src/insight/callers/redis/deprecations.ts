/** Deprecations and exemptions in Redis, for gateways without a database: one value, which a change replaces where its revision is the same. */
import { randomUUID } from 'node:crypto';
import type { AuditTrail } from '../../../access/index.ts';
import type { Clock } from '../../../core/lib/index.ts';
import {
  type ChangeDeprecations,
  createDeprecations,
  type DeprecationContents,
  type DeprecationStore,
  type StoredDeprecations,
} from '../stored-deprecation.ts';
import type { RedisCallerParts } from './caller-records.ts';

interface Parts extends RedisCallerParts {
  readonly clock: Clock;
  readonly audit: Pick<AuditTrail, 'append'>;
}

/**
 * Replaces the state. KEYS: 1 deprecations. ARGV: the revision that the change was made for, the next one, the id of the change, the state.
 * Returns 0 where another change came first. A change that is sent again finds its own work.
 */
const replaceScript = `
local found = redis.call('HMGET', KEYS[1], 'revision', 'change')
if found[2] == ARGV[3] then return 1 end
if (found[1] or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'change', ARGV[3], 'state', ARGV[4])
return 1
`;

/** Returns the deprecations of a Redis. The audit log has a change after it was made. */
export function createRedisDeprecations({ commands, keys, clock, audit }: Parts): DeprecationStore {
  const load = async (): Promise<StoredDeprecations> => {
    const [revision, state] = await commands.run((client) => client.hmget(keys.deprecations, 'revision', 'state'));
    return { revision: Number(revision ?? 0), ...(JSON.parse(state ?? noState) as DeprecationContents) };
  };
  const change: ChangeDeprecations = async (by, work) => {
    const id = randomUUID();
    for (;;) {
      const stored = await load();
      const next = stored.revision + 1;
      const { deprecations, exemptions, kind, subject, detail } = work({ ...stored, revision: next });
      const state = JSON.stringify({ deprecations, exemptions } satisfies DeprecationContents);
      const parameters = [stored.revision, next, id, state];
      const isReplaced = await commands.run((client) =>
        client.eval(replaceScript, 1, keys.deprecations, ...parameters),
      );
      // Each failure is the success of another change.
      if (isReplaced !== 1) continue;
      await audit.append([{ kind, actor: by, subject, detail }]);
      return;
    }
  };
  const revision = async () =>
    Number((await commands.run((client) => client.hget(keys.deprecations, 'revision'))) ?? 0);
  return createDeprecations({ revision, load, change, clock });
}

const noState = JSON.stringify({ deprecations: [], exemptions: [] } satisfies DeprecationContents);
