/** The stores of a fault-injection run, with triggers by which the database itself counts every effect. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Backend } from '../../../src/backend/backend.ts';
import type { Grants } from '../../../src/callers/credentials/credential-rules.ts';
import { accountHolders } from '../../../src/services/balance-platform/account-holders/kind.ts';
import { balanceAccounts } from '../../../src/services/balance-platform/balance-accounts/kind.ts';
import { balancePlatform } from '../../../src/services/balance-platform/index.ts';
import { ResourceRepository } from '../../../src/services/balance-platform/store/repository.ts';
import { recurring } from '../../../src/services/recurring/index.ts';
import { createKeyFile } from '../../../src/vault/key-ring.ts';
import { trackAccounts, trackHolder, trackPlatform } from '../../resources/platform-track.ts';
import type { FaultTrack } from '../../resources/resource.ts';
import { trackMerchantAccount } from '../../resources/stored-detail-track.ts';
import type { Variables } from '../../support/commands.ts';
import type { Postgres } from '../../support/postgres.ts';
import { basic } from '../../support/server.ts';
import { openBuiltIn, readConfig } from '../../support/services.ts';
import type { Effect } from './checker.ts';
import { company, tracks } from './request.ts';
import type { Role } from './roles.ts';

/** A store of one run. */
export interface CountingStore {
  readonly variables: Variables;
  /** The effects that are committed. */
  effects(): Promise<readonly Effect[]>;
}

/** Creates equal stores, each for one run. */
export interface Stores {
  /** The Authorization header of each role. */
  readonly authorizations: ByRole;
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

type ByRole = Readonly<Record<Role, string>>;

/** Stores an account holder and the balance accounts that cards are created for. */
const seedPlatform = ({ store }: Backend): Promise<void> =>
  store.write(async (transaction) => {
    const common = { platform: trackPlatform, revision: 1 };
    const open = { status: 'active', timeZone: 'UTC' } as const;
    const primary = { primaryBalanceAccount: trackAccounts.right };
    const record = { id: trackHolder, balancePlatform: trackPlatform, legalEntityId: 'LE1', ...primary, ...open };
    await transaction.repository(ResourceRepository).addResource({ kind: accountHolders, ...common, record });
    for (const id of Object.values(trackAccounts)) {
      const account = { id, accountHolderId: trackHolder, balances: [], defaultCurrencyCode: 'EUR', ...open };
      await transaction
        .repository(ResourceRepository)
        .addResource({ kind: balanceAccounts, ...common, record: account });
    }
  });

/** Returns the Authorization header of a credential for each role. */
const seed = async (variables: Variables, secrets: ByRole): Promise<ByRole> => {
  const config = readConfig('production', { HOST: '127.0.0.1', ...variables });
  const backend = await openBuiltIn(config, { exclusive: true });
  const { registry } = backend;
  try {
    await recurring.sharedIn(backend).registry.addMerchantAccount(company, trackMerchantAccount);
    await balancePlatform.sharedIn(backend).registry.saveBalancePlatform({
      id: trackPlatform,
      company,
      description: '',
      status: 'Active',
      timeZone: 'UTC',
    });
    await seedPlatform(backend);
    const issued = async (role: Role, grants: Grants) => {
      const secret = secrets[role];
      const { username } = await registry.addCredential({
        tenant: company,
        kind: 'basic',
        roles: [role],
        secret,
        grants,
      });
      return basic(username!, secret);
    };
    return {
      recurring: await issued('recurring', { merchantAccount: [trackMerchantAccount] }),
      balancePlatform: await issued('balancePlatform', { balancePlatform: [trackPlatform] }),
    };
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
  const secrets = { recurring: randomUUID(), balancePlatform: randomUUID() };
  const authorizations = await seed({ KEY_FILE: keyFile, DATA_DIR: dataDir }, secrets);
  withDatabase(join(dataDir, 'triglyph.db'), (database) => database.exec(sqliteTriggers.join(';')));
  await server.ask(`create database ${template}`);
  const url = urlOf(server.url, template);
  await seed({ KEY_FILE: keyFile, DATA_DIR: dataDir, DATABASE_URL: url }, secrets);
  for (const text of postgresTriggers) await server.ask(text, [], url);

  let stores = 0;
  return {
    authorizations,
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
