/** A server process of PostgreSQL on one folder of data, and the programs that come with it. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { hangMsMax } from './until.ts';

const debianFolder = '/usr/lib/postgresql';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGQUIT');
});

export interface Installation {
  /** The working folder of every program. */
  readonly folder: string;
  readonly password: string;
  /** Parameters of every server. */
  readonly parameters: readonly string[];
}

export interface PostgresInstance {
  readonly port: number;
  /** The URL of a superuser. */
  readonly url: string;
  readonly data: string;
  start(): Promise<void>;
  /** SIGINT is a fast shutdown. SIGKILL ends the backend processes, too. */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
  ask(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The server is not started. */
export function createInstance(
  { folder, password, parameters }: Installation,
  data: string,
  port: number,
): PostgresInstance {
  const url = urlOf({ password, port, database: 'postgres' });
  let server: ChildProcess | undefined;

  const launch = (): { readonly child: ChildProcess; output(): string } => {
    const child = spawn(binary('postgres'), ['-D', data, '-p', String(port), ...parameters], {
      ...runner(),
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2_000);
    });
    return { child, output: () => output };
  };

  const start = async (): Promise<void> => {
    const deadline = performance.now() + hangMsMax;
    for (;;) {
      const { child, output } = launch();
      server = child;
      while (child.exitCode === null) {
        try {
          await query(url, 'select 1');
          return;
        } catch (thrown) {
          if (performance.now() > deadline)
            throw new Error(`PostgreSQL did not start:\n${output()}`, { cause: thrown });
        }
        await setTimeout(30);
      }
      // After a kill its children still hold the shared memory for a moment.
      if (performance.now() > deadline) throw new Error(`PostgreSQL ended:\n${output()}`);
      await setTimeout(100);
    }
  };

  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const over = once(server, 'exit');
    const children = signal === 'SIGKILL' ? childrenOf(server.pid!) : [];
    server.kill(signal);
    // A backend process outlives its server for a moment and would still answer.
    for (const child of children) {
      try {
        process.kill(child, signal);
      } catch {
        // It has already ended.
      }
    }
    await over;
  };

  return { port, url, data, start, end, ask: (text) => query(url, text) };
}

/** Runs a program of PostgreSQL to its end. */
export async function runProgram(
  { folder, password }: Pick<Installation, 'folder' | 'password'>,
  name: string,
  parameters: readonly string[],
): Promise<void> {
  const env = { ...process.env, PGPASSWORD: password };
  await promisify(execFile)(binary(name), [...parameters], { ...runner(), cwd: folder, env });
}

export async function query(url: string, text: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 20_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

export function urlOf(server: { readonly password: string; readonly port: number; readonly database: string }): string {
  const { password, port, database } = server;
  return `postgres://triglyph:${password}@127.0.0.1:${port}/${database}`;
}

let found: { readonly uid?: number; readonly gid?: number } | undefined;

/** The server refuses to run as root; then it runs as the user of its package. */
export function runner(): NonNullable<typeof found> {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  found ??= process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  return found;
}

/** The newest version that Debian has installed, or the one on the path. */
function binary(name: string): string {
  const folder = programs();
  return folder === '' ? name : join(folder, name);
}

/** The folder of the programs of the newest version that Debian has installed; empty where the path has them. */
export function programs(): string {
  try {
    const [newest] = readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one));
    return newest === undefined ? '' : join(debianFolder, newest, 'bin');
  } catch {
    return '';
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
