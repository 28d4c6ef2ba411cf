/** Stores when each credential was last used, and finds the next one to expire. Uses are stored in batches, at most once a minute for each, never in a request's transaction. */
import type { CallerIdentity } from '../../core/contract/index.ts';
import { type Engine, readCommitted, statement } from '../../stores/index.ts';

/** Between two flushes. The periodic task halves it at most, so that a credential is written once a minute. */
export const flushUsesEveryMs = 120_000;
/** Credentials of one transaction. */
const batchSize = 100;

const save = statement(
  'save-credential-use',
  `insert into credential_use (tenant, credential_id, first_used_at, last_used_at) values ($1, $2, $3, $3)
   on conflict (tenant, credential_id) do update set last_used_at = excluded.last_used_at
    where credential_use.last_used_at < excluded.last_used_at`,
);

const nextExpiry = statement<{ readonly expires_at: number | null }>(
  'next-credential-expiry',
  'select min(expires_at) as expires_at from credential where revoked_at is null and expires_at > now_ms()',
);

interface Use {
  readonly tenant: string;
  readonly credential: string;
  at: number;
}

export function createCredentialUses(engine: Engine) {
  let uses = new Map<string, Use>();
  const write = async (batch: readonly Use[]): Promise<void> => {
    await engine.write(async (session) => {
      for (const { tenant, credential, at } of batch) await session.execute(save, [tenant, credential, at]);
    }, readCommitted);
  };
  const restore = (failed: readonly Use[]): void => {
    for (const use of failed) if (!uses.has(use.credential)) uses.set(use.credential, use);
  };
  return Object.freeze({
    record({ credential, tenant }: CallerIdentity, now: number): void {
      const known = uses.get(credential);
      if (known === undefined) uses.set(credential, { tenant, credential, at: now });
      else known.at = now;
    },
    /** The next expiry of a live credential, in milliseconds since the epoch; undefined where none expires. */
    findNextExpiry: (): Promise<number | undefined> =>
      engine.read(async (session) => (await session.query(nextExpiry, []))[0]?.expires_at ?? undefined),
    /** Stores what was recorded since the last time. Rejects where the store does not take it; the next time stores it then. */
    async flush(): Promise<void> {
      // One order for all processes, so that none waits for a row of another that waits for one of its own.
      const taken = [...uses.values()].sort((a, b) => (a.credential < b.credential ? -1 : 1));
      uses = new Map();
      for (let saved = 0; saved < taken.length; saved += batchSize)
        await write(taken.slice(saved, saved + batchSize)).catch((thrown) => {
          restore(taken.slice(saved));
          throw thrown;
        });
    },
  });
}
