/** How soon a request fails where PostgreSQL cannot answer it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { type Budget, requireThat, timeOf } from './budget.ts';

const sleep = statement('sleep', 'select pg_sleep(20)');
const make = statement('make', 'create table tally (id bigint not null primary key)');
const fill = statement('fill', 'insert into tally (id) values (1)');
const find = statement('find', 'select id from tally');
const lock = statement('lock', 'update tally set id = 1');
const lockSoon = statement('lock-soon', 'update tally set id = 1', { waitMsMax: 150 });

export const postgresBudgets: readonly Budget[] = [
  {
    name: 'PostgreSQL: a statement that takes too long fails',
    max: 3_500,
    unit: 'ms',
    measure: () =>
      withEngine(4, (engine) => timeOf(() => requireFailure(engine.read((session) => session.query(sleep, []))))),
  },
  {
    name: 'PostgreSQL: no connection is free',
    max: 1_600,
    unit: 'ms',
    measure: () => withEngine(1, (engine) => whileLocked(engine, () => timeOf(() => requireFailure(read(engine))))),
  },
  {
    name: 'PostgreSQL: a server that accepts and is silent',
    max: 3_000,
    unit: 'ms',
    measure: measureSilentServer,
  },
  {
    name: 'PostgreSQL: a row that another transaction holds',
    max: 3_000,
    unit: 'ms',
    measure: () => withEngine(4, (engine) => whileLocked(engine, () => timeOf(() => requireFailure(update(engine))))),
  },
  {
    name: 'PostgreSQL: the same, for a statement with a limit of 150 ms',
    max: 1_000,
    unit: 'ms',
    measure: () =>
      withEngine(4, (engine) => whileLocked(engine, () => timeOf(() => requireFailure(update(engine, lockSoon))))),
  },
];

const read = (engine: Engine) => engine.read((session) => session.query(find, []));
const update = (engine: Engine, how = lock) => engine.write((session) => session.execute(how, []));

async function withEngine(poolMax: number, measure: (engine: Engine) => Promise<number>): Promise<number> {
  const server: Postgres = await startPostgres();
  const engine = openPostgres({ url: await server.createDatabase(), poolMax });
  try {
    for (const each of [make, fill]) await engine.write((session) => session.execute(each, []));
    return await measure(engine);
  } finally {
    await engine.close();
    await server.discard();
  }
}

/** Measures while a transaction holds the row and its connection. */
async function whileLocked(engine: Engine, measure: () => Promise<number>): Promise<number> {
  const over = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const holder = engine.write(async (session) => {
    await session.execute(lock, []);
    isLocked.resolve();
    await over.promise;
  });
  await isLocked.promise;
  try {
    return await measure();
  } finally {
    over.resolve();
    // The database ends a transaction that is idle for too long.
    await holder.catch(() => {});
  }
}

async function measureSilentServer(): Promise<number> {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { readonly port: number };
  const engine = openPostgres({ url: `postgres://triglyph:any@127.0.0.1:${port}/any`, poolMax: 1 });
  try {
    return await timeOf(() => requireFailure(engine.write(async () => {})));
  } finally {
    silent.close();
    await engine.close();
  }
}

async function requireFailure(work: Promise<unknown>): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  );
  requireThat(failed, 'a statement that should fail succeeds');
}
