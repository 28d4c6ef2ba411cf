/** Shares and differences of shadows in a database. Each change of an operator counts up a revision, by which serving processes notice it. */
import { hash } from 'node:crypto';
import { type AuditActor, type AuditedWrite, actorName } from '../../access/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import { type DifferenceGroup, noCounts, restartCounts, type Share, type SwitchCounts } from '../../forward/index.ts';
import {
  CommitUnknown,
  createRevision,
  type Engine,
  fieldsOf,
  type RowOf,
  readCommitted,
  type Session,
  statement,
  type TransactionSession,
} from '../../stores/index.ts';
import type { shadowDifferences, shadowShares } from './tables.ts';

/** A share, and who has set it. */
interface StoredShare extends Share {
  readonly upstream: string;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly changedBy: string;
}

/** A kind of difference, with its example. */
export interface StoredDifference {
  readonly id: string;
  readonly upstream: string;
  /** `Orders.getOrder`. */
  readonly operation: string;
  readonly kind: string;
  readonly path: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The first ones, by the ids of their credentials. */
  readonly callers: readonly string[];
  /** Of the last answers. Absent where this process lacks its key. */
  readonly example: DifferenceExample | undefined;
  readonly accepted?: { readonly reason: string; readonly at: number; readonly by: string } | undefined;
}

/** Texts of JSON, masked; absent where a server has no such member. */
interface DifferenceExample {
  readonly reference: string;
  readonly at: string;
  readonly left?: string | undefined;
  readonly right?: string | undefined;
}

/** What serving processes decide by. */
export interface ShadowState {
  /** Another one after each change. */
  readonly revision: number;
  readonly shares: readonly StoredShare[];
  /** The ids of accepted differences. */
  readonly accepted: ReadonlySet<string>;
}

/** Kinds of differences of one upstream in the store. */
const differencesMax = 1_000;
/** Shares of one upstream in the store. */
const sharesMax = 1_000;
const callersMax = 20;
const valueLengthMax = 1_000;
/** Rows that one transaction deletes. */
const deletedMax = 1_000;

/** A change that the store refuses. */
export class ShadowRefused extends Error {
  override readonly name = 'ShadowRefused';
}

/** The id of a kind of difference: the same in every process. */
export function differenceId(upstream: string, operation: string, kind: string, path: string): string {
  return hash('sha256', JSON.stringify([upstream, operation, kind, path]), 'base64url').slice(0, 16);
}

export type ShadowStore = ReturnType<typeof createShadowStore>;

interface ShadowStoreParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly write: AuditedWrite;
}

export function createShadowStore({ engine, clock, vault, write }: ShadowStoreParts) {
  return Object.freeze({
    /** Another number after each change. */
    revision: (): Promise<number> => engine.read(storedRevision.read),
    load: (): Promise<ShadowState> => engine.read(load),
    /** Sets one of both percentages for a caller and an operation, either of which may be empty: all. */
    setShare: (
      upstream: string,
      kind: 'copied' | 'answered',
      { operation, caller, percent }: Pick<Share, 'operation' | 'caller'> & { readonly percent: number },
      by: AuditActor,
    ): Promise<void> =>
      write(async (session, record) => {
        await storedRevision.countUp(session);
        const [{ stored }] = (await session.query(countShares, [upstream])) as [{ readonly stored: number }];
        if (stored >= sharesMax) throw new ShadowRefused(`${upstream} has ${stored} shares: take back a switch first`);
        const [copied, answered] = kind === 'copied' ? [percent, null] : [null, percent];
        const row = [upstream, operation, caller, copied, answered, clock.now(), actorName(by)];
        await session.execute(saveShare, row);
        if (kind === 'answered') await changeCounts(session, upstream, restartCounts);
        const of = { operation: operation || undefined, caller: caller || undefined };
        record(kind === 'copied' ? 'shadowShareChanged' : 'shadowSwitched', upstream, { percent, ...of });
      }, by),
    /**
     * Lets the upstream answer everything again. `why`: where the gateway does so by itself, if the counts still are what `isDue` is true
     * for: an operator may have switched anew. Returns whether anything was switched.
     */
    switchBack: (
      upstream: string,
      by: AuditActor,
      why?: string,
      isDue: (counts: SwitchCounts) => boolean = () => true,
    ): Promise<boolean> =>
      write(async (session, record) => {
        if (why !== undefined && !(await changeCounts(session, upstream, isDue)).result) return false;
        await storedRevision.countUp(session);
        const changed = await session.execute(endSwitches, [upstream, clock.now(), actorName(by)]);
        await session.execute(deleteEmptyShares, [upstream]);
        if (changed > 0) record('shadowSwitchedBack', upstream, { why });
        return changed > 0;
      }, by),
    /** Changes what all gateways count of a switch. `change` may be called again after a conflict, with other counts. */
    changeCounts: <T>(upstream: string, change: (counts: SwitchCounts) => T) =>
      engine.write((session) => changeCounts(session, upstream, change), readCommitted),
    /** `reason`: undefined where the difference is accepted no longer. */
    accept: (id: string, reason: string | undefined, by: AuditActor): Promise<void> =>
      write(async (session, record) => {
        await storedRevision.countUp(session);
        const [row] = await session.query(findDifference, [id]);
        if (row === undefined) throw new ShadowRefused(`no difference has the id ${id}`);
        const at = reason === undefined ? null : clock.now();
        const who = reason === undefined ? null : actorName(by);
        await session.execute(acceptDifference, [row.upstream, id, reason ?? null, at, who]);
        await changeCounts(session, row.upstream, restartCounts);
        const { upstream, operation, path } = row;
        const detail = { upstream, operation, path: path.slice(0, 200), reason: reason?.slice(0, 200) };
        record(reason === undefined ? 'shadowDifferenceReopened' : 'shadowDifferenceAccepted', id, detail);
      }, by),
    /** Adds the differences that one process has found since the last time. Returns how many kinds had no place. */
    async add(upstream: string, groups: readonly DifferenceGroup[]): Promise<number> {
      try {
        return await engine.write((session) => addAll(session, vault, upstream, groups), readCommitted);
      } catch (thrown) {
        // Adding again might count answers twice.
        if (thrown instanceof CommitUnknown) return 0;
        throw thrown;
      }
    },
    /** Differences that are not accepted come first, and of these the most frequent. */
    list: (upstream?: string): Promise<readonly StoredDifference[]> =>
      engine.read(async (session) => {
        const rows = await session.query(listDifferences, []);
        return rows.filter((row) => upstream === undefined || row.upstream === upstream).map((row) => open(vault, row));
      }),
    /** Deletes differences that were last found before the moment. */
    async deleteBefore(moment: number): Promise<void> {
      for (;;) {
        const deleted = await engine.write((session) => session.execute(deleteOld, [moment]), readCommitted);
        if (deleted < deletedMax) return;
      }
    },
  });
}

/** Locks the counts of an upstream until the end of the transaction. */
async function changeCounts<T>(
  session: Session,
  upstream: string,
  change: (counts: SwitchCounts) => T,
): Promise<{ readonly counts: SwitchCounts; readonly result: T }> {
  const [row] = await session.query(lockCounts, [upstream, JSON.stringify(noCounts())]);
  const counts: SwitchCounts = row === undefined ? noCounts() : JSON.parse(row.counts);
  const result = change(counts);
  await session.execute(saveCounts, [upstream, JSON.stringify(counts)]);
  return { counts, result };
}

/** The revision is read first: what is committed meanwhile has a later one, and is loaded again. */
async function load(session: Session): Promise<ShadowState> {
  const revision = await storedRevision.read(session);
  const rows = await session.query(listShares, []);
  const accepted = await session.query(listAccepted, []);
  return { revision, shares: rows.map(fieldsOf), accepted: new Set(accepted.map((row) => row.difference_id)) };
}

async function addAll(
  session: TransactionSession,
  vault: Vault,
  upstream: string,
  groups: readonly DifferenceGroup[],
): Promise<number> {
  const known = new Map((await session.query(listKnown, [upstream])).map((row) => [row.difference_id, row.callers]));
  let refused = 0;
  const added = groups.map((group) => ({ id: differenceId(upstream, group.operation, group.kind, group.path), group }));
  // Sorted: two transactions that lock several rows then do not deadlock.
  for (const { id, group } of added.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const before = known.get(id);
    if (before === undefined && known.size >= differencesMax) {
      refused += 1;
      continue;
    }
    known.set(id, '[]');
    const callers = [...new Set([...(JSON.parse(before ?? '[]') as string[]), ...group.callers])].slice(0, callersMax);
    const { keyId, dataKey, payload } = vault.seal(scopeOf(upstream, id), { payload: exampleText(group) });
    const { operation, kind, path, count, firstAt, lastAt } = group;
    await session.executeDeferred(saveDifference, [
      ...[upstream, id, operation, kind, path, count, firstAt, lastAt],
      ...[JSON.stringify(callers), keyId, dataKey, payload!],
    ]);
  }
  return refused;
}

function scopeOf(upstream: string, id: string) {
  return { tenant: upstream, record: `shadow difference ${id}` };
}

function exampleText({ example: { reference, at, left, right } }: DifferenceGroup): string {
  const shown = (value: unknown): string | undefined =>
    value === undefined ? undefined : JSON.stringify(value).slice(0, valueLengthMax);
  return JSON.stringify({
    reference,
    at: at.slice(0, valueLengthMax),
    left: shown(left),
    right: shown(right),
  } satisfies DifferenceExample);
}

function open(vault: Vault, row: DifferenceRow): StoredDifference {
  const { upstream, differenceId: id, operation, kind, path, found: count, firstAt, lastAt } = fieldsOf(row);
  const { acceptedReason: reason, acceptedAt: at = 0, acceptedBy: by = '' } = fieldsOf(row);
  return {
    ...{ id, upstream, operation, kind, path, count, firstAt, lastAt },
    callers: JSON.parse(row.callers) as string[],
    example: openExample(vault, row),
    ...(reason !== undefined && { accepted: { reason, at, by } }),
  };
}

/** The list is of use where one example cannot be opened. */
function openExample(vault: Vault, row: DifferenceRow): DifferenceExample | undefined {
  const { upstream, difference_id: id, key_id: keyId, data_key: dataKey, sealed_example: payload } = row;
  try {
    const text = vault.open(scopeOf(upstream, id), { keyId, dataKey, payload }, 'payload');
    return JSON.parse(text) as DifferenceExample;
  } catch {
    return undefined;
  }
}

type ShareRow = RowOf<typeof shadowShares>;
type DifferenceRow = RowOf<typeof shadowDifferences>;

const storedRevision = createRevision('shadow');
const listShares = statement<ShareRow>(
  'list-shadow-shares',
  `select upstream, operation, caller, copied, answered, changed_at, changed_by from shadow_share
    order by upstream, operation, caller`,
);
const countShares = statement<{ readonly stored: number }>(
  'count-shadow-shares',
  'select count(*) as stored from shadow_share where upstream = $1',
);
const saveShare = statement(
  'save-shadow-share',
  `insert into shadow_share (upstream, operation, caller, copied, answered, changed_at, changed_by)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (upstream, operation, caller) do update set copied = coalesce(excluded.copied, shadow_share.copied),
     answered = coalesce(excluded.answered, shadow_share.answered), changed_at = excluded.changed_at,
     changed_by = excluded.changed_by`,
);
const endSwitches = statement(
  'end-shadow-switches',
  'update shadow_share set answered = null, changed_at = $2, changed_by = $3 where upstream = $1 and answered is not null',
);
const deleteEmptyShares = statement(
  'delete-empty-shadow-shares',
  'delete from shadow_share where upstream = $1 and answered is null and copied is null',
);
const lockCounts = statement<{ readonly counts: string }>(
  'lock-shadow-switch',
  `insert into shadow_switch (upstream, counts) values ($1, $2)
   on conflict (upstream) do update set counts = shadow_switch.counts returning counts`,
);
const saveCounts = statement('save-shadow-switch', 'update shadow_switch set counts = $2 where upstream = $1');
const listAccepted = statement<{ readonly difference_id: string }>(
  'list-accepted-shadow-differences',
  'select difference_id from shadow_difference where accepted_reason is not null',
);
const listKnown = statement<{ readonly difference_id: string; readonly callers: string }>(
  'list-known-shadow-differences',
  'select difference_id, callers from shadow_difference where upstream = $1',
);
const differenceColumns = `upstream, difference_id, operation, kind, path, found, first_at, last_at, callers, key_id, data_key,
  sealed_example, accepted_reason, accepted_at, accepted_by`;
const listDifferences = statement<DifferenceRow>(
  'list-shadow-differences',
  `select ${differenceColumns} from shadow_difference
    order by case when accepted_reason is null then 0 else 1 end, found desc, difference_id`,
);
const findDifference = statement<DifferenceRow>(
  'find-shadow-difference',
  `select ${differenceColumns} from shadow_difference where difference_id = $1`,
);
const saveDifference = statement(
  'save-shadow-difference',
  `insert into shadow_difference (upstream, difference_id, operation, kind, path, found, first_at, last_at, callers, key_id,
     data_key, sealed_example)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   on conflict (upstream, difference_id) do update set found = shadow_difference.found + excluded.found,
     first_at = case when excluded.first_at < shadow_difference.first_at
                     then excluded.first_at else shadow_difference.first_at end,
     last_at = case when excluded.last_at > shadow_difference.last_at
                    then excluded.last_at else shadow_difference.last_at end,
     callers = excluded.callers, key_id = excluded.key_id, data_key = excluded.data_key,
     sealed_example = excluded.sealed_example`,
);
const acceptDifference = statement(
  'accept-shadow-difference',
  `update shadow_difference set accepted_reason = $3, accepted_at = $4, accepted_by = $5
    where upstream = $1 and difference_id = $2`,
);
const deleteOld = statement(
  'delete-old-shadow-differences',
  `delete from shadow_difference where (upstream, difference_id) in
    (select upstream, difference_id from shadow_difference where last_at < $1 order by last_at limit ${deletedMax})`,
);
