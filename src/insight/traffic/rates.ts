/** Counts requests by minute, with their times: by format for a day and an hour, by operation and by caller for an hour. */

/** What is counted of the requests of one name in one minute. It is plain data, so that processes can send it. */
interface RateRow {
  /** Minutes since the epoch. */
  readonly minute: number;
  readonly name: string;
  /** Refused by a problem of the caller. */
  readonly refused: number;
  readonly failed: number;
  /** Pairs of a bucket and its count. */
  readonly times: readonly (readonly [bucket: number, count: number])[];
}

interface RatePoint {
  /** The start of the interval, in milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface NamedRates {
  readonly name: string;
  /** In their order in time; only intervals with requests. */
  readonly points: readonly RatePoint[];
}

/** Bounds grow by the fourth root of 2, so an estimate is wrong by 10 % at most. */
const bucketsPerDoubling = 4;
const lowestMs = 1 / 16;
/** The last bucket has all times from about a minute. */
export const bucketCount = 80;
export const minuteMs = 60_000;
/** The requests beyond the limit of names in a minute. */
const otherName = 'other';
/** Behind the buckets of a row. */
const refusedAt = bucketCount;
const failedAt = bucketCount + 1;

type RateOutcome = 'ok' | 'refused' | 'failed';

interface RateLimits {
  readonly minutesMax: number;
  /** Names of one minute. */
  readonly namesMax: number;
}

/** What is counted of all requests of a process. Callers are known credentials, without the console. */
export function createRates() {
  return Object.freeze({
    // The hour before the last day is that of the same time yesterday.
    formats: new Rates({ minutesMax: 1_500, namesMax: 16 }),
    operations: new Rates({ minutesMax: 60, namesMax: 64 }),
    callers: new Rates({ minutesMax: 60, namesMax: 128 }),
  });
}

export type AllRates = ReturnType<typeof createRates>;
/** Plain data. */
export type AllRateRows = { readonly [K in keyof AllRates]: readonly RateRow[] };

/** Returns everything that was counted, and forgets it. Undefined where that is nothing. */
export function takeRates({ formats, operations, callers }: AllRates): AllRateRows | undefined {
  const rows = { formats: formats.take(), operations: operations.take(), callers: callers.take() };
  return rows.formats.length === 0 ? undefined : rows;
}

/** Adds what another process has counted. */
export function addRates({ formats, operations, callers }: AllRates, rows: AllRateRows): void {
  formats.add(rows.formats);
  operations.add(rows.operations);
  callers.add(rows.callers);
}

export class Rates {
  readonly #limits: RateLimits;
  readonly #minutes = new Map<number, Map<string, Uint32Array>>();
  #minute = 0;
  #rows = new Map<string, Uint32Array>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /** `at`: in milliseconds since the epoch. */
  count(at: number, name: string, outcome: RateOutcome, ms: number): void {
    const row = this.#rowOf(Math.floor(at / minuteMs), name);
    row[bucketOf(ms)]! += 1;
    if (outcome !== 'ok') row[outcome === 'refused' ? refusedAt : failedAt]! += 1;
  }

  /** Returns everything that was counted, and forgets it. */
  take(): readonly RateRow[] {
    const taken = [...this.#minutes].flatMap(([minute, rows]) =>
      [...rows].map(([name, row]) => ({
        minute,
        name,
        refused: row[refusedAt]!,
        failed: row[failedAt]!,
        times: [...row.subarray(0, bucketCount)].flatMap((count, at) => (count === 0 ? [] : [[at, count] as const])),
      })),
    );
    this.#minutes.clear();
    this.#minute = 0;
    return taken;
  }

  /** Adds what another process has counted. */
  add(rows: readonly RateRow[]): void {
    for (const { minute, name, refused, failed, times } of rows) {
      const row = this.#rowOf(minute, name);
      row[refusedAt]! += refused;
      row[failedAt]! += failed;
      for (const [bucket, count] of times) if (bucket < bucketCount) row[bucket]! += count;
    }
  }

  /** The rates of the last `minutes` until `now`, in intervals of `step` minutes. */
  read(now: number, minutes: number, step: number): readonly NamedRates[] {
    return this.#sum(now, minutes, (minute) => minute - (minute % step));
  }

  /** The same in one interval. */
  total(now: number, minutes: number): readonly (RatePoint & { readonly name: string })[] {
    return this.#sum(now, minutes, () => Math.floor(now / minuteMs) - minutes + 1).map(({ name, points }) => ({
      ...points[0]!,
      name,
    }));
  }

  #sum(now: number, minutes: number, startOf: (minute: number) => number): readonly NamedRates[] {
    const last = Math.floor(now / minuteMs);
    const sums = new Map<string, Map<number, Uint32Array>>();
    for (const [minute, rows] of this.#minutes) {
      if (minute > last || minute <= last - minutes) continue;
      const start = startOf(minute);
      for (const [name, row] of rows) {
        const ofName = sums.get(name) ?? new Map<number, Uint32Array>();
        sums.set(name, ofName);
        const sum = ofName.get(start) ?? emptyRow();
        ofName.set(start, sum);
        for (let at = 0; at < sum.length; at += 1) sum[at]! += row[at]!;
      }
    }
    return [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, points]) => ({
        name,
        points: [...points].toSorted(([a], [b]) => a - b).map(([minute, row]) => pointOf(minute, row)),
      }));
  }

  /** The row of the minute is found once for all requests in it. */
  #rowOf(minute: number, name: string): Uint32Array {
    if (minute !== this.#minute) this.#begin(minute);
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    if (this.#rows.size >= this.#limits.namesMax && name !== otherName) return this.#rowOf(minute, otherName);
    const row = emptyRow();
    this.#rows.set(name, row);
    return row;
  }

  #begin(minute: number): void {
    this.#minute = minute;
    this.#rows = this.#minutes.get(minute) ?? new Map();
    this.#minutes.set(minute, this.#rows);
    if (this.#minutes.size <= this.#limits.minutesMax) return;
    const oldest = Math.min(...this.#minutes.keys());
    this.#minutes.delete(oldest);
  }
}

function emptyRow(): Uint32Array {
  return new Uint32Array(bucketCount + 2);
}

function pointOf(minute: number, row: Uint32Array): RatePoint {
  const share = (of: number): number => percentile(row, of) ?? 0;
  let requests = 0;
  for (let at = 0; at < bucketCount; at += 1) requests += row[at]!;
  return {
    at: minute * minuteMs,
    requests,
    refused: row[refusedAt]!,
    failed: row[failedAt]!,
    p50: share(0.5),
    p95: share(0.95),
    p99: share(0.99),
  };
}

export function bucketOf(ms: number): number {
  if (!(ms > lowestMs)) return 0;
  return Math.min(Math.floor(Math.log2(ms / lowestMs) * bucketsPerDoubling), bucketCount - 1);
}

/** The time that a share of the requests did not exceed; undefined without requests. `share`: 0.95 for the 95th percentile. */
export function percentile(buckets: ArrayLike<number>, share: number): number | undefined {
  let total = 0;
  for (let at = 0; at < bucketCount; at += 1) total += buckets[at] ?? 0;
  if (total === 0) return undefined;
  const rank = Math.ceil(share * total);
  let counted = 0;
  for (let at = 0; at < bucketCount; at += 1) {
    counted += buckets[at] ?? 0;
    if (counted >= rank) return middleOf(at);
  }
  return middleOf(bucketCount - 1);
}

/** In the middle of the bounds, with three digits. */
function middleOf(bucket: number): number {
  return Number((lowestMs * 2 ** ((bucket + 0.5) / bucketsPerDoubling)).toPrecision(3));
}
