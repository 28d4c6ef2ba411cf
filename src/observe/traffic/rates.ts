/** Counts requests by minute and format, with their times, for the last day. */

/** What is counted of the requests of one format in one minute. It is plain data, so that processes can send it. */
export interface RateRow {
  /** Minutes since the epoch. */
  readonly minute: number;
  readonly format: string;
  /** Refused by a problem of the caller. */
  readonly refused: number;
  readonly failed: number;
  /** Pairs of a bucket and its count. */
  readonly times: readonly (readonly [bucket: number, count: number])[];
}

export interface RatePoint {
  /** The start of the interval, in milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface FormatRates {
  readonly format: string;
  /** In their order in time; only intervals with requests. */
  readonly points: readonly RatePoint[];
}

/** Bounds grow by the fourth root of 2, so an estimate is wrong by 10 % at most. */
const bucketsPerDoubling = 4;
const lowestMs = 1 / 16;
/** The last bucket has all times from about a minute. */
export const bucketCount = 80;
export const minuteMs = 60_000;
const minutesMax = 1_440;
/** Formats are names of the program. The limit holds in case one ever is text of a caller. */
const formatsMax = 16;
/** Behind the buckets of a row. */
const refusedAt = bucketCount;
const failedAt = bucketCount + 1;

export type RateOutcome = 'ok' | 'refused' | 'failed';

export class Rates {
  readonly #minutes = new Map<number, Map<string, Uint32Array>>();
  #minute = 0;
  #rows = new Map<string, Uint32Array>();

  /** `at`: in milliseconds since the epoch. */
  count(at: number, format: string, outcome: RateOutcome, ms: number): void {
    const row = this.#rowOf(Math.floor(at / minuteMs), format);
    if (row === undefined) return;
    row[bucketOf(ms)]! += 1;
    if (outcome !== 'ok') row[outcome === 'refused' ? refusedAt : failedAt]! += 1;
  }

  /** Returns everything that was counted, and forgets it. */
  take(): readonly RateRow[] {
    const taken = [...this.#minutes].flatMap(([minute, rows]) =>
      [...rows].map(([format, row]) => ({
        minute,
        format,
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
    for (const { minute, format, refused, failed, times } of rows) {
      const row = this.#rowOf(minute, format);
      if (row === undefined) continue;
      row[refusedAt]! += refused;
      row[failedAt]! += failed;
      for (const [bucket, count] of times) if (bucket < bucketCount) row[bucket]! += count;
    }
  }

  /** The rates of the last `minutes` until `now`, in intervals of `step` minutes. */
  read(now: number, minutes: number, step: number): readonly FormatRates[] {
    const last = Math.floor(now / minuteMs);
    const sums = new Map<string, Map<number, Uint32Array>>();
    for (const [minute, rows] of this.#minutes) {
      if (minute > last || minute <= last - minutes) continue;
      const start = minute - (minute % step);
      for (const [format, row] of rows) {
        const ofFormat = sums.get(format) ?? new Map<number, Uint32Array>();
        sums.set(format, ofFormat);
        const sum = ofFormat.get(start) ?? emptyRow();
        ofFormat.set(start, sum);
        for (let at = 0; at < sum.length; at += 1) sum[at]! += row[at]!;
      }
    }
    return [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([format, points]) => ({
        format,
        points: [...points].toSorted(([a], [b]) => a - b).map(([minute, row]) => pointOf(minute, row)),
      }));
  }

  /** The row of the minute is found once for all requests in it. Undefined beyond the limits. */
  #rowOf(minute: number, format: string): Uint32Array | undefined {
    if (minute !== this.#minute) this.#begin(minute);
    const known = this.#rows.get(format);
    if (known !== undefined) return known;
    if (this.#rows.size >= formatsMax) return undefined;
    const row = emptyRow();
    this.#rows.set(format, row);
    return row;
  }

  #begin(minute: number): void {
    this.#minute = minute;
    this.#rows = this.#minutes.get(minute) ?? new Map();
    this.#minutes.set(minute, this.#rows);
    if (this.#minutes.size <= minutesMax) return;
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
