/** Deprecations and exemptions in a database: each change counts up a revision, by which serving processes notice it. */
import type { AuditActor } from '../audit/audit-event.ts';
import type { AuditedWrite } from '../audit/audited-write.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { type Engine, type Session, statement } from '../store/sql/engine.ts';
import { fieldsOf } from '../store/sql/row-values.ts';
import type { RowOf } from '../store/table.ts';
import {
  createDeprecationId,
  type DeprecationStore,
  describeRule,
  listText,
  nameOf,
  noSuchExemption,
  requireExemptions,
  requireSpace,
  requireUnchanged,
  type StoredDeprecations,
} from './stored-deprecation.ts';
import type { deprecationExemptions, deprecations } from './tables.ts';

/** The changes of an audited write are recorded in their own transaction. */
export interface DeprecationStoreParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly write: AuditedWrite;
}

/** Returns the deprecations of a database. */
export function createDeprecationStore({ engine, clock, write }: DeprecationStoreParts): DeprecationStore {
  return Object.freeze<DeprecationStore>({
    revision: () => engine.read(readRevision),
    load: () => engine.read(load),
    add: ({ except = [], ...rule }, by) =>
      write(async (session, record) => {
        const revision = await nextRevision(session);
        const [{ stored }] = (await session.query(countDeprecations, [])) as [{ readonly stored: number }];
        requireSpace(stored);
        const id = createDeprecationId();
        await session.execute(addDeprecation, [id, JSON.stringify(rule), revision, clock.now(), nameOf(by)]);
        await addExemptions(session, id, except, clock.now(), by);
        record('deprecationAdded', id, { ...describeRule(rule), exempt: listText(except) });
        return id;
      }, by),
    replace: (id, { except = [], ...rule }, by, seen) =>
      write(async (session, record) => {
        const revision = await nextRevision(session);
        await findUnchanged(session, id, seen);
        await session.execute(replaceDeprecation, [id, JSON.stringify(rule), revision, clock.now(), nameOf(by)]);
        await addExemptions(session, id, except, clock.now(), by);
        record('deprecationChanged', id, { ...describeRule(rule), exempt: listText(except) });
      }, by),
    remove: (id, by, seen) =>
      write(async (session, record) => {
        await nextRevision(session);
        const rule = await findUnchanged(session, id, seen);
        await session.execute(removeDeprecation, [id]);
        await session.execute(removeExemptions, [id]);
        record('deprecationRemoved', id, describeRule(rule));
      }, by),
    exempt: (id, credential, by) =>
      write(async (session, record) => {
        await nextRevision(session);
        await addExemptions(session, id, [credential], clock.now(), by);
        record('exemptionAdded', id, { credential });
      }, by),
    endExemption: (id, credential, by) =>
      write(async (session, record) => {
        await nextRevision(session);
        if ((await session.execute(removeExemption, [id, credential])) === 0) throw noSuchExemption(id, credential);
        record('exemptionRemoved', id, { credential });
      }, by),
  });
}

async function readRevision(session: Session): Promise<number> {
  const [row] = await session.query(findRevision, []);
  return row?.revision ?? 0;
}

/** The revision is read first: what is committed meanwhile has a later one, and is loaded again. */
async function load(session: Session): Promise<StoredDeprecations> {
  const revision = await readRevision(session);
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

/** Locks the row, so that changes follow one another and limits hold. */
async function nextRevision(session: Session): Promise<number> {
  await session.execute(countUp, []);
  return readRevision(session);
}

/** Returns the rule. */
async function findUnchanged(session: Session, id: string, seen: number | undefined): Promise<unknown> {
  const [row] = await session.query(findDeprecation, [id]);
  return parse(requireUnchanged(id, row && fieldsOf(row), seen).rule);
}

async function addExemptions(
  session: Session,
  id: string,
  credentials: readonly string[],
  now: number,
  by: AuditActor,
): Promise<void> {
  for (const credential of credentials) await session.execute(addExemption, [id, credential, now, nameOf(by)]);
  const [{ stored }] = (await session.query(countExemptions, [id])) as [{ readonly stored: number }];
  requireExemptions(id, stored);
}

type DeprecationRow = RowOf<typeof deprecations>;
type CountRow = { readonly stored: number };

const findRevision = statement<{ readonly revision: number }>(
  'find-deprecation-revision',
  'select revision from deprecation_revision where id = 1',
);
const countUp = statement(
  'count-up-deprecation-revision',
  'update deprecation_revision set revision = revision + 1 where id = 1',
);
const listDeprecations = statement<DeprecationRow>(
  'list-deprecations',
  'select id, rule, revision, changed_at, changed_by from deprecation order by revision, id',
);
const findDeprecation = statement<DeprecationRow>(
  'find-deprecation',
  'select id, rule, revision, changed_at, changed_by from deprecation where id = $1',
);
const countDeprecations = statement<CountRow>('count-deprecations', 'select count(*) as stored from deprecation');
const addDeprecation = statement(
  'add-deprecation',
  'insert into deprecation (id, rule, revision, changed_at, changed_by) values ($1, $2, $3, $4, $5)',
);
const replaceDeprecation = statement(
  'replace-deprecation',
  'update deprecation set rule = $2, revision = $3, changed_at = $4, changed_by = $5 where id = $1',
);
const removeDeprecation = statement('remove-deprecation', 'delete from deprecation where id = $1');
const listExemptions = statement<RowOf<typeof deprecationExemptions>>(
  'list-exemptions',
  `select deprecation, credential, exempted_at, exempted_by from deprecation_exemption
    order by deprecation, exempted_at, credential`,
);
const addExemption = statement(
  'add-exemption',
  `insert into deprecation_exemption (deprecation, credential, exempted_at, exempted_by) values ($1, $2, $3, $4)
   on conflict (deprecation, credential) do nothing`,
);
const countExemptions = statement<CountRow>(
  'count-exemptions',
  'select count(*) as stored from deprecation_exemption where deprecation = $1',
);
const removeExemption = statement(
  'remove-exemption',
  'delete from deprecation_exemption where deprecation = $1 and credential = $2',
);
const removeExemptions = statement('remove-exemptions', 'delete from deprecation_exemption where deprecation = $1');
