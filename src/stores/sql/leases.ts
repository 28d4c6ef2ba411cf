/** Leases: work that one of several processes does at a time. */
import { type Session, statement } from './engine.ts';

const hold = statement(
  'hold-lease',
  `insert into lease (name, owner, expires_at) values ($1, $2, now_ms() + $3)
   on conflict (name) do update set owner = excluded.owner, expires_at = excluded.expires_at
   where lease.expires_at <= now_ms() or lease.owner = excluded.owner`,
);

const end = statement('end-lease', 'delete from lease where name = $1 and owner = $2');

/** A lease of work in steps: longer than a step and its pause. */
export const stepLeaseMs = 60_000;

export interface Lease {
  readonly name: string;
  /** Names the process among those that share the store. */
  readonly owner: string;
  readonly ms: number;
}

/**
 * Takes or renews a lease. Returns false where another process holds it. In the transaction of the work: a process that was
 * suspended for too long then does nothing.
 */
export async function holdLease(session: Pick<Session, 'execute'>, { name, owner, ms }: Lease): Promise<boolean> {
  return (await session.execute(hold, [name, owner, ms])) > 0;
}

export async function endLease(session: Pick<Session, 'execute'>, { name, owner }: Lease): Promise<void> {
  await session.execute(end, [name, owner]);
}
