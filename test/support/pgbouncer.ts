/** Starts PgBouncer in transaction mode in front of a PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './listen-locally.ts';
import type { Postgres } from './postgres.ts';
import { query, runner, urlOf } from './postgres-instance.ts';
import { createTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface PgBouncer {
  /** The URL of the same database by way of PgBouncer. */
  through(url: string): string;
  close(): Promise<void>;
}

/** It may open so many connections to each database. */
export async function startPgBouncer(
  { password, port: serverPort }: Postgres,
  poolSize: number,
  added: readonly string[] = [],
): Promise<PgBouncer> {
  const folder = createTempFolder();
  const port = await freePort();
  const [users, file] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')];
  writeFileSync(users, `"triglyph" "${password}"\n`);
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      // The tests have many databases, and the server has few connections.
      'server_idle_timeout = 1',
      ...added,
    ].join('\n'),
  );
  const { uid, gid } = runner();
  if (uid !== undefined && gid !== undefined) for (const path of [folder, users, file]) chownSync(path, uid, gid);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn('pgbouncer', [file], { ...runner(), cwd: folder, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = urlOf({ password, port, database: 'postgres' });
  await until('PgBouncer to answer', () =>
    query(url, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return {
    through: (other) => `${other.replace(`:${serverPort}/`, `:${port}/`)}`,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
