/** Measures idempotency records in a table of few and of many: size, keyed writes, replays, and the clean-up beside writes. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, type Row, statement } from '../../src/stores/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { IdempotencyRecordRepository } from '../../src/stores/sql/idempotency-records.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import type { Postgres } from '../../test/support/postgres.ts';
import { type EngineName, fillRecords, storedDays } from './fill-records.ts';
import { type DatabaseProcesses, databaseProcesses, type KeyedRequests, timeKeyedRequests } from './keyed-requests.ts';
import type { Timed } from './rounds.ts';
import { type MeasuredStore, makeStores, type Served, serveAll } from './stores.ts';

interface RecordSize {
  readonly engine: EngineName;
  readonly records: number;
  readonly rowBytes: number;
  readonly indexBytes: number;
}

/** Milliseconds of a transaction that reserves a key and stores its outcome. */
interface ClaimTimes {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface CleanUp {
  readonly engine: EngineName;
  readonly records: number;
  readonly deleted: number;
  readonly seconds: number;
  readonly alone: ClaimTimes;
  readonly beside: ClaimTimes;
  /** Claims while the clean-up ran. */
  readonly claims: number;
  /** Bytes of the indexes before the clean-up, after it, and after as many new records. */
  readonly indexBytes: readonly [before: number, after: number, refilled: number];
  /** Seconds of a vacuum after the clean-up; undefined on SQLite, which has none. */
  readonly vacuumSeconds: number | undefined;
}

export interface MeasuredRecords {
  readonly sizes: readonly RecordSize[];
  readonly requests: readonly (Timed & KeyedRequests)[];
  readonly cleanUps: readonly CleanUp[];
}

interface RecordCounts {
  readonly few: number;
  readonly many: number;
  /** Of the embedded store: random keys in a file larger than the memory take long to write. */
  readonly manyEmbedded: number;
}

const shoppers = 1_000;
const claimsAlone = 500;
const outcome = '{"status":200,"output":{"recurringDetailReference":"8815000000000000","result":"Success"}}';

const postgresSize = statement<Row & { readonly rows: number; readonly indexes: number }>(
  'size-of-records',
  `select pg_table_size('idempotency_record') as rows, pg_indexes_size('idempotency_record') as indexes`,
);
const sqliteSize = statement<Row & { readonly rows: number; readonly indexes: number }>(
  'size-of-records',
  `select sum(case when name = 'idempotency_record' then pgsize else 0 end) as rows,
     sum(case when name <> 'idempotency_record' then pgsize else 0 end) as indexes
   from dbstat where name in (select name from sqlite_schema where tbl_name = 'idempotency_record')`,
);
const vacuum = 'vacuum (analyze) idempotency_record';

/** A day's share of the records of each table has expired. */
export async function measureRecords(
  folder: string,
  postgres: Postgres,
  { few, many, manyEmbedded }: RecordCounts,
): Promise<MeasuredRecords> {
  const processes = await databaseProcesses(postgres);
  const sizes: RecordSize[] = [];
  const stores: (MeasuredStore & { readonly records: number; readonly folder: string })[] = [];
  for (const size of ['few', 'many'] as const) {
    const own = join(folder, size);
    mkdirSync(own);
    for (const store of await makeStores(own, postgres, shoppers)) {
      const records = size === 'few' ? few : store.engine === 'SQLite' ? manyEmbedded : many;
      const engine = openStore(store);
      try {
        await fillRecords({ name: store.engine, engine, from: 0, records, days: [-1, storedDays - 1] });
        if (store.engine === 'PostgreSQL') await postgres.ask(vacuum, [], store.variables.DATABASE_URL);
        sizes.push({ engine: store.engine, records, ...(await sizeOf(engine, store.engine)) });
      } finally {
        await engine.close();
      }
      stores.push({ ...store, records, folder: own });
    }
  }
  const requests = await measureRequests(stores, processes);
  const cleanUps: CleanUp[] = [];
  for (const store of stores) cleanUps.push(await measureCleanUp(store, store.records, postgres));
  return { sizes, requests, cleanUps };
}

function openStore({ engine, variables }: MeasuredStore): Engine {
  return engine === 'SQLite'
    ? openSqlite({ dataDir: variables.DATA_DIR!, exclusive: true })
    : openPostgres({ url: variables.DATABASE_URL!, poolMax: 4 });
}

async function measureRequests(
  stores: readonly (MeasuredStore & { readonly records: number; readonly folder: string })[],
  processes: DatabaseProcesses,
): Promise<MeasuredRecords['requests']> {
  await using closing = new AsyncDisposableStack();
  const serving: (Served & { readonly records: number })[] = [];
  for (const { records, folder, ...store } of stores) {
    const uncached = { ...store, variables: { ...store.variables, REMEMBERED_BYTES_MAX: '0' } };
    serving.push(...(await serveAll([uncached], folder, closing)).map((served) => ({ ...served, records })));
  }
  return await timeKeyedRequests(serving, processes);
}

async function sizeOf(engine: Engine, name: EngineName): Promise<{ rowBytes: number; indexBytes: number }> {
  const [row] = await engine.read((session) => session.query(name === 'SQLite' ? sqliteSize : postgresSize, []));
  return { rowBytes: Number(row?.rows), indexBytes: Number(row?.indexes) };
}

/** Keys are claimed one after another in the process of the clean-up, as in a server. */
async function measureCleanUp(store: MeasuredStore, records: number, postgres: Postgres): Promise<CleanUp> {
  const engine = openStore(store);
  try {
    const alone: number[] = [];
    for (let number = 0; number < claimsAlone; number += 1) alone.push(await claim(engine));
    const { indexBytes: before } = await sizeOf(engine, store.engine);
    let isRunning = true;
    const startedAt = performance.now();
    const running = deleteExpiredRecords(engine, { owner: 'scale' }).finally(() => {
      isRunning = false;
    });
    const beside: number[] = [];
    while (isRunning) beside.push(await claim(engine));
    const { deleted } = await running;
    const seconds = (performance.now() - startedAt) / 1000;
    const { indexBytes: after } = await sizeOf(engine, store.engine);
    let vacuumSeconds: number | undefined;
    if (store.engine === 'PostgreSQL') {
      const vacuumedAt = performance.now();
      await postgres.ask(vacuum, [], store.variables.DATABASE_URL);
      vacuumSeconds = (performance.now() - vacuumedAt) / 1000;
    }
    const days = [storedDays - 1, storedDays] as const;
    await fillRecords({ name: store.engine, engine, from: records, records: deleted, days });
    const { indexBytes: refilled } = await sizeOf(engine, store.engine);
    return {
      ...{ engine: store.engine, records, deleted, seconds, vacuumSeconds, claims: beside.length },
      ...{ alone: timesOf(alone), beside: timesOf(beside), indexBytes: [before, after, refilled] },
    };
  } finally {
    await engine.close();
  }
}

async function claim(engine: Engine): Promise<number> {
  const startedAt = performance.now();
  await engine.write(async (session) => {
    const repository = new IdempotencyRecordRepository(session);
    const recordKey = randomUUID();
    const record = { requestHash: 'h'.repeat(43), operation: 'storeToken', requestReference: randomUUID() };
    await repository.reserve(recordKey, record);
    await repository.complete(recordKey, outcome);
  });
  return performance.now() - startedAt;
}

function timesOf(times: readonly number[]): ClaimTimes {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
