/** Fills the table of idempotency records by SQL, with rows as the gateway writes them, in the order of their expiry. */
import { type Engine, statement } from '../../src/stores/sql/engine.ts';

export type EngineName = 'SQLite' | 'PostgreSQL';

/** How long the gateway stores a record, in days. */
export const storedDays = 31;
const dayMs = 24 * 60 * 60 * 1000;
const perStatement = 100_000;
const outcome =
  '{"requestReference":"8815AAAAAAAAAAAA","output":{"recurringDetailReference":"8815AAAAAAAAAAAB","result":"Success","alias":"H123456789012345","aliasType":"Default"}}';

export interface Filling {
  readonly name: EngineName;
  readonly engine: Engine;
  /** The first number; on PostgreSQL each number makes one key. */
  readonly from: number;
  readonly records: number;
  /** The expiries lie between these days from now, evenly. */
  readonly days: readonly [first: number, last: number];
}

/** Keys and references are in no order, as those of the gateway are. */
export async function fillRecords({ name, engine, from, records, days }: Filling): Promise<void> {
  const numbers = {
    SQLite: 'with recursive series(n) as (select $1 union all select n + 1 from series where n + 1 < $2)',
    PostgreSQL: 'with series(n) as (select generate_series(cast($1 as bigint), cast($2 as bigint) - 1))',
  }[name];
  const text = {
    SQLite: (_: string, length: number) => `substr(hex(randomblob(22)), 1, ${length})`,
    PostgreSQL: (prefix: string, length: number) =>
      `substr(translate(encode(sha256(cast('${prefix}' || n as bytea)), 'base64'), '+/', '-_'), 1, ${length})`,
  }[name];
  const [first, last] = days;
  const firstMs = Math.round(Date.now() + first * dayMs);
  const spacing = ((last - first) * dayMs) / records;
  const insert = statement(
    `fill-records-${name}`,
    `${numbers} insert into idempotency_record
       (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
     select ${text('k', 43)}, '${'h'.repeat(43)}', 'storeToken', ${text('r', 16)}, '${outcome}',
       cast($3 as bigint) + cast((n - $4) * ${spacing} as bigint) - ${storedDays * dayMs},
       cast($3 as bigint) + cast((n - $4) * ${spacing} as bigint) from series`,
  );
  for (let start = from; start < from + records; start += perStatement) {
    const end = Math.min(start + perStatement, from + records);
    await engine.write((session) => session.execute(insert, [start, end, firstMs, from]), { noTimeout: true });
  }
}
