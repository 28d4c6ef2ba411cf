/** Measures idempotency records in a table of few and of many: the claim of a key, and the deletion of expired records. */
import { randomInt, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { type Engine, statement } from '../../src/store/sql/engine.ts';
import { deleteExpiredRecords, IdempotencyRecordRepository } from '../../src/store/sql/idempotency-records.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Postgres } from '../../test/support/postgres.ts';
import { median } from '../results.ts';

export interface RecordTimes {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly records: number;
  /** Median milliseconds of a transaction that claims a key and stores its outcome. */
  readonly claimMs: number;
  /** Median milliseconds of the deletion of all expired records. */
  readonly cleanUpMs: number;
}

export const expiredEach = 2_000;
const rounds = 7;
const claimsEach = 150;
const perStatement = 100_000;
/** The stored keys lie so far apart, and a new one lies between two of them. */
const gap = 1_000_000;
const dayMs = 24 * 60 * 60 * 1000;
const outcome = '{"status":200,"output":{"recurringDetailReference":"8815000000000000","result":"Success"}}';

/** Statistics of the rows, as autovacuum would collect them. */
const analyze = statement('analyze-records', 'analyze idempotency_record');

interface Table {
  readonly name: RecordTimes['engine'];
  readonly records: number;
  readonly engine: Engine;
  readonly claims: number[];
  readonly cleanUps: number[];
}

/** Fills a table of each size on both engines, and measures all in alternating rounds. */
export async function measureRecords(
  folder: string,
  postgres: Postgres,
  sizes: readonly number[],
): Promise<readonly RecordTimes[]> {
  const tables: Table[] = [];
  try {
    for (const records of sizes) {
      const dataDir = join(folder, `records-${records}`);
      mkdirSync(dataDir);
      tables.push(tableOf('SQLite', records, openSqlite({ dataDir, exclusive: true })));
      const url = await postgres.createDatabase();
      tables.push(tableOf('PostgreSQL', records, await openPostgres({ url, poolMax: 4 })));
    }
    for (const { name, engine, records } of tables) {
      await migrate(engine);
      await fill(engine, name, { from: 0, to: records, expired: false });
      if (name === 'PostgreSQL') await engine.write((session) => session.execute(analyze, []));
    }
    for (let round = 0; round <= rounds; round += 1)
      for (const table of round % 2 === 0 ? tables : tables.toReversed()) await measureRound(table, round === 0);
    return tables.map(({ name, records, claims, cleanUps }) => ({
      engine: name,
      records,
      claimMs: median(claims),
      cleanUpMs: median(cleanUps),
    }));
  } finally {
    for (const { engine } of tables) await engine.close();
  }
}

function tableOf(name: Table['name'], records: number, engine: Engine): Table {
  return { name, records, engine, claims: [], cleanUps: [] };
}

/** The first round warms up. */
async function measureRound({ name, records, engine, claims, cleanUps }: Table, isWarmUp: boolean): Promise<void> {
  for (let number = 0; number < claimsEach; number += 1) {
    const startedAt = performance.now();
    await engine.write((session) => claim(new IdempotencyRecordRepository(session), records));
    if (!isWarmUp) claims.push(performance.now() - startedAt);
  }
  await fill(engine, name, { from: records, to: records + expiredEach, expired: true });
  const startedAt = performance.now();
  const deleted = await deleteExpiredRecords(engine);
  if (deleted !== expiredEach) throw new Error(`${name}: ${deleted} records were deleted`);
  if (!isWarmUp) cleanUps.push(performance.now() - startedAt);
}

async function claim(repository: IdempotencyRecordRepository, records: number): Promise<void> {
  const recordKey = `${String(randomInt(records) * gap + randomInt(1, gap)).padStart(16, '0')}-claimed-key-of-the-scale`;
  const record = { requestHash: 'h'.repeat(43), operation: 'storeToken', requestReference: randomUUID() };
  const stored = await repository.reserve(recordKey, record);
  if (stored === undefined) await repository.complete(recordKey, outcome);
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly expired: boolean;
}

/** Writes rows by SQL, some at a time. The keys are in order, which fills the index fast. */
async function fill(engine: Engine, name: Table['name'], { from, to, expired }: Range): Promise<void> {
  const numbers = {
    SQLite: 'with recursive series(n) as (select $1 union all select n + 1 from series where n + 1 < $2)',
    PostgreSQL: 'with series(n) as (select generate_series(cast($1 as bigint), cast($2 as bigint) - 1))',
  }[name];
  const text = { SQLite: (number: string) => `printf('%016d', ${number})`, PostgreSQL: padded }[name];
  const insert = statement(
    'fill-records',
    `${numbers} insert into idempotency_record
       (record_key, request_hash, operation, psp_reference, outcome, created_at, expires_at)
     select ${text(`n * ${gap}`)} || '-stored-key-of-the-scale-', '${'h'.repeat(43)}', 'storeToken',
       ${text('n')}, '${outcome}', 0, cast($3 as bigint) + n from series`,
  );
  for (let start = from; start < to; start += perStatement) {
    const end = Math.min(start + perStatement, to);
    const expiresAt = expired ? 1 : Date.now() + dayMs;
    await engine.write((session) => session.execute(insert, [start, end, expiresAt]), { noTimeout: true });
  }
}

function padded(number: string): string {
  return `lpad(cast(${number} as text), 16, '0')`;
}
