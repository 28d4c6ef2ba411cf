/** Starts a private PostgreSQL for one test file, on a free port and in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { createTempFolder } from './temp-folder.ts';

export interface Postgres {
  /** The URL of a superuser, with a password that must never be printed. */
  readonly url: string;
  readonly password: string;
  readonly port: number;
  /** The URL of a new and empty database. */
  createDatabase(): Promise<string>;
  /** The URL of a new database with all tables and no rows. */
  createMigratedDatabase(): Promise<string>;
  /** Runs a query as superuser; `url` selects another database than the first. */
  ask(text: string, values?: readonly unknown[], url?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Fast shutdown: ends the connections, then the server. */
  stop(): Promise<void>;
  /** Sends SIGKILL, which models a power cut. */
  kill(): Promise<void>;
  /** Restarts on the same port. */
  start(): Promise<void>;
  /** Whether the next start is in recovery, as a standby that has lost its primary: it reads and does not write. */
  setStandby(isStandby: boolean): void;
  /** Stops the server and removes its folder. */
  discard(): Promise<void>;
}

const debianFolder = '/usr/lib/postgresql';
const readyMsMax = 30_000;
const migratedTemplate = 'migrated';

/** The newest version that Debian has installed, or the one on the path. */
const binary = (name: string): string => {
  try {
    const [newest] = readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one));
    return newest === undefined ? name : join(debianFolder, newest, 'bin', name);
  } catch {
    return name;
  }
};

/** The server refuses to run as root; then it runs as the user of its package. */
const runner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const query = async (url: string, text: string, values: readonly unknown[] = []) => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** Starts fast, without fsync, by default; `durable` writes to disk, for tests of durability. */
export const startPostgres = async ({ durable = false }: { readonly durable?: boolean } = {}): Promise<Postgres> => {
  const folder = createTempFolder({ onDisk: durable });
  const data = join(folder, 'data');
  const as = runner();
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (as.uid !== undefined && as.gid !== undefined)
    for (const path of [folder, passwordFile]) chownSync(path, as.uid, as.gid);
  const database = ['--auth=scram-sha-256', '--username=triglyph', `--pwfile=${passwordFile}`];
  // Sorts text by bytes, as the embedded store does.
  execFileSync(binary('initdb'), ['-D', data, '--no-sync', '--locale=C', '--encoding=UTF8', ...database], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await freePort();
  const urlOf = (name: string) => `postgres://triglyph:${password}@127.0.0.1:${port}/${name}`;
  const url = urlOf('postgres');
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '60',
    shared_buffers: '32MB',
    ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
  };
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  let databases = 0;
  process.once('exit', () => server?.kill('SIGQUIT'));

  const launch = (): { readonly child: ChildProcess; output(): string } => {
    const child = spawn(binary('postgres'), ['-D', data, '-p', String(port), ...parameters], {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2_000);
    });
    return { child, output: () => output };
  };

  const start = async (): Promise<void> => {
    const deadline = performance.now() + readyMsMax;
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

  const createFrom = async (template: string): Promise<string> => {
    databases += 1;
    const name = `test_${databases}`;
    await query(url, `create database ${name} template ${template}`);
    return urlOf(name);
  };

  let migrated: Promise<void> | undefined;
  const createTemplate = async (): Promise<void> => {
    await query(url, `create database ${migratedTemplate}`);
    const engine = openPostgres({ url: urlOf(migratedTemplate), poolMax: 1 });
    await migrate(engine);
    await engine.close();
  };

  await start();
  return {
    url,
    password,
    port,
    createDatabase: () => createFrom('template1'),
    async createMigratedDatabase() {
      migrated ??= createTemplate();
      await migrated;
      return createFrom(migratedTemplate);
    },
    ask: (text, values, other = url) => query(other, text, values),
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    start,
    setStandby(isStandby) {
      const signal = join(data, 'standby.signal');
      if (isStandby) writeFileSync(signal, '');
      else rmSync(signal, { force: true });
    },
    async discard() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
