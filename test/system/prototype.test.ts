/** Tests that processes of the program have no Object.prototype.__proto__, and that programs with the package keep theirs. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { prepareProduction, type Server, type startServer as Start, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let postgres: Postgres;
let server: Server | undefined;
/** Makes each process say at SIGUSR2 whether it has the accessor. */
const preload = join(folder.path, 'says-prototype.mjs');
beforeAll(async () => {
  postgres = await startPostgres();
  const say = "process.stderr.write('process ' + process.pid + ' has __proto__: ' + ('__proto__' in {}) + '\\n')";
  writeFileSync(preload, `process.on('SIGUSR2', () => ${say});\n`);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(async () => {
  await postgres.discard();
  folder.discard();
});

const start: typeof Start = async (command, place, variables, options) => {
  server = await startServer(command, place, { ...variables, NODE_OPTIONS: `--import ${preload}` }, options);
  return server;
};

async function expectNone({ output }: Server, pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    process.kill(pid, 'SIGUSR2');
    await until(output, () => output().includes(`process ${pid} has`));
    expect(output()).toContain(`process ${pid} has __proto__: false`);
  }
}

test('serve has none', async () => {
  const { variables } = await prepareProduction(folder.path);
  const running = await start('serve', folder.path, variables);
  await expectNone(running, [running.pid]);
});

test('the primary and its workers have none', async () => {
  const place = tempFolder();
  const { variables } = await prepareProduction(place.path, { DATABASE_URL: await postgres.createMigratedDatabase() });
  const running = await start('serve', place.path, { ...variables, WORKERS: '2' });
  const children = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ');
  expect(children).toHaveLength(2);
  await expectNone(running, [running.pid, ...children.map(Number)]);
  place.discard();
});

test('demo has none', async () => {
  const running = await start('demo', folder.path, { DATA_DIR: join(folder.path, 'demo') });
  await expectNone(running, [running.pid]);
});

test('a program that embeds a gateway keeps its own', () => {
  const api = new URL('../../src/program/api/index.ts', import.meta.url).href;
  const text = `const { builtIn, createGateway } = await import('${api}');
    const gateway = await createGateway(builtIn());
    console.log('__proto__' in {});
    await gateway.close();`;
  const printed = execFileSync(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    text,
  ]);
  expect(printed.toString()).toBe('true\n');
});
