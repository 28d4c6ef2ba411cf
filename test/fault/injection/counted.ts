/** The stores of a fault-injection run, prepared as an operator does, with triggers by which the database itself counts every effect. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Backend, openBackend } from '../../../src/app/backend.ts';
import { readConfig } from '../../../src/app/config.ts';
import type { Role } from '../../../src/contract/operation.ts';
import type { NewCredential } from '../../../src/store/sql/credential-registry.ts';
import { createKeyFile } from '../../../src/vault/key-ring.ts';
import type { Postgres } from '../../support/postgres.ts';
import { basic, type Variables } from '../../support/server.ts';
import type { Effect } from './checker.ts';
import { company, tracks } from './request.ts';
import { accounts, balancePlatform, holder } from './tracks/platform.ts';
import { merchantAccount } from './tracks/recurring.ts';
import type { Track } from './tracks/track.ts';

/** A store of one run. */
export interface Counted {
  readonly variables: Variables;
  /** As far as is committed now. */
  effects(): Promise<readonly Effect[]>;
}

/** Gives stores that differ in nothing, each for one run. */
export interface Stores {
  /** By the role that they have. */
  readonly authorizations: ByRole;
  /** Of the PostgreSQL at the port: a proxy's, where something stands before it. */
  postgres(port?: number): Promise<Counted>;
  sqlite(): Counted;
}

const effectTable = 'create table effect (written text not null, row text not null)';
/** `json`: how the database makes an object of names and values. */
const note = ({ table, columns }: Track, json: string): string => {
  const pairs = columns.map((column) => `'${column}', new.${column}`);
  return `insert into effect values ('${table}', ${json}(${pairs.join(', ')}))`;
};
const postgresTriggers = [
  effectTable,
  ...tracks.flatMap((track) => [
    `create function note_${track.table}() returns trigger language plpgsql as
       $$ begin ${note(track, 'json_build_object')}; return null; end $$`,
    `create trigger note after insert or update on ${track.table} for each row execute function note_${track.table}()`,
  ]),
];
const sqliteTriggers = [
  effectTable,
  ...tracks.flatMap((track) =>
    ['insert', 'update'].map(
      (event) =>
        `create trigger note_${event}_${track.table} after ${event} on ${track.table} for each row
           begin ${note(track, 'json_object')}; end`,
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

type ByRole = Readonly<Record<Role, string>>;

/** An account holder with the balance accounts that cards are made for; more are opened for it later on. */
const furnishPlatform = ({ store: details }: Backend): Promise<void> =>
  details.write(async (unit) => {
    const common = { platform: balancePlatform, revision: 1 };
    const open = { status: 'active', timeZone: 'UTC' } as const;
    const primary = { primaryBalanceAccount: accounts.right };
    const record = { id: holder, balancePlatform, legalEntityId: 'LE1', ...primary, ...open };
    await unit.addResource({ kind: 'accountHolder', ...common, record });
    for (const id of Object.values(accounts)) {
      const account = { id, accountHolderId: holder, balances: [], defaultCurrencyCode: 'EUR', ...open };
      await unit.addResource({ kind: 'balanceAccount', ...common, record: account });
    }
  });

/** Gives the Authorization headers of a credential for each role. */
const furnish = async (variables: Variables, secrets: ByRole): Promise<ByRole> => {
  const config = readConfig('production', { HOST: '127.0.0.1', ...variables });
  const room = await openBackend(config, { exclusive: false });
  const { registry } = room;
  try {
    await registry.addMerchantAccount(company, merchantAccount);
    await registry.saveBalancePlatform({
      id: balancePlatform,
      company,
      description: '',
      status: 'Active',
      timeZone: 'UTC',
    });
    await furnishPlatform(room);
    const issued = async (role: Role, scope: Pick<NewCredential, 'merchantAccounts' | 'balancePlatform'>) => {
      const secret = secrets[role];
      const { username } = await registry.addCredential({ company, kind: 'basic', roles: [role], secret, ...scope });
      return basic(username!, secret);
    };
    return {
      recurring: await issued('recurring', { merchantAccounts: [merchantAccount] }),
      balancePlatform: await issued('balancePlatform', { merchantAccounts: [], balancePlatform }),
    };
  } finally {
    await room.close();
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
  const secrets = { recurring: randomUUID(), balancePlatform: randomUUID() };
  const authorizations = await furnish({ KEY_FILE: keyFile, DATA_DIR: dataDir }, secrets);
  withDatabase(join(dataDir, 'triglyph.db'), (database) => database.exec(sqliteTriggers.join(';')));
  await server.ask(`create database ${template}`);
  const url = urlOf(server.url, template);
  await furnish({ KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: url }, secrets);
  for (const text of postgresTriggers) await server.ask(text, [], url);

  let counted = 0;
  return {
    authorizations,
    async postgres(port) {
      const database = `faults_${++counted}`;
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
