/** Stores with the tables of the engine and of the built-in services, for tests. */
import { ownersOf } from '../../src/backend/compose-services.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { lastMigration, migrationStatements } from '../../src/stores/sql/create-tables.ts';
import type { Dialect, Engine } from '../../src/stores/sql/engine.ts';
import { migrate as migrateOwners } from '../../src/stores/sql/migrate.ts';
import type { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { openMemory } from '../../src/stores/sqlite/memory.ts';

export const owners = ownersOf(builtInServices);
export const tables = owners.flatMap((owner) => owner.tables);

/** What `migrate` returns for a new store. */
export const firstMigrations = owners.flatMap((owner) =>
  Array.from({ length: lastMigration(owner) }, (_, at) => `${owner.name} ${at + 1}`),
);

/** The statements of all migrations. */
export function schemaTexts(dialect: Dialect, of = owners): readonly string[] {
  return of.flatMap((owner) =>
    Array.from({ length: lastMigration(owner) }, (_, at) => migrationStatements(owner, at + 1, dialect)).flat(),
  );
}

export function migrate(engine: Engine, of = owners): Promise<readonly string[]> {
  return migrateOwners(engine, of);
}

/** `now`: the clock of the database, in milliseconds since the epoch. */
export async function openMigratedMemory(now: () => number): Promise<SqliteEngine> {
  const engine = openMemory(now);
  await migrate(engine);
  return engine;
}
