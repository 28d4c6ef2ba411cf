/** Brings a database to the tables of this program: numbered migrations, all in one unit, each recorded with its checksum. */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import { type Engine, type Session, statement } from './engine.ts';
import type { Migration } from './migration.ts';
import { migrations as all } from './migrations/index.ts';

export type { Migration };

type Landed = { readonly number: number; readonly name: string; readonly checksum: string };

const createLock = statement(
  'create-migration-lock',
  'create table if not exists migration_lock (id text not null primary key, taken_at bigint not null)',
);
const addLock = statement(
  'add-migration-lock',
  `insert into migration_lock (id, taken_at) values ('migration', 0) on conflict do nothing`,
);
const takeLock = statement('take-migration-lock', `update migration_lock set taken_at = $1 where id = 'migration'`);
const createRecord = statement(
  'create-migration',
  `create table if not exists migration
     (number bigint not null primary key, name text not null, checksum text not null, applied_at bigint not null)`,
);
const findLanded = statement<Landed>('find-migrations', 'select number, name, checksum from migration order by number');
const record = statement(
  'record-migration',
  'insert into migration (number, name, checksum, applied_at) values ($1, $2, $3, $4)',
);

const checksumOf = (migration: Migration): string => hash('sha256', JSON.stringify(migration.statements));

const check = (landed: readonly Landed[], migrations: readonly Migration[]): void => {
  for (const [index, { number, name, checksum }] of landed.entries()) {
    const known = migrations[index];
    if (known === undefined) {
      throw new Error(
        `the database is at migration ${landed.at(-1)?.number} and this program knows ${migrations.length}: start the newer program`,
      );
    }
    if (known.number !== number || checksumOf(known) !== checksum) {
      throw new Error(
        `migration ${number} (${name}) is not the one that this program knows: was it edited after it landed?`,
      );
    }
  }
};

const apply = async (session: Session, migration: Migration): Promise<void> => {
  for (const [index, text] of migration.statements.entries()) {
    await session.execute(statement(`migration-${migration.number}-${index + 1}`, text), []);
  }
  await session.execute(record, [migration.number, migration.name, checksumOf(migration), Date.now()]);
};

/** What landed, as any reader sees it: a program that finds all of it there need not be allowed to change tables. */
const readLanded = async (engine: Engine): Promise<readonly Landed[]> => {
  try {
    return await engine.read((session) => session.query(findLanded, []));
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) throw thrown;
    return [];
  }
};

const land = async (session: Session, migrations: readonly Migration[]): Promise<readonly string[]> => {
  await session.execute(createLock, []);
  await session.execute(addLock, []);
  // The row stays locked until the commit, so a second program waits here and then finds the work done.
  await session.execute(takeLock, [Date.now()]);
  await session.execute(createRecord, []);
  const landed = await session.query(findLanded, []);
  check(landed, migrations);
  const missing = migrations.slice(landed.length);
  for (const migration of missing) await apply(session, migration);
  return missing.map(({ name }) => name);
};

/** Whether any migration has been applied. */
export const hasSchema = async (engine: Engine): Promise<boolean> => (await readLanded(engine)).length > 0;

/**
 * Throws, with nothing changed, when the database lacks a migration, or when its migrations are not those of this program.
 * For commands that only serve or read data: a migrated database is closed to the release that it was made with.
 */
export const compareSchema = async (engine: Engine, migrations: readonly Migration[] = all): Promise<void> => {
  const landed = await readLanded(engine);
  check(landed, migrations);
  if (landed.length === migrations.length) return;
  const state =
    landed.length === 0
      ? 'the database is empty'
      : `the database is at migration ${landed.length} and this program needs ${migrations.length}`;
  throw new Error(`${state}: run \`triglyph migrate\` first; an older release cannot open the database afterwards`);
};

/** Two programs that make the same first table at once: PostgreSQL lets one of them fail, whatever `if not exists` says. */
const isRace = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === '23505' || thrown.code === '42P07');
const racesMax = 5;

/**
 * Applies what is missing and gives the names of it. Throws, with nothing changed, when the database was made by a newer
 * program or when a migration that landed differs from the one known here.
 */
export const migrate = async (engine: Engine, migrations: readonly Migration[] = all): Promise<readonly string[]> => {
  const landed = await readLanded(engine);
  check(landed, migrations);
  if (landed.length === migrations.length) return [];
  for (let times = 1; ; times += 1) {
    try {
      return await engine.write((session) => land(session, migrations), { noTimeout: true });
    } catch (thrown) {
      if (!isRace(thrown) || times === racesMax) throw thrown;
    }
    await setTimeout(50 * times * Math.random());
  }
};
