/** A server that stops answering while its connections stay open: a machine that hangs, or whose cable is cut. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type TestProxy as Cable, openProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';

const connections = 5;
const slowly = statement<{ readonly pid: number }>('slowly', 'select pg_sleep(0.05), pg_backend_pid() as pid');
const create = statement('create', 'create table seen (id bigint not null primary key)');
const add = statement('add', 'insert into seen (id) select coalesce(max(id), 0) + 1 from seen');

let server: Postgres;
let proxy: Cable;
let url: string;
let engine: Engine;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  proxy = await openProxy(server.port);
  url = (await server.createDatabase()).replace(`:${server.port}/`, `:${proxy.port}/`);
  engine = openPostgres({ url, poolMax: connections });
  await engine.write((session) => session.execute(create, []));
});
afterEach(async () => {
  await engine.close();
  await proxy.close();
});
afterAll(() => server?.discard());

const unavailable = { name: 'StoreUnavailable' };

/** Uses all connections at once, and returns their processes. */
async function useAll(): Promise<ReadonlySet<number>> {
  const rows = Array.from({ length: connections }, () => engine.read((session) => session.query(slowly, [])));
  return new Set((await Promise.all(rows)).map(([row]) => row!.pid));
}
function sharedBy(before: ReadonlySet<number>, after: ReadonlySet<number>): readonly number[] {
  return [...after].filter((pid) => before.has(pid));
}
const read = () => engine.read((session) => session.query(slowly, []));
const write = () => engine.write((session) => session.execute(add, []));

describe('one request finds that the server is silent', () => {
  test.each([
    ['reading', read],
    ['writing', write],
  ])('by %s: the others have new connections', async (_, ask) => {
    const before = await useAll();
    expect(before.size).toBe(connections);
    proxy.freeze();
    await expect(ask()).rejects.toMatchObject(unavailable);
    const after = await useAll();
    expect(after.size).toBe(connections);
    expect(sharedBy(before, after)).toEqual([]);
  });
  test('by committing: the others have new connections', async () => {
    const before = await useAll();
    const unknown = engine.write(async (session) => {
      await session.execute(add, []);
      proxy.freeze();
    });
    await expect(unknown).rejects.toMatchObject({ name: 'CommitUnknown' });
    expect(sharedBy(before, await useAll())).toEqual([]);
  });
  test('control: a pool alone waits for each of its connections', async () => {
    const pool = new Pool({ connectionString: url, max: connections, query_timeout: 200 });
    pool.on('error', () => {});
    const useAllOfPool = () => Array.from({ length: connections }, () => pool.query('select pg_sleep(0.05)'));
    await Promise.all(useAllOfPool());
    proxy.freeze();
    for (let time = 0; time < connections; time += 1)
      await expect(pool.query('select 1')).rejects.toThrow('Query read timeout');
    await pool.query('select 1');
    await pool.end();
  });
});

test('a server that begins to refuse writes is left by all connections', async () => {
  const before = await useAll();
  const refused = engine.write(async (session) => {
    await session.query(statement('read-only', 'select 1 from (select set_config($1, $2, true)) as done'), [
      'transaction_read_only',
      'on',
    ]);
    await session.execute(add, []);
  });
  await expect(refused).rejects.toMatchObject(unavailable);
  expect(sharedBy(before, await useAll())).toEqual([]);
});

describe('closing while the server is silent', () => {
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

  test('ends the connections all the same, so that a command ends', async () => {
    await useAll();
    proxy.freeze();
    const open = sockets();
    await engine.close();
    await until('the sockets to close', () => sockets() === open - connections);
  });
  test('control: a pool alone leaves them open', async () => {
    const pool = new Pool({ connectionString: url });
    pool.on('error', () => {});
    await pool.query('select 1');
    proxy.freeze();
    const open = sockets();
    await pool.end();
    await setTimeout(2_000);
    expect(sockets()).toBe(open);
  });
});
