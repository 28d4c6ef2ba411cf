/** Statements without a time limit while their server hangs: all of its processes are suspended, or its cable is cut. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import type { WatchTimes } from '../../src/stores/postgres/server-watch.ts';
import { type Engine, type Statement, statement } from '../../src/stores/sql/engine.ts';
import { startTriglyph, triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type TestProxy as Cable, openProxy } from '../support/proxy.ts';
import { prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const fast: WatchTimes = { pauseMs: 50, silenceMsMax: 400 };
const never: WatchTimes = { pauseMs: 1_000_000, silenceMsMax: 1_000_000 };
const slowly = statement('slowly', 'select pg_sleep(2)');
const lockTable = statement('lock-held', 'lock table held in access exclusive mode');
const endlessly = statement('endlessly', 'select pg_sleep(1000)');

const folder = tempFolder();
let server: Postgres;
let proxy: Cable;
let url: string;
const opened: Engine[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  proxy = await openProxy(server.port);
  url = (await server.createDatabase()).replace(`:${server.port}/`, `:${proxy.port}/`);
});
afterEach(async () => {
  // First, so that no statement is tried again.
  await proxy.close();
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
});
afterAll(async () => {
  await server?.discard();
  folder.discard();
});

function open(watchTimes: WatchTimes): Engine {
  const engine = openPostgres({ url, poolMax: 2, watchTimes });
  opened.push(engine);
  return engine;
}

/** Runs a statement without a time limit; `attempts` counts its transactions. */
function run(engine: Engine, ...statements: readonly Statement[]) {
  const state = { attempts: 0, isOver: false };
  const ended = engine
    .write(
      async (session) => {
        state.attempts += 1;
        for (const each of statements) await session.query(each, []);
      },
      { noTimeout: true },
    )
    .finally(() => {
      state.isOver = true;
    });
  ended.catch(() => {});
  return { state, ended };
}

const running = async (text: string): Promise<number> => {
  const [row] = await server.ask(
    `select count(*)::int as found from pg_stat_activity
     where datname = current_database() and state = 'active' and query = '${text}'`,
    [],
    url,
  );
  return Number(row?.found);
};

/** Suspends all processes of the server; the returned function lets them go on. */
async function suspend(): Promise<() => void> {
  const [row] = await server.ask(`select current_setting('data_directory') as folder`);
  const main = Number(readFileSync(join(String(row?.folder), 'postmaster.pid'), 'utf8').split('\n')[0]);
  // While it is suspended, children that end keep their process ids.
  process.kill(main, 'SIGSTOP');
  const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...children, main]) process.kill(pid, 'SIGCONT');
  };
}

test('a server that is suspended ends the statement with an error that names it; control: without the watch it waits', async () => {
  const watched = run(open(fast), endlessly);
  const control = run(open(never), endlessly);
  await until('both statements to run', async () => (await running(endlessly.text)) === 2);
  const resume = await suspend();
  try {
    await expect(watched.ended).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining(`127.0.0.1:${proxy.port}/`),
    });
    expect(control.state.isOver).toBe(false);
  } finally {
    resume();
  }
});

test('a connection that carries nothing any more is replaced; control: without the watch the statement waits', async () => {
  const watched = run(open(fast), slowly);
  const control = run(open(never), slowly);
  await until('both statements to run', async () => (await running(slowly.text)) === 2);
  proxy.freeze();
  await watched.ended;
  expect(watched.state.attempts).toBe(2);
  expect(control.state).toEqual({ attempts: 1, isOver: false });
});

test('a long statement is not cut, nor one that waits for its lock', async () => {
  await server.ask('create table held (id bigint)', [], url);
  const holder = run(open(fast), lockTable, slowly);
  await until('the first to sleep', async () => (await running(slowly.text)) === 1);
  const waiter = run(open(fast), lockTable);
  await Promise.all([holder.ended, waiter.ended]);
  expect([holder.state.attempts, waiter.state.attempts]).toEqual([1, 1]);
});

test.each([
  [['migrate'], 'Run `triglyph migrate` again'],
  [['copy', '--from', 'env:DATABASE_URL', '--to', 'sqlite:./target'], 'Run the same command again'],
])('triglyph %j says which server does not answer, and how to go on', async (parameters, next) => {
  const resume = await suspend();
  try {
    const { code, stderr } = await triglyph(parameters, folder.path, { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain(`PostgreSQL at 127.0.0.1:${proxy.port}/`);
    expect(stderr).toContain(next);
  } finally {
    resume();
  }
});

const stored = async (): Promise<number> => {
  const [row] = await server.ask('select count(*)::int as details from stored_detail', [], url);
  return Number(row?.details);
};

test('an import says how many rows are done, and goes on where it was', async () => {
  const { variables } = await prepareProduction(folder.path, { DATABASE_URL: url });
  const card = { number: '4111111111111111', expiryMonth: '03', expiryYear: '2031', holderName: 'Anna' };
  const rows = Array.from({ length: 4_000 }, (_, at) =>
    JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: `s-${at}`, contracts: 'RECURRING', card }),
  );
  writeFileSync(join(folder.path, 'rows.jsonl'), rows.join('\n'));
  const importing = startTriglyph(['import', 'rows.jsonl'], folder.path, variables);
  await until('some rows to be stored', async () => (await stored()) > 0);
  const resume = await suspend();
  try {
    expect(await importing.over).toBe(1);
    const { stderr } = importing.received;
    expect(stderr).toContain(`PostgreSQL at 127.0.0.1:${proxy.port}/`);
    expect(stderr).toMatch(/The first [1-9]\d* rows of rows\.jsonl are done\./);
    expect(stderr).toContain('Run the same command again when it answers');
  } finally {
    resume();
  }
  // The control: the server was suspended within the import.
  expect(await stored()).toBeLessThan(rows.length);
  const { code, stdout } = await triglyph(['import', 'rows.jsonl'], folder.path, variables);
  // What the server had received when it was suspended may be committed after.
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/ [1-9]\d* rows were imported before\./) });
  expect(await stored()).toBe(rows.length);
});
