/** The store behind PgBouncer in transaction mode, with fewer connections of the server than of the gateway. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { isNightly } from '../support/nightly.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { reuseDatabases } from './reused-databases.ts';
import { describeStore } from './store.ts';

/** Fewer than the connections of the gateway, so that these share them. */
const poolSize = 3;

let server: Postgres;
let bouncer: PgBouncer;
beforeAll(async () => {
  server = await startPostgres();
  bouncer = await startPgBouncer(server, poolSize);
});
afterAll(async () => {
  await bouncer?.close();
  await server?.discard();
});

function through(url: string): string {
  return `${bouncer.through(url)}?pgbouncer=true`;
}

/** The suites of one service have the same kinds of statements as the others. The nightly run has all. */
describeStore(
  'store on PostgreSQL behind PgBouncer',
  {
    ...reuseDatabases(async () => openPostgres({ url: through(await server.createMigratedDatabase()), poolMax: 10 })),
    openEmpty: async () => openPostgres({ url: through(await server.createDatabase()), poolMax: 10 }),
  },
  !isNightly,
);

describe('PgBouncer in transaction mode', () => {
  const opened: Engine[] = [];
  const open = (url: string): Engine => {
    const engine = openPostgres({ url, poolMax: 10 });
    opened.push(engine);
    return engine;
  };
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const create = statement('create', 'create table tally (id text not null primary key, n bigint not null)');
  const fill = statement('fill', `insert into tally (id, n) values ('a', 0)`);
  const add = statement('add', 'update tally set n = n + $1 where id = $2');
  const find = statement<{ readonly n: number }>('find', 'select n from tally where id = $1');
  /** Twenty callers add one each, ten at a time, and read. */
  const addTwenty = async (engine: Engine): Promise<number> => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await engine.write((session) => session.execute(add, [1, 'a']), { noTimeout: true });
        await engine.read((session) => session.query(find, ['a']));
      }),
    );
    return (await engine.read((session) => session.query(find, ['a'])))[0]!.n;
  };
  const prepare = async (): Promise<string> => {
    const url = await server.createDatabase();
    const direct = open(url);
    await direct.write((session) => session.execute(create, []));
    await direct.write((session) => session.execute(fill, []));
    return url;
  };

  test('transactions share the connections of the server, and none is lost', async () => {
    expect(await addTwenty(open(through(await prepare())))).toBe(20);
  });
  test('each transaction has the limits of the gateway, and leaves none behind', async () => {
    const engine = open(through(await prepare()));
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const show = statement('show', `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`);
    expect(await engine.write((session) => session.query(show, []))).toEqual([
      { statement_timeout: '3s', lock_timeout: '2s', idle_in_transaction_session_timeout: '3s' },
    ]);
    expect(await engine.read((session) => session.query(show, []))).toEqual([
      { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' },
    ]);
  });
  test('control: without the parameter PgBouncer refuses the connection', async () => {
    const engine = open(bouncer.through(await prepare()));
    await expect(engine.read((session) => session.query(find, ['a']))).rejects.toThrow(/startup parameter/);
  });
  test('control: with its parameters ignored, prepared statements are missing', async () => {
    const url = await prepare();
    const names = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout';
    const ignoring = await startPgBouncer(server, poolSize, [`ignore_startup_parameters = ${names}`]);
    try {
      await expect(addTwenty(open(ignoring.through(url)))).rejects.toThrow(/prepared statement/);
    } finally {
      await ignoring.close();
    }
  });
});
