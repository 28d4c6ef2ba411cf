/** Kills the primary with SIGKILL at many moments while its workers start: no worker remains. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { environment, program, type Variables } from '../support/commands.ts';
import { isNightly } from '../support/nightly.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { endGroup, type Group, hasProcesses, startGroup } from '../support/process-group.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let postgres: Postgres;
let redis: RedisServer;
let variables: Variables;
/** How long the workers take until they serve. */
let startMs: number;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  // The connection to Redis keeps a process alive.
  const stores = { DATABASE_URL: await postgres.createMigratedDatabase(), REDIS_URL: redis.url };
  variables = { ...(await prepareProduction(folder.path, stores)).variables, WORKERS: '2' };
  startMs = await measureStart();
});
afterAll(async () => {
  await Promise.all([redis.stop(), postgres.discard()]);
  folder.discard();
});

interface Starting extends Group {
  /** When its first worker began, by `performance.now()`. */
  readonly workerAt: number;
}

/** Starts a server. Resolves when it has a worker. */
async function begin(also: Variables = {}): Promise<Starting> {
  const env = environment({ ...variables, ...also });
  const group = startGroup(process.execPath, [program, 'serve'], folder.path, env);
  const children = `/proc/${group.pid}/task/${group.pid}/children`;
  await until('a worker', () => existsSync(children) && readFileSync(children, 'utf8') !== '');
  return { ...group, workerAt: performance.now() };
}

const passed = (since: number, ms: number) => () => performance.now() - since >= ms;

async function measureStart(): Promise<number> {
  const { pid, workerAt, output } = await begin();
  await until('the workers to serve', () => output().includes('"msg":"ready"'));
  const ms = performance.now() - workerAt;
  await endGroup(pid);
  return ms;
}

/** Kills the primary at a part of the time that workers take to start. Returns whether its workers end. */
async function killAt(part: number, also: Variables = {}): Promise<boolean> {
  const { pid, workerAt } = await begin(also);
  await until('the moment', passed(workerAt, part * startMs));
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  await until('the end', () => !hasProcesses(pid) || passed(killedAt, 4 * startMs + 5_000)());
  const isOver = !hasProcesses(pid);
  await endGroup(pid);
  return isOver;
}

test('workers end with a primary that is killed at any moment of their start', async () => {
  const moments = isNightly ? 14 : 7;
  const parts = Array.from({ length: moments }, (_, at) => at / (moments - 2));
  const ended: boolean[] = [];
  for (const part of parts) ended.push(await killAt(part));
  expect(ended).toEqual(parts.map(() => true));
});

test('control: workers that do not end themselves stay', async () => {
  const file = join(folder.path, 'never-exit.mjs');
  writeFileSync(file, 'process.exit = () => {};\n');
  let haveEnded = true;
  for (const part of [0, 0.2, 0.4]) if (haveEnded) haveEnded = await killAt(part, { NODE_OPTIONS: `--import ${file}` });
  expect(haveEnded).toBe(false);
});
