/** Applies the missing migrations of each owner of tables in one transaction, and records each with its checksum. */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import { lastMigration, migrationStatements, type TableOwner } from './create-tables.ts';
import { type Engine, type Session, statement } from './engine.ts';

type AppliedMigration = { readonly owner: string; readonly number: number; readonly checksum: string };

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
  `create table if not exists migration (
     owner text not null,
     number bigint not null,
     checksum text not null,
     applied_at bigint not null,
     primary key (owner, number)
   )`,
);
const findApplied = statement<AppliedMigration>(
  'find-migrations',
  'select owner, number, checksum from migration order by owner, number',
);
/** The first builds had one list of migrations, without owners. */
const findEarly = statement<{ readonly name: string }>('find-early-migrations', 'select name from migration limit 1');
const record = statement(
  'record-migration',
  'insert into migration (owner, number, checksum, applied_at) values ($1, $2, $3, $4)',
);

/** The owners whose tables the database has; none for an empty one. */
export async function findOwners(engine: Engine): Promise<readonly string[]> {
  return [...new Set((await readApplied(engine)).map(({ owner }) => owner))];
}

/**
 * Throws, with nothing changed, when the database lacks a migration of an owner or has other ones. For commands that only serve or
 * read data: an older release cannot open a database after its migration.
 */
export async function compareSchema(engine: Engine, owners: readonly TableOwner[]): Promise<void> {
  const applied = await readApplied(engine);
  if (applied.length === 0) throw new Error('the database is empty: run `triglyph migrate` first');
  const [missing] = findMissing(applied, owners);
  if (missing === undefined) return;
  const { owner, number } = missing;
  const isOfOthers =
    number === 1 && owners.some((each) => each !== owner && applied.some(({ owner: name }) => name === each.name));
  const otherProject = isOfOthers
    ? `a gateway that does not serve ${owner.name} has made the database: run this in the folder of its triglyph.config.ts, which \`triglyph serve --wsdl\` writes with --save. If not, `
    : '';
  throw new Error(
    `${otherProject}the database is at migration ${number - 1} of ${owner.name} and this program needs ${lastMigration(owner)}: make a backup with the earlier release, then run \`triglyph migrate\`; that release cannot open the database afterwards`,
  );
}

const attemptsMax = 5;

/**
 * Applies the missing migrations and returns their names. Throws, with nothing changed, when the database has newer
 * migrations, or when an applied migration differs from that of this program.
 */
export async function migrate(engine: Engine, owners: readonly TableOwner[]): Promise<readonly string[]> {
  if (findMissing(await readApplied(engine), owners).length === 0) return [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await engine.write((session) => applyMissing(session, engine, owners), { noTimeout: true });
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
    if (await hasEarlyTables(engine))
      throw new Error(
        'the database was made by one of the first builds, which had other tables: this program cannot migrate it. Go on with that build, or name an empty database and add the data anew',
        { cause: thrown },
      );
    return [];
  }
}

async function hasEarlyTables(engine: Engine): Promise<boolean> {
  try {
    await engine.read((session) => session.query(findEarly, []));
    return true;
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) throw thrown;
    return false;
  }
}

interface MissingMigration {
  readonly owner: TableOwner;
  readonly number: number;
}

/** In the order in which they are applied. Throws where an applied one is not that of this program. */
function findMissing(applied: readonly AppliedMigration[], owners: readonly TableOwner[]): readonly MissingMigration[] {
  return owners.flatMap((owner) => {
    const own = applied.filter((each) => each.owner === owner.name);
    const last = lastMigration(owner);
    if (own.length > last)
      throw new Error(
        `the database is at migration ${own.length} of ${owner.name} and this program knows ${last}: start the newer program`,
      );
    for (const { number, checksum } of own)
      if (checksumOf(owner, number) !== checksum)
        throw new Error(
          `migration ${number} of ${owner.name} differs from that of this program: was it edited after it was applied?`,
        );
    return Array.from({ length: last - own.length }, (_, at) => ({ owner, number: own.length + at + 1 }));
  });
}

/** The same for both engines. */
function checksumOf(owner: TableOwner, number: number): string {
  const texts = [migrationStatements(owner, number, 'sqlite'), migrationStatements(owner, number, 'postgres')];
  return hash('sha256', JSON.stringify(texts));
}

async function applyMissing(
  session: Session,
  { dialect }: Engine,
  owners: readonly TableOwner[],
): Promise<readonly string[]> {
  await session.execute(createLock, []);
  await session.execute(addLock, []);
  // The row stays locked until the commit. A second program waits here, then finds nothing missing.
  await session.execute(lock, [Date.now()]);
  await session.execute(createRecord, []);
  const applied = await session.query(findApplied, []);
  const missing = findMissing(applied, owners);
  if (dialect === 'postgres' && applied.length === 0) await checkEncoding(session);
  for (const { owner, number } of missing) {
    for (const text of migrationStatements(owner, number, dialect))
      await session.execute(statement(`migration-${hash('sha256', text).slice(0, 16)}`, text), []);
    await session.execute(record, [owner.name, number, checksumOf(owner, number), Date.now()]);
  }
  return missing.map(({ owner, number }) => `${owner.name} ${number}`);
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

/** The role lacks a right. */
function isDenied(thrown: unknown): boolean {
  return codeOf(thrown) === '42501';
}

/** Two programs create the same table at once: PostgreSQL refuses one of them, even with `if not exists`. */
function isRace(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '23505' || code === '42P07';
}

/** The SQLSTATE of an error of PostgreSQL. */
function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
