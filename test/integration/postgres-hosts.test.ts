/** Several hosts in the URL of a database: which one a connection goes to, and when it is left. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { query } from '../support/postgres-instance.ts';
import { until } from '../support/until.ts';

const create = statement('create', 'create table seen (id bigint not null primary key)');
const add = statement('add', 'insert into seen (id) select coalesce(max(id), 0) + 1 from seen');
const port = statement<{ readonly port: string }>('port', `select current_setting('port') as port`);

let one: Postgres;
let two: Postgres;
const opened: Engine[] = [];
beforeAll(async () => {
  [one, two] = await Promise.all([startPostgres(), startPostgres()]);
  for (const server of [one, two]) {
    await server.ask(`alter role triglyph password 'both'`);
    const engine = openPostgres({ url: urlOf([server.port]), poolMax: 2 });
    await engine.write((session) => session.execute(create, []));
    await engine.close();
  }
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  for (const server of [one, two]) await setReadOnly(server, false);
});
afterAll(() => Promise.all([one?.discard(), two?.discard()]));

function urlOf(ports: readonly number[], parameters = ''): string {
  return `postgres://triglyph:both@${ports.map((each) => `127.0.0.1:${each}`).join(',')}/postgres${parameters}`;
}

function open(ports: readonly number[], parameters?: string): Engine {
  const engine = openPostgres({ url: urlOf(ports, parameters), poolMax: 10 });
  opened.push(engine);
  return engine;
}

/** Also for connections that exist. */
async function setReadOnly({ port }: Postgres, isReadOnly: boolean): Promise<void> {
  await query(urlOf([port]), `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await query(urlOf([port]), 'select pg_reload_conf()');
}

/** Writes, and returns the port of the server that did. */
async function write(engine: Engine): Promise<number> {
  return engine.write(async (session) => {
    await session.execute(add, []);
    return Number((await session.query(port, []))[0]!.port);
  });
}

const unreachable = 1;

test('a host that refuses connections and one that is read-only are passed over', async () => {
  await setReadOnly(one, true);
  expect(await write(open([unreachable, one.port, two.port]))).toBe(two.port);
});
test('control: any host is accepted where the URL says so', async () => {
  await setReadOnly(one, true);
  await expect(write(open([one.port, two.port], '?target_session_attrs=any'))).rejects.toThrow(/read-only/);
});
test('one host may be asked to write, too', async () => {
  await setReadOnly(one, true);
  const engine = open([one.port], '?target_session_attrs=read-write');
  await expect(engine.read((session) => session.query(port, []))).rejects.toThrow(/read-only/);
  await setReadOnly(one, false);
  expect(await write(engine)).toBe(one.port);
});
test('a primary that is demoted is left by all its connections, and no request fails', async () => {
  const engine = open([one.port, two.port]);
  await Promise.all(Array.from({ length: 10 }, () => engine.read((session) => session.query(port, []))));
  expect(await write(engine)).toBe(one.port);
  await setReadOnly(one, true);
  // A session learns of the setting when it is signalled, a moment later.
  await until('the other one', async () => (await write(engine)) === two.port);
  const ports = Array.from({ length: 10 }, async () => (await engine.read((each) => each.query(port, [])))[0]?.port);
  expect(new Set(await Promise.all(ports))).toEqual(new Set([String(two.port)]));
});
test('no host writes: the message names all of them, and no password', async () => {
  const failure: unknown = await write(open([unreachable, unreachable + 1])).catch((thrown: unknown) => thrown);
  expect(String(failure)).toMatch(/no connection to 127\.0\.0\.1:1,127\.0\.0\.1:2\/postgres: ECONNREFUSED/);
  expect(String(failure)).not.toContain('both');
});
