/** Signals to npm and npx, and to the first process of a container: the server behind them drains and ends. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { environment, program, type Variables } from '../support/commands.ts';
import { holdRequest } from '../support/held-request.ts';
import { isNightly } from '../support/nightly.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { endGroup, type Group, hasProcesses, startGroup } from '../support/process-group.ts';
import { basic, demoAuthorization, type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { hangMsMax, until } from '../support/until.ts';

const folder = tempFolder();
/** A machine with much else to do must not end the time of a request that is held back. */
const unhurried = { DRAIN_MS_MAX: String(hangMsMax) };
let postgres: Postgres;
let production: Production;
let workers: Variables;
beforeAll(async () => {
  production = await prepareProduction(folder.path, unhurried);
  postgres = await startPostgres();
  const shared = join(folder.path, 'workers');
  mkdirSync(shared);
  const { variables } = await prepareProduction(shared, {
    DATABASE_URL: await postgres.createMigratedDatabase(),
    ...unhurried,
  });
  workers = { ...variables, WORKERS: '2' };
  installProject();
});
afterAll(async () => {
  await postgres.discard();
  folder.discard();
});

const bin = join(import.meta.dirname, '../../bin/triglyph.mjs');

/** A project with the scripts of this one, in which the program is installed. */
function installProject(): void {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const pick = (name: string) => scripts[name].replace('bin/triglyph.mjs', bin);
  const withoutExec = pick('start').replace(/^exec /, '');
  const upstream = scripts['demo:upstream'].replace('examples', join(bin, '../../examples'));
  const own = {
    ...{ name: 'project', private: true },
    scripts: { start: pick('start'), demo: pick('demo'), withoutExec, 'demo:upstream': upstream },
  };
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify(own));
  const installed = join(folder.path, 'node_modules/.bin');
  mkdirSync(installed, { recursive: true });
  symlinkSync(bin, join(installed, 'triglyph'));
}

type Command = readonly [name: string, ...parameters: string[]];

const npmStart: Command = ['npm', 'start'];
const npmDemo: Command = ['npm', 'run', 'demo'];
const npxServe: Command = ['npx', 'triglyph', 'serve'];
/** As projects of their own have it. */
const npmWithoutExec: Command = ['npm', 'run', 'withoutExec'];

let run: Group | undefined;
afterEach(async () => {
  if (run !== undefined) await endGroup(run.pid);
  run = undefined;
});

/** Starts a command, with the Node that runs the tests. */
function begin([name, ...parameters]: Command, variables: Variables = production.variables): Group {
  const env = environment(variables);
  const PATH = [dirname(process.execPath), env.PATH].join(delimiter);
  run = startGroup(name, parameters, folder.path, { ...env, PATH, npm_config_update_notifier: 'false' });
  return run;
}

/** Waits until the server is ready. Returns the address for callers. */
async function ready({ output }: Group): Promise<string> {
  await until(output, () => /"ready"|The demo is ready/.test(output()));
  return /callers(?: at |":")(http:\/\/[^\s",]+:\d+)/.exec(output())![1]!;
}

interface Drain {
  readonly authorization?: string;
  /** Of the answer. */
  readonly status?: number;
  send(pid: number): void;
}

/** Sends signals while a request is in flight and a connection idle. The request is answered, and no process remains. */
async function expectDrain(started: Group, { authorization = acme(), status = 200, send }: Drain): Promise<void> {
  const callers = await ready(started);
  const held = await holdRequest(callers, authorization);
  const idle = connect(Number(new URL(callers).port), '127.0.0.1').on('error', () => {});
  send(started.pid);
  await until('the drain', () =>
    fetch(callers).then(
      () => false,
      () => true,
    ),
  );
  held.release();
  expect((await held.answer).status).toBe(status);
  await until(started.output, () => !hasProcesses(started.pid));
  idle.destroy();
}

const acme = () => basic(production.credential.username, production.credential.secret);

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;

describe.each(signals)('%s to the outermost process drains and ends', (signal) => {
  const send = (pid: number): void => {
    process.kill(pid, signal);
  };

  test('npm start', () => expectDrain(begin(npmStart), { send }));
  test('npm start with workers', () => expectDrain(begin(npmStart, workers), { send }));
  // The account of the request is not one of the demo.
  test('npm run demo', () =>
    expectDrain(begin(npmDemo, { DATA_DIR: join(folder.path, 'demo'), ...unhurried }), {
      authorization: demoAuthorization,
      status: 403,
      send,
    }));
  // npm passes SIGINT on to the shell, which waits for its command: a terminal would have sent it to both.
  if (signal === 'SIGINT') return;
  test('npx triglyph serve', () => expectDrain(begin(npxServe), { send }));
  test('a script without exec', () => expectDrain(begin(npmWithoutExec), { send }));
});

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  '%s to npm run demo:upstream ends both servers',
  async (signal) => {
    const started = begin(['npm', 'run', 'demo:upstream'], {});
    const callers = await ready(started);
    process.kill(started.pid, signal);
    await until(started.output, () => !hasProcesses(started.pid));
    await expect(fetch(callers)).rejects.toThrow('fetch failed');
  },
);

test.each([
  ['npm start', npmStart],
  ['npx triglyph serve', npxServe],
] as const)('a signal to the whole group counts once, although npm passes it on: %s', (_, command) =>
  expectDrain(begin(command), { send: (pid) => process.kill(-pid, 'SIGINT') }),
);

test('npm passes on SIGTERM again and again, and the server drains once', () =>
  expectDrain(begin(npmStart), {
    send(pid) {
      for (let times = 0; times < 5; times += 1) process.kill(pid, 'SIGTERM');
    },
  }));

test('a later signal ends the server without a drain', async () => {
  const started = begin(npmStart);
  const held = await holdRequest(await ready(started), acme());
  const refused = expect(held.answer).rejects.toThrow();
  process.kill(started.pid, 'SIGTERM');
  const signalAgain = setInterval(() => hasProcesses(started.pid) && process.kill(-started.pid, 'SIGTERM'), 500);
  await refused;
  await until(started.output, () => !hasProcesses(started.pid));
  clearInterval(signalAgain);
  expect(started.output()).not.toContain('"stopped"');
});

describe('a signal to a script that ends its descendants', () => {
  /** Prints the pids of two processes: one in a group of its own, and one that a child started and that ignores SIGTERM. */
  const startScript = async (ending: string) => {
    const file = join(folder.path, 'descendants.mjs');
    const stubborn = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1e9)";
    const child =
      "require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' })";
    writeFileSync(
      file,
      `import { spawn } from 'node:child_process';
       ${ending}
       console.log(spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).pid);
       spawn(process.execPath, ['-e', ${JSON.stringify(child)}, ${JSON.stringify(stubborn)}], { stdio: 'inherit' });`,
    );
    const started = begin([process.execPath, file], {});
    const pids = () => (started.output().match(/\d+(?=\n)/g) ?? []).map(Number);
    await until(started.output, () => pids().length === 2);
    return { ...started, pids: pids() };
  };
  const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

  test('ends them all', async () => {
    const module = pathToFileURL(join(bin, '../../scripts/end-descendants.mjs'));
    const { pid, pids } = await startScript(
      `import { endDescendantsOnSignals } from '${module}'; endDescendantsOnSignals();`,
    );
    process.kill(pid, 'SIGTERM');
    await until('their end', () => !pids.some(isRunning) && !hasProcesses(pid));
  });

  test('and one that does not leaves them (control)', async () => {
    const { pid, pids } = await startScript('');
    process.kill(pid, 'SIGTERM');
    await until('its end', () => !isRunning(pid));
    expect(pids.filter(isRunning)).toEqual(pids);
    for (const each of pids) process.kill(each, 'SIGKILL');
  });
});

/** How many moments of a start are tried. */
const steps = isNightly ? 12 : 6;

describe.each([
  ['npm start', npmStart],
  ['npx triglyph serve', npxServe],
] as const)('%s', (_, command) => {
  test('leaves no process when it is stopped at any moment of its start', async () => {
    const startedAt = performance.now();
    const measured = begin(command, workers);
    await ready(measured);
    const startMs = performance.now() - startedAt;
    await endGroup(measured.pid);
    for (let step = 1; step < steps; step += 1) {
      const { pid, output } = begin(command, workers);
      await new Promise((resolve) => setTimeout(resolve, (step * startMs) / (steps - 1)));
      process.kill(pid, 'SIGTERM');
      await until(`${step}: ${output()}`, () => !hasProcesses(pid));
    }
  });
});

describe('as the first process of a container', () => {
  /** The process with number 1 in its namespace, and the pid by which others know it. */
  const startFirst = async (...parameters: readonly string[]): Promise<Group & { readonly first: number }> => {
    const namespace = ['--fork', '--pid', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
    const started = begin(['unshare', ...namespace, process.execPath, program, 'serve', ...parameters]);
    const children = `/proc/${started.pid}/task/${started.pid}/children`;
    let first = 0;
    await until('the first process', () => {
      first = Number(readFileSync(children, 'utf8'));
      return first > 0;
    });
    return { ...started, first };
  };

  test('a server ends at SIGTERM before it is ready', async () => {
    const file = join(folder.path, 'never-loaded.config.mjs');
    writeFileSync(file, "console.log('configuring');\nawait new Promise((resolve) => setTimeout(resolve, 1e9));\n");
    const { first, output } = await startFirst('--config', file);
    await until(output, () => output().includes('configuring'));
    process.kill(first, 'SIGTERM');
    await until('its end', () => !existsSync(`/proc/${first}`));
  });

  test('a server drains at SIGTERM', async () => {
    const started = await startFirst();
    await expectDrain(started, { send: () => process.kill(started.first, 'SIGTERM') });
  });
});
