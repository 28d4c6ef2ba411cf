/** Starts a private PostgreSQL for one test file, on a free port and in a temporary folder; adds standbys to it. */
import { rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './listen-locally.ts';
import {
  createInstance,
  type Installation,
  type PostgresInstance,
  query,
  runProgram,
  urlOf,
} from './postgres-instance.ts';
import { copyFolder, copyPreparedData, migratedTemplate, parametersOf } from './postgres-template.ts';
import { createTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface Postgres {
  /** The URL of a superuser, with a password that must never be printed. */
  readonly url: string;
  readonly password: string;
  readonly port: number;
  /** The URL of a new and empty database, or of a copy of the database that `from` names. */
  createDatabase(from?: string): Promise<string>;
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
  /** Starts a standby that streams from the server. The server waits for a synchronous one at each commit. */
  addStandby(options?: { readonly synchronous?: boolean }): Promise<Standby>;
  /** Copies the files of the stopped server; the returned function puts them back. The server is restarted both times. */
  backUp(): Promise<() => Promise<void>>;
  /** Stops the servers and removes their folder. */
  discard(): Promise<void>;
}

export interface Standby {
  readonly port: number;
  /** Waits until it holds every commit so far; it receives no later one. */
  cutOff(): Promise<void>;
  /** Kills the primary. This server takes its place, at its address. */
  promote(): Promise<void>;
  /** Kills the primary. This server takes its place, at its own address. */
  takeOver(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Writes to disk, for tests of durability; by default the server starts fast, without fsync. */
  readonly durable?: boolean;
  /** Parameters of the server, which replace those of the tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

export const startPostgres = async ({
  durable = false,
  settings = {},
}: PostgresServerOptions = {}): Promise<Postgres> => {
  const folder = createTempFolder({ onDisk: durable });
  const { data, password } = await copyPreparedData(folder);
  const installation: Installation = { folder, password, parameters: parametersOf(folder, durable, settings) };
  const port = await freePort();
  let primary = createInstance(installation, data, port);
  const standbys: PostgresInstance[] = [];
  let databases = 0;
  const { url } = primary;

  const createFrom = async (template: string): Promise<string> => {
    databases += 1;
    const name = `test_${databases}`;
    // Copying files takes half the CPU time of writing them to the log, but the checkpoints wait for a disk.
    const strategy = durable ? 'wal_log' : 'file_copy';
    await query(url, `create database ${name} template ${template} strategy ${strategy}`);
    return urlOf({ password, port, database: name });
  };

  const addStandby: Postgres['addStandby'] = async ({ synchronous = false } = {}) => {
    const copy = join(folder, `standby-${standbys.length + 1}`);
    const source = ['--host=127.0.0.1', `--port=${port}`, '--username=triglyph'];
    const mode = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    await runProgram(installation, 'pg_basebackup', [`--pgdata=${copy}`, ...source, ...mode]);
    const standby = createInstance(installation, copy, await freePort());
    standbys.push(standby);
    await standby.start();
    const isReplicated = async (condition: string): Promise<boolean> =>
      (await primary.ask(`select from pg_stat_replication where ${condition}`)).length > 0;
    await until('the standby to stream', () => isReplicated("state = 'streaming'"));
    if (synchronous) {
      await primary.ask("alter system set synchronous_standby_names = '*'");
      await primary.ask('select pg_reload_conf()');
      await until('the standby to be synchronous', () => isReplicated("sync_state = 'sync'"));
    }
    const disconnect = async (): Promise<void> => {
      await standby.ask("alter system set primary_conninfo = ''");
      await standby.ask('select pg_reload_conf()');
      await until(
        'the standby to receive no more',
        async () => (await standby.ask('select from pg_stat_wal_receiver')).length === 0,
      );
    };
    return {
      port: standby.port,
      async cutOff() {
        const [sent] = await primary.ask('select pg_current_wal_flush_lsn() as lsn');
        await until('the standby to hold every commit', async () => {
          const [row] = await standby.ask(`select pg_last_wal_replay_lsn() >= '${sent?.lsn}' as holds`);
          return row?.holds === true;
        });
        await disconnect();
      },
      async promote() {
        await primary.end('SIGKILL');
        await disconnect();
        await standby.end('SIGINT');
        primary = createInstance(installation, copy, port);
        await primary.start();
        await primary.ask('select pg_promote()');
      },
      async takeOver() {
        await primary.end('SIGKILL');
        primary = standby;
        await primary.ask('select pg_promote()');
      },
    };
  };

  const replaceFiles = async (from: string, to: string): Promise<void> => {
    await rm(to, { recursive: true, force: true });
    await copyFolder(from, to);
  };

  await primary.start();
  return {
    url,
    password,
    port,
    createDatabase: (from) => createFrom(from === undefined ? 'template1' : new URL(from).pathname.slice(1)),
    createMigratedDatabase: () => createFrom(migratedTemplate),
    ask: (text, values, other = url) => query(other, text, values),
    stop: () => primary.end('SIGINT'),
    kill: () => primary.end('SIGKILL'),
    start: () => primary.start(),
    setStandby(isStandby) {
      const signal = join(primary.data, 'standby.signal');
      if (isStandby) writeFileSync(signal, '');
      else rmSync(signal, { force: true });
    },
    addStandby,
    async backUp() {
      const backup = join(folder, 'backup');
      await primary.end('SIGINT');
      await replaceFiles(primary.data, backup);
      await primary.start();
      return async () => {
        await primary.end('SIGKILL');
        await replaceFiles(backup, primary.data);
        await primary.start();
      };
    },
    async discard() {
      for (const each of [primary, ...standbys]) await each.end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
