/** Applies the migrations of services that are not part of the program, each once, and records them with their checksum. */
import { hash } from 'node:crypto';
import { type Engine, type Session, statement } from './engine.ts';

/** One SQL text for both engines, as for migrations of the program. Never edited once it was applied. */
export interface ServiceMigrations {
  readonly service: string;
  readonly statements: readonly string[];
}

const createRecord = statement(
  'create-service-migration',
  `create table if not exists service_migration (
     service text not null,
     number bigint not null,
     checksum text not null,
     applied_at bigint not null,
     primary key (service, number)
   )`,
);
const findApplied = statement<{ readonly checksum: string }>(
  'find-service-migrations',
  'select checksum from service_migration where service = $1 order by number',
);
const record = statement(
  'record-service-migration',
  'insert into service_migration (service, number, checksum, applied_at) values ($1, $2, $3, $4)',
);

/** Throws, with nothing changed, where an applied statement differs from that of the service, or the service has fewer. */
export async function migrateServices(engine: Engine, services: readonly ServiceMigrations[]): Promise<void> {
  const migrated = services.filter(({ statements }) => statements.length > 0);
  if (migrated.length === 0) return;
  await engine.write(
    async (session) => {
      await session.execute(createRecord, []);
      for (const each of migrated) await applyMissing(session, each);
    },
    { noTimeout: true },
  );
}

/** Throws where a database that has migrations of services lacks some of these, or has others. */
export async function compareServices(engine: Engine, services: readonly ServiceMigrations[]): Promise<void> {
  for (const each of services) {
    const applied = await engine.read((session) => session.query(findApplied, [each.service]));
    check(applied, each);
    if (applied.length < each.statements.length)
      throw new Error(`the database lacks migrations of ${each.service}: run \`triglyph migrate\` first`);
  }
}

async function applyMissing(session: Session, migrations: ServiceMigrations): Promise<void> {
  const { service, statements } = migrations;
  const applied = await session.query(findApplied, [service]);
  check(applied, migrations);
  for (const [index, text] of statements.entries()) {
    if (index < applied.length) continue;
    await session.execute(statement(`${service}-migration-${index + 1}`, text), []);
    await session.execute(record, [service, index + 1, hash('sha256', text), Date.now()]);
  }
}

function check(applied: readonly { readonly checksum: string }[], { service, statements }: ServiceMigrations): void {
  if (applied.length > statements.length)
    throw new Error(
      `the database has ${applied.length} migrations of ${service}, and the service ${statements.length}`,
    );
  for (const [index, { checksum }] of applied.entries())
    if (hash('sha256', statements[index]!) !== checksum)
      throw new Error(`migration ${index + 1} of ${service} was edited after it was applied`);
}
