/**
 * Tests servers whose log cannot be written: a full disk, a reader that has gone and a reader that has stopped. Requests are
 * answered, and every process ends when it is told to. The control is the writer that the log had before.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { environment, program, type Variables } from '../support/commands.ts';
import { freePort } from '../support/listen-locally.ts';
import { startPostgres } from '../support/postgres.ts';
import { ask, basic, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { type Unwritable, unwritable } from '../support/unwritable.ts';

const source = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../src', path));
const [fullDevice, goneReader, stoppedReader] = [
  'a full device',
  'a pipe whose reader has gone',
  'a pipe that is not read',
];
/** Only root may mount a disk. */
const fullDisk = 'a file on a full disk' in unwritable ? 'a file on a full disk' : fullDevice;

const folder = tempFolder();
// Concurrent tests start before any hook.
const postgres = await startPostgres();
const production = await prepareProduction(folder.path, { DATABASE_URL: postgres.url });
const ends: (() => void)[] = [];
afterAll(async () => {
  for (const end of ends) end();
  await postgres.discard();
  folder.discard();
});

const open = (target: string): Unwritable => {
  const opened = unwritable[target]!(folder.path);
  ends.push(opened.discard);
  return opened;
};

const start = (parameters: readonly string[], { fd }: Unwritable, variables: Variables = {}): ChildProcess => {
  const child = spawn(process.execPath, parameters, {
    cwd: folder.path,
    env: environment(variables),
    stdio: ['ignore', fd, 'pipe'],
  });
  ends.push(() => child.kill('SIGKILL'));
  return child;
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

describe('the log alone', () => {
  const enough = 'more lines than a pipe holds';
  /** Writes more than a pipe holds, and ends at SIGTERM. */
  const script = (prepare: string, close: string): string => `
    ${prepare}
    process.on('SIGTERM', async () => { ${close}; process.exit(); });
    const line = JSON.stringify({ filled: 'x'.repeat(300) }) + '\\n';
    let rounds = 0;
    setInterval(() => {
      for (let n = 0; n < 50; n += 1) write(line);
      rounds += 1;
      if (rounds === 100) process.stderr.write('${enough}');
    }, 10);
  `;
  const ours = script(
    `const { openLog } = await import(${source('http/log.ts')});
     const log = openLog('info');
     const write = () => log.write('info', 'filled', { filled: 'x'.repeat(300) });`,
    'await log.close()',
  );
  const before = script(
    `const { pino } = await import('pino');
     const destination = pino.destination({ dest: 1, sync: false, minLength: 16383, periodicFlush: 500 });
     destination.on('error', () => {});
     const write = (line) => destination.write(line);`,
    'destination.flushSync()',
  );
  const run = async (text: string, target: string): Promise<ChildProcess> => {
    const file = join(import.meta.dirname, '../..');
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      cwd: file,
      stdio: ['ignore', open(target).fd, 'pipe'],
    });
    ends.push(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until('the lines', () => said.includes(enough));
    child.kill('SIGTERM');
    return child;
  };

  test.each(Object.keys(unwritable))('a process that logs to %s ends', async (target) => {
    const child = await run(ours, target);
    await until('the end', () => hasEnded(child));
  });

  test('with the writer before, it does not end on a full device, nor on a pipe that is not read (control)', async () => {
    const children = await Promise.all([fullDevice, stoppedReader].map((each) => run(before, each)));
    await wait(3_000);
    expect(children.map(hasEnded)).toEqual([false, false]);
  });
});

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

interface Serving {
  readonly child: ChildProcess;
  readonly admin: string;
  /** The server and its workers. */
  readonly pids: readonly number[];
}

/** More log lines than a pipe holds. */
const requests = 300;

/** Starts a server, and sends requests that are all answered. */
const serve = async (target: string, workers: number): Promise<Serving> => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = start([program, 'serve'], open(target), {
    ...production.variables,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    WORKERS: String(workers),
  });
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const admin = `http://127.0.0.1:${adminPort}`;
  await until('readiness', async () => hasEnded(child) || (await fetch(`${admin}/readyz`)).ok);
  if (hasEnded(child)) throw new Error(`the server ended: ${errors}`);
  const pids = [child.pid!, ...childrenOf(child.pid!)];
  ends.push(() => {
    for (const pid of pids) if (!isGone(pid)) process.kill(pid, 'SIGKILL');
  });
  const { username, secret } = production.credential;
  const listed = { merchantAccount: 'AcmeWeb', shopperReference: 'unknown-shopper' };
  const list = async (): Promise<number> =>
    (await ask(`http://127.0.0.1:${port}`, 'listRecurringDetails', listed, basic(username, secret))).status;
  for (let n = 0; n < requests; n += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        let status = 503;
        // On a busy machine the store may be too slow for 20 requests at once.
        await until('an answer of the store', async () => {
          status = await list();
          return status !== 503;
        });
        expect(status).toBe(200);
      }),
    );
  return { child, admin, pids };
};

const failedWrites = async (admin: string): Promise<number> => {
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^triglyph_log_events_total\{kind="failed"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
};

// Each kind of process meets two failures that differ: all pairs would only take longer.
test.concurrent.each([
  [1, fullDevice],
  [1, stoppedReader],
  [2, fullDisk],
  [2, goneReader],
])('WORKERS=%i with %s for a log: requests are answered, and all processes end at SIGTERM', async (workers, target) => {
  const { child, admin, pids } = await serve(target, workers);
  expect(pids.length).toBe(workers === 1 ? 1 : workers + 1);
  // A reader that has stopped is no failure, until the buffer is full.
  if (target !== stoppedReader) await until('a count', async () => (await failedWrites(admin)) > 0);
  child.kill('SIGTERM');
  await until('the end', () => pids.every(isGone));
  // A process that cannot end because a write is under way kills itself.
  if (target === stoppedReader) expect([0, null]).toContain(child.exitCode);
  else expect(child.exitCode).toBe(0);
});

test.concurrent.each([goneReader, stoppedReader])(
  'with %s for a log, workers end when their primary is killed',
  async (target) => {
    const { child, pids } = await serve(target, 2);
    child.kill('SIGKILL');
    await until('the end of the workers', () => pids.every(isGone));
  },
);
