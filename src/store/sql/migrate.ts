/** Applies the missing migrations in one transaction and records each with its checksum. */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import { type Dialect, type Engine, type Session, statement } from './engine.ts';
import type { Migration } from './migration.ts';
import { migrations as all } from './migrations/index.ts';

export type { Migration };

type AppliedMigration = { readonly number: number; readonly name: string; readonly checksum: string };

const createLock = statement(
  'create-migration-lock',
  'create table if not exists migration_lock (id text not null primary key, taken_at bigint not null)',
);
const addLock = statement(
  'add-migration-lock',
  `insert into migration_lock (id, taken_at) values ('migration', 0) on conflict do nothing`,
);
const lock = statement('take-migration-lock', `update migration_lock set taken_at = $1 where id = 'migration'`);
const createRecord = statement(
  'create-migration',
  `create table if not exists migration
     (number bigint not null primary key, name text not null, checksum text not null, applied_at bigint not null)`,
);
const findApplied = statement<AppliedMigration>(
  'find-migrations',
  'select number, name, checksum from migration order by number',
);
const record = statement(
  'record-migration',
  'insert into migration (number, name, checksum, applied_at) values ($1, $2, $3, $4)',
);

/** Whether any migration has been applied. */
export async function hasSchema(engine: Engine): Promise<boolean> {
  return (await readApplied(engine)).length > 0;
}

/**
 * Throws, with nothing changed, when the database lacks a migration or has other ones. For commands that only serve or read
 * data: an older release cannot open a database after its migration.
 */
export async function compareSchema(engine: Engine, migrations: readonly Migration[] = all): Promise<void> {
  const applied = await readApplied(engine);
  check(applied, migrations);
  if (applied.length === migrations.length) return;
  if (applied.length === 0) throw new Error('the database is empty: run `triglyph migrate` first');
  throw new Error(
    `the database is at migration ${applied.length} and this program needs ${migrations.length}: make a backup with the earlier release, then run \`triglyph migrate\`; that release cannot open the database afterwards`,
  );
}

const attemptsMax = 5;

/**
 * Applies the missing migrations and returns their names. Throws, with nothing changed, when the database has newer
 * migrations, or when an applied migration differs from that of this program.
 */
export async function migrate(engine: Engine, migrations: readonly Migration[] = all): Promise<readonly string[]> {
  const applied = await readApplied(engine);
  check(applied, migrations);
  if (applied.length === migrations.length) return [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await engine.write((session) => applyMissing(session, engine.dialect, migrations), { noTimeout: true });
    } catch (thrown) {
      if (isDenied(thrown))
        throw new Error(
          'this role may not create or change tables: run `triglyph migrate` as the owner of the database',
          {
            cause: thrown,
          },
        );
      if (!isRace(thrown) || attempt === attemptsMax) throw thrown;
    }
    await setTimeout(50 * attempt * Math.random());
  }
}

/** Reads the applied migrations without writing: where none is missing, the program needs no right to change tables. */
async function readApplied(engine: Engine): Promise<readonly AppliedMigration[]> {
  try {
    return await engine.read((session) => session.query(findApplied, []));
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) throw thrown;
    if (isDenied(thrown))
      throw new Error('this role may not read the tables of the store: grant it the rights, or name their owner', {
        cause: thrown,
      });
    return [];
  }
}

function check(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const [index, { number, name, checksum }] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined) {
      throw new Error(
        `the database is at migration ${applied.at(-1)?.number} and this program knows ${migrations.length}: start the newer program`,
      );
    }
    if (known.number !== number || checksumOf(known) !== checksum) {
      throw new Error(
        `migration ${number} (${name}) differs from that of this program: was it edited after its release?`,
      );
    }
  }
}

function checksumOf(migration: Migration): string {
  const { statements, perEngine } = migration;
  return hash('sha256', JSON.stringify(perEngine === undefined ? statements : [statements, perEngine]));
}

async function applyMissing(
  session: Session,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  await session.execute(createLock, []);
  await session.execute(addLock, []);
  // The row stays locked until the commit. A second program waits here, then finds nothing missing.
  await session.execute(lock, [Date.now()]);
  await session.execute(createRecord, []);
  const applied = await session.query(findApplied, []);
  check(applied, migrations);
  if (dialect === 'postgres' && applied.length === 0) await checkEncoding(session);
  const missing = migrations.slice(applied.length);
  for (const migration of missing) await apply(session, dialect, migration);
  return missing.map(({ name }) => name);
}

const findEncoding = statement<{ readonly server_encoding: string }>('find-encoding', 'show server_encoding');

/** For a new store: another encoding cannot store every name that a caller may send. */
async function checkEncoding(session: Session): Promise<void> {
  const [row] = await session.query(findEncoding, []);
  const encoding = row?.server_encoding;
  if (encoding !== undefined && encoding !== 'UTF8')
    throw new Error(
      `the database has the encoding ${encoding}: create one with UTF8, as \`createdb --template=template0 --locale=C --encoding=UTF8\` does`,
    );
}

async function apply(session: Session, dialect: Dialect, migration: Migration): Promise<void> {
  const { statements, perEngine } = migration;
  for (const [index, text] of [...statements, ...(perEngine?.[dialect] ?? [])].entries()) {
    await session.execute(statement(`migration-${migration.number}-${index + 1}`, text), []);
  }
  await session.execute(record, [migration.number, migration.name, checksumOf(migration), Date.now()]);
}

/** The role lacks a right. */
function isDenied(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === '42501';
}

/** Two programs create the same table at once: PostgreSQL refuses one of them, even with `if not exists`. */
function isRace(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && (thrown.code === '23505' || thrown.code === '42P07');
}
