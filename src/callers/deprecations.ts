/** Deprecations and exemptions in a database: each change counts up a revision, by which serving processes notice it. */
import { randomBytes } from 'node:crypto';
import type { AuditActor, AuditDetail } from '../audit/audit-event.ts';
import type { AuditedWrite } from '../audit/audited-write.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import { type Engine, type Session, statement } from '../store/sql/engine.ts';
import { fieldsOf } from '../store/sql/row-values.ts';
import type { RowOf } from '../store/table.ts';
import { describeBrownOut } from './brown-out.ts';
import { type DeprecationRule, describeCalls } from './deprecation.ts';
import {
  DeprecationRefused,
  exemptionsMax,
  type StoredDeprecations,
  storedDeprecationsMax,
} from './stored-deprecation.ts';
import type { deprecationExemptions, deprecations } from './tables.ts';

/** Every change is recorded in the audit log, in its own transaction. The methods throw `DeprecationRefused`. */
export type DeprecationStore = ReturnType<typeof createDeprecationStore>;

export interface DeprecationStoreParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly write: AuditedWrite;
}

export function createDeprecationStore({ engine, clock, write }: DeprecationStoreParts) {
  return Object.freeze({
    /** Another number after each change. */
    revision: (): Promise<number> => engine.read(readRevision),
    load: (): Promise<StoredDeprecations> => engine.read(load),
    /** Returns the id. The rule has no faults. */
    add: ({ except = [], ...rule }: DeprecationRule, by: AuditActor): Promise<string> =>
      write(async (session, record) => {
        const revision = await nextRevision(session);
        const [{ stored }] = (await session.query(countDeprecations, [])) as [{ readonly stored: number }];
        if (stored >= storedDeprecationsMax)
          throw new DeprecationRefused('tooMany', `the store holds ${stored} deprecations: remove one first`);
        const id = `dp_${randomBytes(9).toString('base64url')}`;
        await session.execute(addDeprecation, [id, JSON.stringify(rule), revision, clock.now(), nameOf(by)]);
        await addExemptions(session, id, except, clock.now(), by);
        record('deprecationAdded', id, { ...describeRule(rule), exempt: listText(except) });
        return id;
      }, by),
    /** `seen`: the revision of the deprecation that is replaced; absent for whatever it is now. */
    replace: (id: string, { except = [], ...rule }: DeprecationRule, by: AuditActor, seen?: number): Promise<void> =>
      write(async (session, record) => {
        const revision = await nextRevision(session);
        await requireUnchanged(session, id, seen);
        await session.execute(replaceDeprecation, [id, JSON.stringify(rule), revision, clock.now(), nameOf(by)]);
        await addExemptions(session, id, except, clock.now(), by);
        record('deprecationChanged', id, { ...describeRule(rule), exempt: listText(except) });
      }, by),
    /** Removes its exemptions as well. */
    remove: (id: string, by: AuditActor, seen?: number): Promise<void> =>
      write(async (session, record) => {
        await nextRevision(session);
        const rule = await requireUnchanged(session, id, seen);
        await session.execute(removeDeprecation, [id]);
        await session.execute(removeExemptions, [id]);
        record('deprecationRemoved', id, describeRule(rule));
      }, by),
    /** `id`: of a stored deprecation, or of one of the configuration. Does nothing for a credential that is exempt. */
    exempt: (id: string, credential: string, by: AuditActor): Promise<void> =>
      write(async (session, record) => {
        await nextRevision(session);
        await addExemptions(session, id, [credential], clock.now(), by);
        record('exemptionAdded', id, { credential });
      }, by),
    endExemption: (id: string, credential: string, by: AuditActor): Promise<void> =>
      write(async (session, record) => {
        await nextRevision(session);
        if ((await session.execute(removeExemption, [id, credential])) === 0)
          throw new DeprecationRefused('unknown', `${credential} has no exemption from ${id} in the store`);
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
async function requireUnchanged(session: Session, id: string, seen: number | undefined): Promise<unknown> {
  const [row] = await session.query(findDeprecation, [id]);
  if (row === undefined) throw new DeprecationRefused('unknown', `no deprecation in the store has the id ${id}`);
  if (seen !== undefined && row.revision !== seen)
    throw new DeprecationRefused('changed', `${row.changed_by} has changed ${id} meanwhile: look at it again`);
  return parse(row.rule);
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
  if (stored > exemptionsMax)
    throw new DeprecationRefused('tooMany', `${id} would exempt more than ${exemptionsMax} credentials`);
}

function nameOf({ type, name }: AuditActor): string {
  return `${type} ${name}`;
}

/** Returns what the audit log says of a rule. */
function describeRule(rule: unknown): AuditDetail {
  if (typeof rule !== 'object' || rule === null) return {};
  const { deprecatedSince, sunset, refuseAfterSunset, brownOuts = [] } = rule as DeprecationRule;
  return {
    calls: describeCalls(rule as DeprecationRule).slice(0, detailMax),
    deprecatedSince,
    sunset,
    refuseAfterSunset,
    brownOuts: brownOuts.map(describeBrownOut).join(', ').slice(0, detailMax) || undefined,
  };
}

function listText(credentials: readonly string[]): string | undefined {
  return credentials.join(' ').slice(0, detailMax) || undefined;
}

/** Characters of a value in the audit log. */
const detailMax = 500;

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
