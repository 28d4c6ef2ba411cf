/** The store suite on PostgreSQL, and its own cases: lost connections, conflicts and commits with an unknown result. */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Pool, type PoolClient } from 'pg';
import { Connection } from '../../src/stores/postgres/connection.ts';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { queryWithPrefix } from '../../src/stores/postgres/prefixed-query.ts';
import { ServerWatch, watchTimes } from '../../src/stores/postgres/server-watch.ts';
import { type Engine, type Session, statement, type Value } from '../../src/stores/sql/engine.ts';
import { deleteExpiredRecords } from '../../src/stores/sql/expired-records.ts';
import { firstMigrations, migrate } from '../support/migrated.ts';
import { isNightly } from '../support/nightly.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { openProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { reuseDatabases } from './reused-databases.ts';
import { describeStore } from './store.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.discard());

describeStore('store on PostgreSQL', {
  ...reuseDatabases(async () => openPostgres({ url: await server.createMigratedDatabase(), poolMax: 10 })),
  openEmpty: async () => openPostgres({ url: await server.createDatabase(), poolMax: 10 }),
  hasFewCases: !isNightly,
});

const unavailable = { name: 'StoreUnavailable' };
const make = statement('make', 'create table tally (id text not null primary key, n bigint not null)');
const fill = statement('fill', `insert into tally (id, n) values ('a', 0), ('b', 0)`);
const find = statement<{ readonly n: number }>('find', 'select n from tally where id = $1');
const put = statement('put', 'update tally set n = $2 where id = $1');
const putSoon = statement('put-soon', 'update tally set n = $2 where id = $1', { waitMsMax: 150 });
const addRow = statement('add-row', 'insert into tally (id, n) values ($1, 0)');

/** How long the work took. A busy machine only lengthens it, so tests assert the shortest time. */
const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Resolves for all when so many have come. */
const meeting = (members: number): (() => Promise<void>) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let came = 0;
  return () => {
    came += 1;
    if (came >= members) resolve();
    return promise;
  };
};

describe('a statement that is sent with the begin of its transaction', () => {
  const insert = { text: `insert into tally (id, n) values ('c', 1)` };
  const badBegin = 'begin isolation level none';
  /** Returns the rows that stay after a begin that fails. */
  const rowsAfter = async (send: (client: PoolClient) => Promise<unknown>): Promise<number> => {
    const pool = new Pool({ connectionString: await server.createDatabase(), pipeline: true, max: 1 });
    try {
      const client = await pool.connect();
      await client.query(make.text);
      await expect(send(client)).rejects.toMatchObject({ code: '42601' });
      const { rows } = await client.query('select count(*)::int as rows from tally');
      client.release();
      return rows[0].rows;
    } finally {
      await pool.end();
    }
  };

  test('does not run where the begin fails', async () => {
    expect(await rowsAfter((client) => queryWithPrefix(client, [badBegin], insert))).toBe(0);
  });
  test('does not run, either, in a message behind it that begins with a savepoint', async () => {
    const send = (client: PoolClient) =>
      Promise.all([
        queryWithPrefix(client, [badBegin], { text: 'select 1' }),
        queryWithPrefix(client, ['savepoint handler'], insert),
      ]);
    expect(await rowsAfter(send)).toBe(0);
  });
  test('control: sent behind it as a message of its own, it commits alone', async () => {
    const send = (client: PoolClient) => Promise.all([client.query(badBegin), client.query(insert)]);
    expect(await rowsAfter(send)).toBe(1);
  });
});

describe('PostgreSQL', () => {
  let url: string;
  let engine: Engine;
  const opened: Engine[] = [];
  const open = (at: string, poolMax = 10): Engine => {
    const another = openPostgres({ url: at, poolMax });
    opened.push(another);
    return another;
  };
  beforeEach(async () => {
    url = await server.createDatabase();
    engine = open(url);
    await engine.write((session) => session.execute(make, []));
    await engine.write((session) => session.execute(fill, []));
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const ask = (text: string, parameters: readonly Value[] = []) =>
    engine.read((session) => session.query(statement(hash('md5', text), text), parameters));
  const valueIn = async (session: Session, id: string) => (await session.query(find, [id]))[0]!.n;
  const value = (id = 'a') => engine.read((session) => valueIn(session, id));
  const add = (id = 'a') =>
    engine.write(async (session) => session.execute(put, [id, (await valueIn(session, id)) + 1]));
  /** Ends every connection of the program, as an operator would. */
  const terminate = () =>
    server.ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'triglyph'`);
  /** Locks the row until it is released. */
  const hold = async (id: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const unit = engine.write(async (session) => {
      await session.execute(put, [id, 7]);
      held.resolve();
      await promise;
    });
    await held.promise;
    return async () => {
      resolve();
      await unit;
    };
  };

  describe('values', () => {
    test('int8 and what else counts are numbers, truths are 1 and 0, and the rest is text', async () => {
      const [row] = await ask(
        `select 9007199254740991::bigint as big, count(*) as many, sum(n) as total, true as yes, false as no,
                '12'::text as text, null as nothing, 1.5::float8 as half from tally`,
      );
      expect(row).toEqual({
        big: 9007199254740991,
        many: 2,
        total: 0,
        yes: 1,
        no: 0,
        text: '12',
        nothing: null,
        half: 1.5,
      });
    });
    test('a number too large for JavaScript is an error', async () => {
      await expect(ask('select 9007199254740993::bigint as big')).rejects.toThrow(RangeError);
      expect(await value()).toBe(0);
    });
    test.each([
      `'; drop table tally; --`,
      `\\'; drop table tally; --`,
      `a', 0); delete from tally; --`,
      '$1 $$ {} % \\',
      '\u{1F600} \u2028 é',
    ])('%j stays a text', async (hostile) => {
      await engine.write((session) => session.execute(addRow, [hostile]));
      expect(await ask('select id from tally where id = $1::text', [hostile])).toEqual([{ id: hostile }]);
      expect(await ask('select count(*) as many from tally')).toEqual([{ many: 3 }]);
    });
    test('now_ms() is the clock of the database', async () => {
      const [row] = await ask('select now_ms() as now');
      expect(Math.abs(Number(row!.now) - Date.now())).toBeLessThan(5_000);
    });
  });

  describe('a session', () => {
    const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name'];
    const text = `select ${settings.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
    const limits = {
      statement_timeout: '3s',
      lock_timeout: '2s',
      idle_in_transaction_session_timeout: '3s',
      application_name: 'triglyph',
    };

    test('has a limit on every wait', async () => {
      expect(await ask(text)).toEqual([limits]);
    });
    test('a unit is serializable and flushed, whatever the database says', async () => {
      await server.ask(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
      const fresh = open(url);
      const shown = statement(
        'shown',
        `select current_setting('transaction_isolation') as isolation, current_setting('synchronous_commit') as flushed`,
      );
      expect(await fresh.write((session) => session.query(shown, []))).toEqual([
        { isolation: 'serializable', flushed: 'on' },
      ]);
      expect(await fresh.read((session) => session.query(shown, []))).toMatchObject([{ flushed: 'off' }]);
    });
    test('a transaction without timeouts has time', async () => {
      const [row] = await engine.write((session) => session.query(statement('limits', text), []), { noTimeout: true });
      expect(row).toMatchObject({ statement_timeout: '0', lock_timeout: '0' });
      expect(await ask(text)).toEqual([limits]);
    });
    test('keeps its statements prepared', async () => {
      const one = open(url, 2);
      for (let times = 0; times < 3; times += 1) await one.read((session) => session.query(find, ['a']));
      const prepared = statement(
        'prepared',
        `select name, generic_plans + custom_plans as plans
        from pg_prepared_statements where name = 'find'`,
      );
      expect(await one.read((session) => session.query(prepared, []))).toEqual([{ name: 'find', plans: 3 }]);
    });
    test('a table that changed under a prepared statement is found out, and asked anew', async () => {
      const whole = statement('whole', `select * from tally where id = 'a'`);
      const read = () => engine.read((session) => session.query(whole, []));
      expect(await read()).toEqual([{ id: 'a', n: 0 }]);
      await server.ask('alter table tally add column m bigint', [], url);
      expect(await read()).toEqual([{ id: 'a', n: 0, m: null }]);
      expect(await engine.write((session) => session.query(whole, []))).toHaveLength(1);
    });
    test('a statement that takes too long is StoreUnavailable, and the connection serves on', async () => {
      const ms = await timeOf(() => expect(ask('select pg_sleep(20)')).rejects.toMatchObject(unavailable));
      expect(ms).toBeGreaterThan(2_900);
      expect(await value()).toBe(0);
    });
    test('quick statements of one turn share a connection, and one that fails fails alone', async () => {
      const quick = statement<{ readonly pid: number }>(
        'quick',
        'select pg_backend_pid() as pid, 1 / cast($1 as integer) as n',
        { isQuick: true },
      );
      const alone = { ...quick, isQuick: false };
      const pidsOf = async (each: typeof quick, divisors: readonly number[]) => {
        const read = (divisor: number) => engine.read((session) => session.query(each, [divisor]));
        const results = await Promise.allSettled(divisors.map(read));
        return results.map((result) => (result.status === 'fulfilled' ? result.value[0]!.pid : undefined));
      };
      const few = [1, 2, 0, 3, 4];
      const pids = await pidsOf(quick, few);
      expect(pids.map((pid) => pid !== undefined)).toEqual(few.map((divisor) => divisor !== 0));
      expect(new Set(pids.filter((pid) => pid !== undefined)).size).toBe(1);
      // A connection takes 16 of them.
      expect(new Set(await pidsOf(quick, new Array<number>(40).fill(1))).size).toBe(3);
      // Control: any other statement has one to itself.
      expect(new Set(await pidsOf(alone, [1, 2, 3])).size).toBe(3);
      expect(engine.connections!.state().busy).toBe(0);
    });
    test('a reader does not write, not even where that gives rows', async () => {
      const sly = statement('sly', 'update tally set n = 9 returning n');
      await expect(engine.read((session) => session.query(sly, []))).rejects.toThrow(/does not write/);
      expect(await value()).toBe(0);
    });
  });

  describe('connections that end', () => {
    test('backends terminated while idle are replaced unnoticed', async () => {
      await Promise.all(Array.from({ length: 10 }, () => ask('select pg_sleep(0.05)')));
      expect((await terminate()).length).toBe(10);
      await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? value() : add('b'))));
      expect(await value('b')).toBe(10);
    });
    test('terminated within a unit: it begins again, and takes effect once', async () => {
      let times = 0;
      await engine.write(async (session) => {
        times += 1;
        const n = await valueIn(session, 'a');
        await session.execute(put, ['a', n + 1]);
        if (times === 1) await terminate();
        await session.execute(put, ['b', n + 1]);
      });
      expect(times).toBe(2);
      expect([await value('a'), await value('b')]).toEqual([1, 1]);
    });
    test('terminated again and again: StoreUnavailable, with nothing done', async () => {
      const hopeless = engine.write(async (session) => {
        await session.execute(put, ['a', 5]);
        await terminate();
        await session.execute(put, ['b', 5]);
      });
      await expect(hopeless).rejects.toMatchObject(unavailable);
      expect([await value('a'), await value('b')]).toEqual([0, 0]);
    });
    test('a unit that was idle for too long is ended by the database, and begins again', async () => {
      let times = 0;
      await engine.write(async (session) => {
        times += 1;
        await session.execute(put, ['a', times]);
        if (times === 1) await setTimeout(3_500);
        await session.execute(put, ['b', times]);
      });
      expect([await value('a'), await value('b')]).toEqual([2, 2]);
    });
    test.each(['stop', 'kill'] as const)(
      'the server is gone (%s) and comes back: the next request works',
      async (end) => {
        await Promise.all([add(), value(), value()]);
        await server[end]();
        try {
          await expect(value()).rejects.toMatchObject(unavailable);
          await expect(add()).rejects.toMatchObject(unavailable);
        } finally {
          await server.start();
        }
        expect(await value()).toBe(1);
        await add();
        expect(await value()).toBe(2);
      },
    );
  });

  describe('no connection', () => {
    test('all are in use: StoreUnavailable after a second, and later there are some again', async () => {
      const small = open(url, 2);
      const { promise, resolve } = Promise.withResolvers<void>();
      const both = meeting(3);
      const holding = ['a', 'b'].map((id) =>
        small.write(async (session) => {
          await session.execute(put, [id, 3]);
          await both();
          await promise;
        }),
      );
      await both();
      const ms = await timeOf(() =>
        expect(small.read((session) => valueIn(session, 'a'))).rejects.toMatchObject({
          ...unavailable,
          message: expect.stringContaining('all 2 connections are in use'),
        }),
      );
      expect(ms).toBeGreaterThan(900);
      resolve();
      await Promise.all(holding);
      expect(await small.read((session) => valueIn(session, 'a'))).toBe(3);
    });
    test('no server: StoreUnavailable at once, which names the address and no password', async () => {
      const unreachable = open(url.replace(`:${server.port}/`, ':1/'));
      const failure: unknown = await unreachable
        .read((session) => valueIn(session, 'a'))
        .catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({
        ...unavailable,
        message: `the store cannot answer now: no connection to 127.0.0.1:1${new URL(url).pathname}: ECONNREFUSED`,
      });
    });
    test('a server that never answers: StoreUnavailable after two seconds', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as { readonly port: number };
      const unreachable = open(url.replace(`:${server.port}/`, `:${port}/`));
      const ms = await timeOf(() => expect(unreachable.write(async () => {})).rejects.toMatchObject(unavailable));
      silent.close();
      expect(ms).toBeGreaterThan(1_800);
    });
    test('a process that stands still for longer takes no server for a silent one', async () => {
      const fresh = open(url);
      const reading = fresh.read((session) => valueIn(session, 'a'));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
      expect(await reading).toBe(0);
    });
    test('the server has too many: StoreUnavailable', async () => {
      const name = new URL(url).pathname.slice(1);
      await server.ask(`create role few login password 'few' connection limit 0`);
      const few = open(url.replace(/\/\/.*@/, '//few:few@'));
      await expect(few.read((session) => valueIn(session, 'a'))).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('too many connections'),
      });
      await server.ask(`alter database ${name} connection limit 10`);
    });
    test('a wrong password: StoreUnavailable, which does not say the right one', async () => {
      const wrong = open(url.replace(server.password, 'guessed'));
      const failure: unknown = await wrong.read((session) => valueIn(session, 'a')).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({
        ...unavailable,
        message: expect.stringContaining('password authentication failed'),
      });
      expect(String(failure)).not.toContain('guessed');
    });
    test('a database that is read-only: reading goes on, writing is StoreUnavailable', async () => {
      await server.ask(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
      const fresh = open(url);
      expect(await fresh.read((session) => valueIn(session, 'a'))).toBe(0);
      await expect(fresh.write((session) => session.execute(put, ['a', 1]))).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('read-only'),
      });
    });
  });

  describe('units in each other’s way', () => {
    test('two that would not fit together both end, one after the other', async () => {
      const both = meeting(2);
      let times = 0;
      /** Each transaction reads both rows and writes one: without isolation neither would see the other's write. */
      const look = (id: string) =>
        engine.write(async (session) => {
          times += 1;
          const sum = (await valueIn(session, 'a')) + (await valueIn(session, 'b'));
          await both();
          await session.execute(put, [id, sum + 1]);
        });
      await Promise.all([look('a'), look('b')]);
      expect(times).toBeGreaterThan(2);
      expect([await value('a'), await value('b')].sort()).toEqual([1, 2]);
    });
    test('two that wait for one another both end', async () => {
      const both = meeting(2);
      const cross = (first: string, second: string) =>
        engine.write(async (session) => {
          await session.execute(put, [first, 1]);
          await both();
          await session.execute(put, [second, 1]);
        });
      await Promise.all([cross('a', 'b'), cross('b', 'a')]);
      expect([await value('a'), await value('b')]).toEqual([1, 1]);
    });
    test('a conflict within an attempt begins the whole unit again, even where the work makes light of it', async () => {
      let times = 0;
      await engine.write(async (session) => {
        times += 1;
        const n = await valueIn(session, 'a');
        if (times === 1) await add('a');
        await session.savepoint(() => session.execute(put, ['a', n + 1])).catch(() => {});
      });
      expect(times).toBe(2);
      expect(await value()).toBe(2);
    });
    test('a conflict in a deferred statement begins the whole unit again', async () => {
      let times = 0;
      await engine.write(async (session) => {
        times += 1;
        const n = await valueIn(session, 'a');
        if (times === 1) await add('a');
        await session.executeDeferred(put, ['a', n + 1]);
      });
      expect(times).toBe(2);
      expect(await value()).toBe(2);
    });
    test('a deferred statement that the client refuses to send fails the transaction', async () => {
      const putOther = statement(put.name, `${put.text} and n < 100`);
      const broken = engine.write(async (session) => {
        await session.execute(put, ['b', 5]);
        await session.executeDeferred(putOther, ['a', 5]);
      });
      await expect(broken).rejects.toThrow();
      expect([await value('a'), await value('b')]).toEqual([0, 0]);
    });
    test('a statement that may not wait times out, and nothing was done', async () => {
      const release = await hold('a');
      const ms = await timeOf(() =>
        expect(
          engine.write(async (session) => {
            await session.execute(put, ['b', 1]);
            await session.execute(putSoon, ['a', 1]);
          }),
        ).rejects.toMatchObject({ name: 'LockTimeout' }),
      );
      expect(ms).toBeGreaterThan(140);
      await release();
      expect([await value('a'), await value('b')]).toEqual([7, 0]);
    });
    test('so does a deferred one, whatever an attempt behind it throws', async () => {
      const release = await hold('a');
      const reasons: unknown[] = [];
      const broken = engine.write(async (session) => {
        await session.executeDeferred(putSoon, ['a', 1], () => new Error('no row'));
        await session.savepoint(() => session.execute(put, ['b', 1])).catch((thrown) => reasons.push(thrown));
        await session.execute(put, ['b', 2]).catch((thrown) => reasons.push(thrown));
      });
      reasons.push(await broken.catch((thrown) => thrown));
      await release();
      expect(reasons).toMatchObject(Array(3).fill({ name: 'LockTimeout' }));
      expect([await value('a'), await value('b')]).toEqual([7, 0]);
    });
    test('an attempt that timed out is undone alone, and the limit is that of the engine again', async () => {
      const limit = statement<{ readonly lock_timeout: string }>('limit', 'show lock_timeout');
      const release = await hold('a');
      await engine.write(async (session) => {
        await session.execute(put, ['b', 1]);
        await expect(session.savepoint(() => session.execute(putSoon, ['a', 1]))).rejects.toMatchObject({
          name: 'LockTimeout',
        });
        expect(await session.query(limit, [])).toEqual([{ lock_timeout: '2s' }]);
        await session.execute(putSoon, ['b', 2]);
        expect(await session.query(limit, [])).toEqual([{ lock_timeout: '2s' }]);
      });
      await release();
      expect([await value('a'), await value('b')]).toEqual([7, 2]);
    });
    test('any other waits for two seconds and is StoreUnavailable', async () => {
      const release = await hold('a');
      const ms = await timeOf(() =>
        expect(engine.write((session) => session.execute(put, ['a', 1]))).rejects.toMatchObject(unavailable),
      );
      expect(ms).toBeGreaterThan(1_900);
      await release();
    });
  });

  describe('what a unit leaves behind', () => {
    const slow = statement('slow', `insert into tally select 'slow', 0 from pg_sleep(0.2)`);
    const rows = async () => (await ask('select id from tally order by id')).map(({ id }) => id);

    test('a statement that is not awaited is part of its transaction', async () => {
      await engine.write(async (session) => {
        void session.execute(slow, []);
      });
      expect(await rows()).toEqual(['a', 'b', 'slow']);
    });
    test('and is undone with it', async () => {
      const broken = engine.write(async (session) => {
        void session.execute(slow, []);
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      expect(await rows()).toEqual(['a', 'b']);
    });
    test('one that fails unnoticed undoes the unit', async () => {
      const broken = engine.write(async (session) => {
        await session.execute(addRow, ['c']);
        void session.execute(addRow, ['a']);
      });
      await expect(broken).rejects.toMatchObject({ code: '23505' });
      expect(await rows()).toEqual(['a', 'b']);
    });
    test('so does one whose failure the work makes light of', async () => {
      const broken = engine.write(async (session) => {
        await session.execute(addRow, ['c']);
        await session.execute(addRow, ['a']).catch(() => {});
      });
      await expect(broken).rejects.toMatchObject({ code: '23505' });
      expect(await rows()).toEqual(['a', 'b']);
    });
    test('statements side by side go one after another', async () => {
      const ids = ['c', 'd', 'e', 'f'];
      await engine.write((session) => Promise.all(ids.map((id) => session.execute(addRow, [id]))));
      expect(await rows()).toEqual(['a', 'b', ...ids]);
    });
  });

  describe('a connection', () => {
    const lend = async (work: (connection: Connection, pool: Pool) => Promise<void>) => {
      const pool = new Pool({ connectionString: url, max: 1 });
      try {
        await work(new Connection(await pool.connect(), new ServerWatch(() => ({}), false, watchTimes)), pool);
      } finally {
        await pool.end();
      }
    };
    test('does not take for committed what the database undid', () =>
      lend(async (connection) => {
        await connection.begin({ noTimeout: false });
        await expect(connection.run(addRow, ['a'])).rejects.toMatchObject({ code: '23505' });
        await expect(connection.commit()).rejects.toThrow(/was rolled back/);
        connection.release();
      }));
    test('given back within a transaction is closed, and the transaction with it', () =>
      lend(async (connection, pool) => {
        await connection.begin({ noTimeout: false });
        await connection.run(put, ['a', 5]);
        connection.release();
        expect(pool.idleCount).toBe(0);
        expect((await pool.query('select n from tally')).rows).toEqual([{ n: '0' }, { n: '0' }]);
      }));
    test('given back after a commit serves on', () =>
      lend(async (connection, pool) => {
        await connection.begin({ noTimeout: false });
        await connection.commit();
        connection.release();
        expect(pool.idleCount).toBe(1);
      }));
  });

  describe('a connection cut during the commit', () => {
    test.each([
      ['before the server receives', 0],
      ['before the client receives', 5],
    ] as const)('%s: CommitUnknown, and the row is %i', async (when, expected) => {
      const proxy = await openProxy(server.port);
      const through = open(url.replace(`:${server.port}/`, `:${proxy.port}/`));
      const write = (n: number) => through.write((session) => session.execute(put, ['a', n]));
      proxy.cut('commit\0', when);
      let times = 0;
      const cut = through.write(async (session) => {
        times += 1;
        await session.execute(put, ['a', 5]);
      });
      await expect(cut).rejects.toMatchObject({ name: 'CommitUnknown' });
      expect(times).toBe(1);
      await until('the value', async () => (await value()) === expected);
      await write(6);
      expect(await value()).toBe(6);
      await proxy.close();
    });
    test('before the commit it is no question: the unit begins again', async () => {
      const proxy = await openProxy(server.port);
      const through = open(url.replace(`:${server.port}/`, `:${proxy.port}/`));
      proxy.cut('put', 'before the client receives');
      await through.write((session) => session.execute(put, ['a', 5]));
      expect(await value()).toBe(5);
      await proxy.close();
    });
  });

  test('expired idempotency records are deleted without reading those that stay', async () => {
    const journalUrl = await server.createMigratedDatabase();
    const journal = openPostgres({ url: journalUrl, poolMax: 2 });
    const rows = (count: number, expiresAt: string) =>
      `insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
       select '${expiresAt}' || n, 'f', 'disable', '${expiresAt}' || n, 'x', 0, ${expiresAt} + n from generate_series(1, ${count}) n`;
    await server.ask(rows(20_000, String(Date.now() + 24 * 60 * 60 * 1000)), [], journalUrl);
    await server.ask('analyze idempotency_record', [], journalUrl);
    await server.ask(rows(1_500, '0'), [], journalUrl);
    const rowsRead = async () => {
      const [row] = await server.ask(
        "select seq_tup_read as rows, n_tup_del as deleted from pg_stat_user_tables where relname = 'idempotency_record'",
        [],
        journalUrl,
      );
      return { rows: Number(row?.rows), deleted: Number(row?.deleted) };
    };
    const before = await rowsRead();
    expect(await deleteExpiredRecords(journal, { owner: 'one' })).toMatchObject({ deleted: 1_500 });
    // A connection that ends reports its statistics.
    await journal.close();
    await until('the statistics to arrive', async () => (await rowsRead()).deleted === 1_500);
    expect((await rowsRead()).rows - before.rows).toBe(0);
  });

  test('four programs that migrate an empty database at once do the work once', async () => {
    const empty = await server.createDatabase();
    const landed = await Promise.all(Array.from({ length: 4 }, () => migrate(open(empty, 2))));
    expect(landed.flat()).toEqual(firstMigrations);
  });
  test('a program without the right to make tables finds that nothing is to be done', async () => {
    await migrate(engine);
    await server.ask(`create role serving login password 'serving'`);
    await server.ask('grant select, insert, update, delete on all tables in schema public to serving', [], url);
    expect(await migrate(open(url.replace(/\/\/.*@/, '//serving:serving@')))).toEqual([]);
  });
});
