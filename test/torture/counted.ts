/** The stores under torture, prepared as an operator does, with triggers by which the database itself counts every effect. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readConfig } from '../../src/config.ts';
import { openStrongroom } from '../../src/strongroom.ts';
import { createKeyFile } from '../../src/vault/key-ring.ts';
import type { Postgres } from '../support/postgres.ts';
import { basic, type Variables } from '../support/server.ts';
import type { Effect } from './judge.ts';
import { company, merchantAccount } from './request.ts';

/** A store of one run. */
export interface Counted {
  readonly variables: Variables;
  /** As far as is committed now. */
  effects(): Promise<readonly Effect[]>;
}

/** Gives stores that differ in nothing, each for one run. */
export interface Stores {
  readonly authorization: string;
  /** Of the PostgreSQL at the port: a proxy's, where something stands before it. */
  postgres(port?: number): Promise<Counted>;
  sqlite(): Counted;
}

const effectTable =
  'create table effect (shopper text not null, kind text not null, contracts text not null, open_part text not null)';
const note = `insert into effect select new.shopper_reference,
  case when new.disabled_at is null then 'stored' else 'disabled' end, new.contracts, new.open_part`;
const postgresTriggers = [
  effectTable,
  `create function note_effect() returns trigger language plpgsql as $$ begin ${note}; return null; end $$`,
  'create trigger note_effect after insert or update on stored_detail for each row execute function note_effect()',
];
const sqliteTriggers = [
  effectTable,
  ...['insert', 'update'].map(
    (event) => `create trigger note_${event} after ${event} on stored_detail for each row begin ${note}; end`,
  ),
];
const select = 'select shopper, kind, contracts, open_part from effect';
const template = 'torture_template';
const urlOf = (url: string, database: string, port?: number): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (port !== undefined) changed.port = String(port);
  return changed.href;
};

/** Gives the secret of the one credential. */
const furnish = async (variables: Variables, secret?: string): Promise<{ username: string; secret: string }> => {
  const config = readConfig('production', { HOST: '127.0.0.1', ...variables });
  const { registry, close } = await openStrongroom(config, { exclusive: false });
  try {
    await registry.addMerchantAccount(company, merchantAccount);
    const merchantAccounts = [merchantAccount];
    const issued = await registry.addCredential({
      company,
      kind: 'basic',
      roles: ['recurring'],
      merchantAccounts,
      ...(secret !== undefined && { secret }),
    });
    return { username: issued.username!, secret: issued.secret };
  } finally {
    await close();
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
  const { username, secret } = await furnish({ KEY_FILE: keyFile, DATA_DIR: dataDir });
  withDatabase(join(dataDir, 'triglyph.db'), (database) => database.exec(sqliteTriggers.join(';')));
  await server.ask(`create database ${template}`);
  const url = urlOf(server.url, template);
  await furnish({ KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: url }, secret);
  for (const text of postgresTriggers) await server.ask(text, [], url);

  let counted = 0;
  return {
    authorization: basic(username, secret),
    async postgres(port) {
      const database = `torture_${++counted}`;
      await server.ask(`create database ${database} template ${template}`);
      const own = urlOf(server.url, database);
      return {
        variables: { KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: urlOf(server.url, database, port) },
        effects: async () => (await server.ask(select, [], own)) as unknown as readonly Effect[],
      };
    },
    sqlite() {
      const own = join(folder, `sqlite-${++counted}`);
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
