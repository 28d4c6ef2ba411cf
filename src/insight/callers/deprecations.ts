/** Deprecations and exemptions in a database: each change counts up a revision, by which serving processes notice it. */
import { type AuditedWrite, deprecationExemptions, deprecations } from '../../access/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import {
  createRevision,
  type Engine,
  fieldsOf,
  prepareInsert,
  prepareUpsert,
  type RowOf,
  type Session,
  statement,
} from '../../stores/index.ts';
import {
  type ChangeDeprecations,
  createDeprecations,
  type DeprecationStore,
  type StoredDeprecations,
} from './stored-deprecation.ts';

/** The changes of an audited write are recorded in their own transaction. */
interface DeprecationStoreParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly write: AuditedWrite;
}

/** Returns the deprecations of a database. */
export function createDeprecationStore({ engine, clock, write }: DeprecationStoreParts): DeprecationStore {
  const change: ChangeDeprecations = (by, work) =>
    write(async (session, record) => {
      // Changes follow one another, so that limits hold.
      await storedRevision.countUp(session);
      const before = await load(session);
      const after = work(before);
      const ids = new Set(after.deprecations.map(({ id }) => id));
      for (const { id } of before.deprecations) if (!ids.has(id)) await session.execute(removeDeprecation, [id]);
      for (const each of without(after.deprecations, before.deprecations))
        await saveDeprecation(session, { ...each, rule: JSON.stringify(each.rule) });
      for (const { deprecation, credential } of without(before.exemptions, after.exemptions))
        await session.execute(removeExemption, [deprecation, credential]);
      for (const each of without(after.exemptions, before.exemptions)) await addExemption(session, each);
      record(after.kind, after.subject, after.detail);
    }, by);
  return createDeprecations({
    revision: () => engine.read(storedRevision.read),
    load: () => engine.read(load),
    change,
    clock,
  });
}

/** What a change leaves as it is stays the same object. */
function without<T>(all: readonly T[], others: readonly T[]): readonly T[] {
  const found = new Set(others);
  return all.filter((each) => !found.has(each));
}

/** The revision is read first: what is committed meanwhile has a later one, and is loaded again. */
async function load(session: Session): Promise<StoredDeprecations> {
  const revision = await storedRevision.read(session);
  const deprecations = await session.query(listDeprecations, []);
  const exemptions = await session.query(listExemptions, []);
  return {
    revision,
    deprecations: deprecations.map((row) => ({ ...fieldsOf(row), rule: parse(row.rule) })),
    exemptions: exemptions.map(fieldsOf),
  };
}

/** A text that is no JSON is no rule either. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const storedRevision = createRevision('deprecation');
const listDeprecations = statement<RowOf<typeof deprecations>>(
  'list-deprecations',
  'select id, rule, revision, changed_at, changed_by from deprecation order by revision, id',
);
const saveDeprecation = prepareUpsert('save-deprecation', deprecations);
const removeDeprecation = statement('remove-deprecation', 'delete from deprecation where id = $1');
const listExemptions = statement<RowOf<typeof deprecationExemptions>>(
  'list-exemptions',
  `select deprecation, credential, exempted_at, exempted_by from deprecation_exemption
    order by deprecation, exempted_at, credential`,
);
const addExemption = prepareInsert('add-exemption', deprecationExemptions);
const removeExemption = statement(
  'remove-exemption',
  'delete from deprecation_exemption where deprecation = $1 and credential = $2',
);
