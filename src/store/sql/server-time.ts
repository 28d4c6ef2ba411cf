/** The last time that a server has recorded: a start with a wrong clock shows by it. */
import { type Engine, readCommitted, statement } from './engine.ts';

/** Row 1 of the table is the one that readiness probes write. */
const rowId = 2;

const find = statement<{ readonly now: number; readonly last: number | null }>(
  'find-server-time',
  `select now_ms() as now, (select checked_at from write_check where id = ${rowId}) as last`,
);

const record = statement(
  'record-server-time',
  `insert into write_check (id, checked_at) values (${rowId}, now_ms())
   on conflict (id) do update set checked_at = excluded.checked_at`,
);

/** Milliseconds since the epoch. */
export interface ServerTime {
  /** By the clock of the database. */
  readonly now: number;
  /** Undefined in a store that no server has recorded one in. */
  readonly last: number | undefined;
}

export async function findServerTime(engine: Engine): Promise<ServerTime> {
  const [row] = await engine.read((session) => session.query(find, []));
  if (row === undefined) throw new Error('the database returned no time');
  return { now: row.now, last: row.last ?? undefined };
}

export async function recordServerTime(engine: Engine): Promise<void> {
  await engine.write((session) => session.execute(record, []), readCommitted);
}
