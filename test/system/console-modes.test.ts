/** Tests where the console is: on the admin port of one process or of workers, for all in the demo, and nowhere when it is off. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folders: TempFolder[] = [];
let server: Server | undefined;
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(async () => {
  await postgres.discard();
  for (const each of folders) each.discard();
});

// The bundled program has other modules.
const file = join(import.meta.dirname, '../../src/program/main.ts');
const watched = {
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../support/loaded-modules.mjs')} --disable-warning=ExperimentalWarning`,
};
const consoleModules = ({ output }: Server): number => output().match(/^loaded .*\/console\//gm)?.length ?? 0;

test.each([
  ['off', { CONSOLE: 'off' }, 404, false],
  ['on, as the control', {}, 200, true],
] as const)('a server with the console %s loads none of it at its start', async (_, also, status, isLoaded) => {
  const folder = tempPath();
  const { variables } = await prepareProduction(folder);
  server = await startServer('serve', folder, { ...variables, ...also, ...watched }, { file });
  expect(consoleModules(server)).toBe(0);
  expect((await fetch(`${server.admin}/console/session`)).status).toBe(status);
  expect((await fetch(`${server.callers}/console/session`)).status).toBe(404);
  if (isLoaded) await until('the console to be loaded', () => consoleModules(server!) > 10);
  else expect(consoleModules(server)).toBe(0);
});

test('the primary of several workers serves the console', async () => {
  const database = await postgres.createMigratedDatabase();
  const folder = tempPath();
  const { variables } = await prepareProduction(folder, { DATABASE_URL: database });
  const added = await triglyph(
    ['credential', 'add', 'Acme', '--username', 'anna@Company.Acme', '--role', 'console', '--json'],
    folder,
    variables,
  );
  const { secret } = JSON.parse(added.stdout);
  server = await startServer('serve', folder, { ...variables, WORKERS: '2' });
  const headers = { Authorization: basic('anna@Company.Acme', secret) };
  const answer = await fetch(`${server.admin}/console/api/v1/overview`, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ workers: 2, ready: true, store: 'PostgreSQL' });
  const state = async (path: string) => (await fetch(`${server!.admin}/console/api/v1${path}`, { headers })).json();
  const workers = [{ role: 'worker' }, { role: 'worker' }];
  expect(await state('/state/processes')).toMatchObject({ processes: [{ role: 'primary' }, ...workers] });
  expect(await state('/state/store')).toMatchObject({ engine: 'PostgreSQL', processes: [{ max: 10 }, { max: 10 }] });
  expect(await state('/overview/attention')).toMatchObject({ isComplete: true });
  expect((await fetch(`${server.callers}/console/session`)).status).toBe(404);
  // What was recorded is stored before the end.
  expect(await server.stop()).toBe(0);
  server = undefined;
  const { stdout } = await triglyph(['audit', 'show', '--kind', 'consoleView', '--json'], folder, variables);
  expect(stdout).toContain('overview');
});

test('the demo prints the address of its console, which callers reach', async () => {
  server = await startServer('demo', tempPath());
  const [, address = ''] = /^Console +(\S+)$/m.exec(server.output()) ?? [];
  expect(address).toBe(`${server.callers}/console`);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect((await fetch(`${server.admin}/console`)).status).toBe(200);
});

/** A folder of the test's own. */
function tempPath(): string {
  const own = tempFolder();
  folders.push(own);
  return own.path;
}
