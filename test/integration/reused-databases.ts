/** Databases of PostgreSQL that tests use one after the other: to empty one costs a fraction of a new one and its connections. */
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import type { EngineFactory } from './store.ts';

const listTables = statement<{ readonly name: string }>(
  'list-tables',
  "select tablename as name from pg_tables where schemaname = 'public' order by 1",
);

/** Every change of tables, triggers, functions and settings writes rows of these catalogs. */
const catalogs = ['pg_class', 'pg_attribute', 'pg_constraint', 'pg_trigger', 'pg_proc', 'pg_db_role_setting'];
const describeCatalogs = statement<{ readonly state: string }>(
  'describe-catalogs',
  `select concat_ws(' ', ${catalogs.map((name) => `(select count(*) || ':' || max(xmin::text::bigint) from ${name})`).join(', ')}) as state`,
);

/** A database with its engine, as it was when it was new. */
interface Reusable {
  readonly engine: Engine;
  readonly catalogs: string;
  empty(): Promise<unknown>;
}

/** `openNew`: opens an engine over a new database with all tables and no rows. */
export function reuseDatabases(openNew: () => Promise<Engine>): Omit<EngineFactory, 'openEmpty'> {
  const free: Reusable[] = [];
  const lent = new Map<Engine, Reusable>();

  return {
    async open() {
      const database = free.pop() ?? (await prepare(await openNew()));
      lent.set(database.engine, database);
      return database.engine;
    },
    async dispose(engine) {
      const database = lent.get(engine);
      lent.delete(engine);
      if (database !== undefined && (await isRestored(database))) free.push(database);
      else if (!free.some((each) => each.engine === engine)) await engine.close();
    },
    async close() {
      for (const { engine } of free) await engine.close();
    },
  };
}

async function prepare(engine: Engine): Promise<Reusable> {
  const tables = await engine.read((session) => session.query(listTables, []));
  const parts: string[] = [];
  for (const { name } of tables) {
    parts.push(`delete from ${name};`);
    // Of some tables migrations write rows.
    const rows = statement<{ readonly json: string }>(
      'list-rows',
      `select json_agg(each)::text as json from ${name} each`,
    );
    const [{ json } = { json: null }] = await engine.read((session) =>
      session.query({ ...rows, name: `rows-of-${name}` }, []),
    );
    if (json !== null)
      parts.push(`insert into ${name} select * from json_populate_recordset(null::${name}, $json$${json}$json$);`);
  }
  // In this mode neither triggers nor foreign keys refuse.
  const mode = `perform set_config('session_replication_role', 'replica', true);`;
  const empty = statement('empty', `do $do$ begin ${mode} ${parts.join(' ')} end $do$`);
  return {
    engine,
    catalogs: await catalogsOf(engine),
    empty: () => engine.write((session) => session.execute(empty, []), { noTimeout: true }),
  };
}

/** False where the test changed more than rows, or left the engine closed. */
async function isRestored({ engine, catalogs, empty }: Reusable): Promise<boolean> {
  try {
    if ((await catalogsOf(engine)) !== catalogs) return false;
    await empty();
    return true;
  } catch {
    return false;
  }
}

async function catalogsOf(engine: Engine): Promise<string> {
  const [row] = await engine.read((session) => session.query(describeCatalogs, []));
  return row!.state;
}
