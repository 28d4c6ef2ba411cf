/** The stores of a fault-injection run, with triggers by which the database itself counts every effect. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createKeyFile } from '../../../src/core/vault/key-ring.ts';
import type { FaultTrack } from '../../resources/resource.ts';
import { openServed } from '../../resources/served.ts';
import { testServices } from '../../resources/services.ts';
import type { Variables } from '../../support/commands.ts';
import type { Postgres } from '../../support/postgres.ts';
import type { Effect } from './checker.ts';
import { company, roles, tracks } from './request.ts';

/** A store of one run. */
export interface CountingStore {
  readonly variables: Variables;
  /** The effects that are committed. */
  effects(): Promise<readonly Effect[]>;
}

/** Creates equal stores, each for one run. */
export interface Stores {
  readonly apiKeys: ByRole;
  /** `port`: of the proxy before PostgreSQL, where there is one. */
  postgres(port?: number): Promise<CountingStore>;
  sqlite(): CountingStore;
}

const effectTable = 'create table effect (written text not null, row text not null)';
/** `json`: the function of the database that makes an object of names and values. */
const insertEffect = ({ table, columns }: FaultTrack, json: string): string => {
  const pairs = columns.map((column) => `'${column}', new.${column}`);
  return `insert into effect values ('${table}', ${json}(${pairs.join(', ')}))`;
};
const postgresTriggers = [
  effectTable,
  ...tracks.flatMap((track) => [
    `create function count_${track.table}() returns trigger language plpgsql as
       $$ begin ${insertEffect(track, 'json_build_object')}; return null; end $$`,
    `create trigger count_effect after insert or update on ${track.table} for each row execute function count_${track.table}()`,
  ]),
];
const sqliteTriggers = [
  effectTable,
  ...tracks.flatMap((track) =>
    ['insert', 'update'].map(
      (event) =>
        `create trigger count_${event}_${track.table} after ${event} on ${track.table} for each row
           begin ${insertEffect(track, 'json_object')}; end`,
    ),
  ),
];
const select = 'select written, row from effect';
const template = 'faults_template';
const urlOf = (url: string, database: string, port?: number): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (port !== undefined) changed.port = String(port);
  return changed.href;
};

type ByRole = Readonly<Record<string, string>>;

/** Stores what each service needs, and an API key for its role. */
const seed = async (variables: Variables, apiKeys: ByRole): Promise<void> => {
  const { backend } = await openServed({ HOST: '127.0.0.1', ...variables });
  try {
    for (const { role, prepare } of testServices) {
      const grants = await prepare(backend, company);
      const secret = apiKeys[role]!;
      await backend.registry.addCredential({ tenant: company, kind: 'apiKey', roles: [role], secret, grants });
    }
  } finally {
    await backend.close();
  }
};

const withDatabase = <T>(path: string, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
};

export const prepareStores = async (folder: string, server: Postgres): Promise<Stores> => {
  const keyFile = join(folder, 'keys');
  createKeyFile(keyFile);
  const dataDir = join(folder, 'template');
  const apiKeys = Object.fromEntries(roles.map((role) => [role, randomUUID()]));
  await seed({ KEY_FILE: keyFile, DATA_DIR: dataDir }, apiKeys);
  withDatabase(join(dataDir, 'triglyph.db'), (database) => database.exec(sqliteTriggers.join(';')));
  await server.ask(`create database ${template}`);
  const url = urlOf(server.url, template);
  await seed({ KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: url }, apiKeys);
  for (const text of postgresTriggers) await server.ask(text, [], url);

  let stores = 0;
  return {
    apiKeys,
    async postgres(port) {
      const database = `faults_${++stores}`;
      await server.ask(`create database ${database} template ${template}`);
      const own = urlOf(server.url, database);
      return {
        variables: { KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: urlOf(server.url, database, port) },
        effects: async () => (await server.ask(select, [], own)) as unknown as readonly Effect[],
      };
    },
    sqlite() {
      const own = join(folder, `sqlite-${++stores}`);
      mkdirSync(own, { mode: 0o700 });
      cpSync(dataDir, own, { recursive: true });
      return {
        variables: { KEY_FILE: keyFile, DATA_DIR: own },
        effects: async () =>
          withDatabase(
            join(own, 'triglyph.db'),
            (database) => database.prepare(select).all() as unknown as readonly Effect[],
          ),
      };
    },
  };
};
