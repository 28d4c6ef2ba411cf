/** Finds a wrong clock before data is destroyed by it: compares with the last time that a server has recorded in the store. */

import { type Clock, monotonicClock } from '../core/lib/index.ts';
import type { Log, ObservedState } from '../http/index.ts';
import { type Engine, readCommitted, StoreUnavailable, statement } from '../stores/index.ts';

const dayMs = 24 * 60 * 60 * 1000;

export type ClockCheck = ReturnType<typeof createClockCheck>;

/** For clocks that are moved on purpose: those of tests. */
export const noClockCheck: ClockCheck = Object.freeze({
  findFault: async () => undefined,
  start: async () => {},
  findJump: async () => undefined,
});

interface ClockCheckParts {
  readonly engine: Engine;
  readonly clock: Clock;
  /** 0 accepts every clock. */
  readonly daysMax: number;
  /** Names the store in messages. */
  readonly place: string;
  readonly monotonic?: Clock;
}

export function createClockCheck(parts: ClockCheckParts) {
  const { engine, clock, daysMax, place, monotonic = monotonicClock } = parts;
  const msMax = daysMax === 0 ? Number.POSITIVE_INFINITY : daysMax * dayMs;
  /** How far each clock is from the monotonic one. */
  const offsetsOf = (clocks: readonly NamedTime[]) => clocks.map(({ now }) => now - monotonic.now());
  let trusted: readonly number[] | undefined;

  const read = async () => {
    const { now, last } = await findServerTime(engine);
    const own = { name: 'The clock of this machine', now: clock.now() };
    // The embedded store has the clock of this machine, but does not follow its jumps.
    return { last, clocks: engine.dialect === 'sqlite' ? [own] : [own, { name: 'The clock of the database', now }] };
  };

  /** A server starts while its store takes no writes. */
  const record = async () => {
    try {
      await recordServerTime(engine);
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
    }
  };

  const findFault = async () => {
    const { last, clocks } = await read();
    const wrong = last === undefined ? undefined : clocks.find(({ now }) => Math.abs(now - last) > msMax);
    if (last === undefined || wrong === undefined) return undefined;
    return `${difference(wrong, last)} the last time that a server has recorded in ${place}: ${formatTime(last)}. By a wrong clock idempotency records expire and stored data is destroyed. Set the clock. If it is right, start once with --accept-clock, or with CLOCK_DAYS_MAX=0 (docs/operations.md#clocks).`;
  };

  return Object.freeze({
    /** Says which clock is too far from the recorded time, and what to do; undefined where none is. */
    findFault,
    /** For the start of a server: records the time. Throws an Error with what `findFault` finds, unless the clock is accepted. */
    async start(isAccepted: boolean): Promise<void> {
      const fault = isAccepted ? undefined : await findFault();
      if (fault !== undefined) throw new Error(fault);
      trusted = offsetsOf((await read()).clocks);
      await record();
    },
    /** For a server that runs: says which clock was set since its start; undefined where none was, and records the time then. */
    async findJump(): Promise<string | undefined> {
      const { clocks } = await read();
      const found = offsetsOf(clocks);
      const jumps = found.map((offset, index) => offset - (trusted?.[index] ?? offset));
      const at = jumps.findIndex((jump) => Math.abs(jump) > msMax);
      if (at === -1) {
        trusted = found;
        await record();
        return undefined;
      }
      const wrong = clocks[at]!;
      const right = wrong.now - jumps[at]!;
      return `${difference(wrong, right)} the time that follows from the start of the process: ${formatTime(right)}`;
    },
  });
}

interface NamedTime {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** `The clock of this machine says 2027-01-02 12:00:00 UTC, 40 days after`. */
function difference({ name, now }: NamedTime, other: number): string {
  const days = Math.round(Math.abs(now - other) / dayMs);
  return `${name} says ${formatTime(now)}, ${days} days ${now > other ? 'after' : 'before'}`;
}

function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * The returned function wraps work that deletes by time. It does nothing after a jump of a clock, until that clock is right again or
 * the server starts anew. Log and metrics say so.
 */
export function pauseAfterJumps(
  { clockCheck }: { readonly clockCheck: ClockCheck },
  log: Pick<Log, 'write'>,
  metrics: Pick<ObservedState, 'deletionPaused'>,
): (work: () => Promise<unknown>) => () => Promise<void> {
  return (work) => async () => {
    const wasPaused = metrics.deletionPaused ?? false;
    const jump = await clockCheck.findJump();
    const isPaused = jump !== undefined;
    metrics.deletionPaused = isPaused;
    if (isPaused && !wasPaused) log.write('error', 'a clock was set: nothing is deleted by time', { reason: jump });
    if (!isPaused && wasPaused) log.write('info', 'the clock is right again: deletion by time goes on');
    if (!isPaused) await work();
  };
}

/** Row 1 of the table is the one that readiness probes write. */
const serverTimeId = 2;

const findTime = statement<{ readonly now: number; readonly last: number | null }>(
  'find-server-time',
  `select now_ms() as now, (select checked_at from write_check where id = ${serverTimeId}) as last`,
);

const saveTime = statement(
  'record-server-time',
  `insert into write_check (id, checked_at) values (${serverTimeId}, now_ms())
   on conflict (id) do update set checked_at = excluded.checked_at`,
);

/** Milliseconds since the epoch. */
interface ServerTime {
  /** By the clock of the database. */
  readonly now: number;
  /** Undefined in a store that no server has recorded one in. */
  readonly last: number | undefined;
}

async function findServerTime(engine: Engine): Promise<ServerTime> {
  const [row] = await engine.read((session) => session.query(findTime, []));
  if (row === undefined) throw new Error('the database returned no time');
  return { now: row.now, last: row.last ?? undefined };
}

async function recordServerTime(engine: Engine): Promise<void> {
  await engine.write((session) => session.execute(saveTime, []), readCommitted);
}
