/** The data folder of PostgreSQL that every test server starts with a copy of: one `initdb` and one migration for a run. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { freePort } from './listen-locally.ts';
import { migrate } from './migrated.ts';
import { preparedOncePerRun } from './once-per-run.ts';
import { createInstance, query, runner, runProgram, urlOf } from './postgres-instance.ts';

/** A database with all tables and no rows. */
export const migratedTemplate = 'migrated';

const dataFolder = 'data';
const passwordFile = 'password';

export interface CopiedData {
  readonly data: string;
  /** Of the superuser. */
  readonly password: string;
}

/** Copies the data folder into this one, which the user of the server then owns. */
export async function copyPreparedData(folder: string): Promise<CopiedData> {
  const prepared = await preparedOncePerRun('postgres', prepare);
  giveToServer(folder);
  await copyFolder(join(prepared, dataFolder), join(folder, dataFolder));
  return { data: join(folder, dataFolder), password: readFileSync(join(prepared, passwordFile), 'utf8') };
}

/** Keeps the owner, which the server requires. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** The settings of a server that writes to disk where it is `durable`. */
export function parametersOf(
  folder: string,
  durable: boolean,
  replaced: Readonly<Record<string, string>> = {},
): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '60',
    shared_buffers: '32MB',
    ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
    ...replaced,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function prepare(folder: string): Promise<void> {
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const file = join(folder, passwordFile);
  writeFileSync(file, password);
  giveToServer(folder, file);
  const data = join(folder, dataFolder);
  const superuser = ['--auth=scram-sha-256', '--username=triglyph', `--pwfile=${file}`];
  // Sorts text by bytes, as the embedded store does.
  const sorted = ['--locale=C', '--encoding=UTF8'];
  await runProgram({ folder, password }, 'initdb', ['-D', data, '--no-sync', ...sorted, ...superuser]);
  const port = await freePort();
  const server = createInstance({ folder, password, parameters: parametersOf(folder, false) }, data, port);
  await server.start();
  try {
    await query(server.url, `create database ${migratedTemplate}`);
    const engine = openPostgres({ url: urlOf({ password, port, database: migratedTemplate }), poolMax: 1 });
    await migrate(engine);
    await engine.close();
  } finally {
    await server.end('SIGINT');
  }
}

function giveToServer(...paths: readonly string[]): void {
  const { uid, gid } = runner();
  if (uid !== undefined && gid !== undefined) for (const path of paths) chownSync(path, uid, gid);
}
