/**
 * The counts of quotas and locks in the database. Several processes add to the same rows.
 *
 * Times are not those of `now_ms()`, which may be set: a process asks the database for the time once, and measures on by its own
 * clock. It begins no earlier than the last event that is stored, so a clock that is set back ends nothing early.
 */
import { type Clock, compareTexts, neverBack } from '../../core/lib/index.ts';
import { createTogether, type Engine, readCommitted, type Session, statement } from '../../stores/index.ts';
import type { SharedCount, SharedEvent, StoredCounts } from './shared-counts.ts';

export interface LimitCounts extends StoredCounts {
  /** Deletes what is over, in steps. Throws `StoreUnavailable`. */
  deleteExpired(): Promise<void>;
}

interface LimitCountOptions {
  /** Measures the time since the first use. */
  readonly clock: Clock;
  /** More rows are not stored: those of the subjects with the fewest events are deleted. By default 100,000. */
  readonly rowsMax?: number;
}

const defaultRowsMax = 100_000;
/** Events of one transaction. */
const batchMax = 64;
/** More events do not wait for the store: they are counted in memory only. */
const waitingMax = 1_000;
/** The rows are counted again after so many new ones. */
const uncheckedMax = 1_000;
/** Rows or subjects that a statement deletes, so that requests hardly wait for it. */
const deletedMax = 1_000;
/** A transaction commits no later than this after it has taken its time. */
const overlapMs = 10_000;

type SumRow = { readonly events: number; readonly ends_at: number };

/** A row whose time is over begins again. */
const count = statement<SumRow>(
  'count-limited-event',
  `insert into limit_count (limit_name, subject, member, events, ends_at, counted_at) values ($1, $2, $3, 1, $4, $5)
   on conflict (limit_name, subject, member) do update set
     events = case when limit_count.ends_at <= excluded.counted_at then 1 else limit_count.events + 1 end,
     ends_at = case when limit_count.ends_at <= excluded.counted_at then excluded.ends_at else limit_count.ends_at end,
     counted_at = excluded.counted_at
   returning events, ends_at`,
);

const findSum = statement<SumRow>(
  'find-limit-sum',
  `select events, ends_at from limit_count where limit_name = $1 and subject = $2 and member = '' and ends_at > $3`,
);

const beginBlock = statement(
  'begin-limit-block',
  `update limit_count set ends_at = $3 where limit_name = $1 and subject = $2 and member = ''`,
);

const findTime = statement<{ readonly now: number; readonly last: number | null }>(
  'find-limit-time',
  `select now_ms() as now, (select max(counted_at) from limit_count where member = '') as last`,
);

const findChanges = statement<
  SumRow & { readonly limit_name: string; readonly subject: string; readonly counted_at: number }
>(
  'find-limit-changes',
  `select limit_name, subject, events, ends_at, counted_at from limit_count
    where member = '' and counted_at >= $1 and ends_at > $2 order by counted_at`,
);

const countRows = statement<{ readonly stored: number }>(
  'count-limit-rows',
  'select count(*) as stored from limit_count',
);

const deleteEnded = statement(
  'delete-ended-limits',
  `delete from limit_count where (limit_name, subject, member) in
     (select limit_name, subject, member from limit_count where ends_at <= $1 limit ${deletedMax})`,
);

const deleteSmallest = statement(
  'delete-smallest-limits',
  `delete from limit_count where (limit_name, subject) in
     (select limit_name, subject from limit_count where member = '' order by events, counted_at limit $1)`,
);

export function createLimitCounts(engine: Engine, options: LimitCountOptions): LimitCounts {
  const { rowsMax = defaultRowsMax } = options;
  const clock = neverBack(options.clock);
  /** From the clock to the time of the database. */
  let offsetMs: number | undefined;
  let lastSeen = 0;
  let waiting = 0;
  let unchecked = uncheckedMax;

  /** In whole milliseconds. */
  async function readTime(session: Session): Promise<number> {
    if (offsetMs === undefined) {
      const [row] = await session.query(findTime, []);
      offsetMs = Math.max(row!.now, row!.last ?? 0) - clock.now();
    }
    return Math.max(Math.floor(clock.now() + offsetMs), lastSeen);
  }

  /** Members come first, and both in one order for all processes: transactions that lock several rows then do not deadlock. */
  async function addAll(session: Session, events: readonly SharedEvent[]): Promise<readonly SharedCount[]> {
    const now = await readTime(session);
    const isNew = new Map<SharedEvent, boolean>();
    for (const event of events.toSorted(byMember)) {
      const { rule, subject, member } = event;
      const rows =
        member === undefined ? [] : await session.query(count, [rule.name, subject, member, now + rule.windowMs, now]);
      isNew.set(
        event,
        rows.every((row) => row.events === 1),
      );
    }
    const sums = new Map<SharedEvent, SharedCount>();
    for (const event of events.toSorted(bySubject))
      sums.set(event, await addToSum(session, event, isNew.get(event)!, now));
    return events.map((event) => sums.get(event)!);
  }

  /** Deletes rows beyond the maximum. Random names displace each other first: each has few events. */
  async function enforceMaximum(session: Session, added: number): Promise<void> {
    unchecked += added;
    if (unchecked < Math.min(uncheckedMax, rowsMax / 2)) return;
    unchecked = 0;
    const surplus = (await session.query(countRows, []))[0]!.stored - rowsMax;
    // A subject has two rows at least.
    if (surplus > 0) await session.execute(deleteSmallest, [Math.ceil((surplus + rowsMax / 10) / 2)]);
  }

  const addTogether = createTogether<SharedEvent, SharedCount>(
    (events) =>
      engine.write(async (session) => {
        const sums = await addAll(session, events);
        await enforceMaximum(session, 2 * events.length);
        return sums;
      }, readCommitted),
    batchMax,
  );

  return Object.freeze<LimitCounts>({
    isShared: engine.foreignCommits === undefined,
    async add(event) {
      if (waiting >= waitingMax) return undefined;
      waiting += 1;
      try {
        return await addTogether(event);
      } catch {
        // The requests of callers report that the store does not answer.
        return undefined;
      } finally {
        waiting -= 1;
      }
    },
    readChanges: () =>
      engine.read(async (session) => {
        const now = await readTime(session);
        const rows = await session.query(findChanges, [lastSeen - overlapMs, now]);
        lastSeen = Math.max(lastSeen, rows.at(-1)?.counted_at ?? 0);
        return rows.map(({ limit_name: name, subject, events, ends_at }) => ({
          name,
          subject,
          count: events,
          leftMs: ends_at - now,
        }));
      }),
    async deleteExpired() {
      for (let deleted = deletedMax; deleted >= deletedMax; )
        deleted = await engine.write(
          async (session) => session.execute(deleteEnded, [await readTime(session)]),
          readCommitted,
        );
    },
  });
}

async function addToSum(
  session: Session,
  { rule, subject }: SharedEvent,
  isNew: boolean,
  now: number,
): Promise<SharedCount> {
  const { name, max, windowMs, blockMs } = rule;
  const [sum] = await (isNew
    ? session.query(count, [name, subject, '', now + windowMs, now])
    : session.query(findSum, [name, subject, now]));
  if (sum === undefined) return { count: 0, leftMs: 0 };
  if (!isNew || sum.events !== max || blockMs === undefined) return { count: sum.events, leftMs: sum.ends_at - now };
  await session.execute(beginBlock, [name, subject, now + blockMs]);
  return { count: max, leftMs: blockMs };
}

function byMember(one: SharedEvent, other: SharedEvent): number {
  return bySubject(one, other) || compareTexts(one.member ?? '', other.member ?? '');
}

function bySubject(one: SharedEvent, other: SharedEvent): number {
  return compareTexts(one.rule.name, other.rule.name) || compareTexts(one.subject, other.subject);
}
