/** Finds the tables of services that are not part of the program, in the order in which a copy may fill them. */
import { CopyError } from './copy-error.ts';
import { type DescribedEngine, statement, type TableRow } from './engine.ts';
import type { StoredTable } from './migration.ts';
import { compareServices, migrateServices, type ServiceMigrations } from './service-migrations.ts';
import { tables, tablesOfDatabase } from './tables.ts';

const findServices = statement<{ readonly service: string }>(
  'find-migrated-services',
  'select distinct service from service_migration order by service',
);

/**
 * Creates the tables of the services in the target, and returns those that the source has, too. Other tables of the two
 * belong to other programs. Throws CopyError, with nothing changed, where the services are not those of the source.
 */
export async function prepareOwnTables(
  source: DescribedEngine,
  target: DescribedEngine,
  services: readonly ServiceMigrations[],
): Promise<readonly StoredTable[]> {
  const found = await describe(source);
  const migrated = found.some(({ name }) => name === 'service_migration')
    ? (await source.read((session) => session.query(findServices, []))).map(({ service }) => service)
    : [];
  const unknown = migrated.filter((name) => !services.some(({ service }) => service === name));
  if (unknown.length > 0)
    throw new CopyError(
      `the store holds tables of ${unknown.join(' and ')}: name ${unknown.length === 1 ? 'this service' : 'these services'} in the configuration file`,
    );
  await compareServices(source, migrated.length === 0 ? [] : services);
  if (migrated.length === 0) return [];
  await migrateServices(target, services);
  const there = new Set((await describe(target)).map(({ name }) => name));
  const known = new Set([...tables.map(({ name }) => name), ...tablesOfDatabase]);
  return inOrder(found.filter(({ name }) => there.has(name) && !known.has(name))).map(storedTable);
}

function describe(engine: DescribedEngine): Promise<readonly TableRow[]> {
  const { describeTables } = engine;
  return engine.read((session) => session.query(describeTables, []));
}

/** A table comes after those that it references. */
function inOrder(rows: readonly TableRow[]): readonly TableRow[] {
  const left = new Map(rows.map((row) => [row.name, row]));
  const ordered: TableRow[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ name, referenced }) =>
      namesIn(referenced).every((other) => other === name || !left.has(other)),
    );
    if (next === undefined) throw new CopyError(`${[...left.keys()].join(' and ')} reference each other`);
    ordered.push(next);
    left.delete(next.name);
  }
  return ordered;
}

function storedTable({ name, key }: TableRow): StoredTable {
  const columns = namesIn(key);
  if (columns.length === 0) throw new CopyError(`${name} has no primary key, which a copy needs`);
  return { name, key: columns };
}

function namesIn(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(',');
}
