/** Records who calls how: counts in memory, and adds to the stored records in batches, never in a request's transaction. */
import { type MaskSecrets, maskSensitive, problems } from '../../core/contract/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import {
  type CallerRecords,
  type CallerUpdate,
  type CallerUse,
  type DayCounts,
  idOf,
  isOther,
  otherOfAll,
  otherOfCredential,
  recordsPerCredentialMax,
} from './caller-record.ts';
import { unnamedClient } from './client-name.ts';
import { type ReadRequest, type Sealing, sealRequest } from './last-request.ts';

/** What is recorded of an answered request. */
export interface AnsweredCall {
  readonly entry: {
    readonly protocol: string;
    readonly service?: string | undefined;
    readonly version?: number | undefined;
    readonly requestedVersion?: number | undefined;
    readonly operation?: string | undefined;
    readonly credential?: string | undefined;
    readonly tenant?: string | undefined;
    readonly client?: string | undefined;
    readonly outcome: string;
    readonly problem?: { readonly type: string; readonly status: number } | undefined;
    readonly deprecation?: string | undefined;
  };
  readonly decoded?: (Pick<ReadRequest, 'operation' | 'input'> & { readonly issues: readonly unknown[] }) | undefined;
}

export type CallerRecorder = ReturnType<typeof createCallerRecorder>;

export interface RecorderParts {
  readonly records: CallerRecords;
  readonly vault: Vault;
  readonly clock: Clock;
  /** By default masks what the contract calls sensitive. */
  readonly mask?: MaskSecrets;
}

/** Uses that are counted apart between two flushes. */
const usesMax = 2_000;
/** Requests in memory between two flushes. Uses without one keep that of an earlier flush. */
const requestsMax = 256;
/** Updates of one transaction. */
const batchSize = 100;

const dayMs = 24 * 60 * 60 * 1000;

type Counts = { -readonly [K in keyof DayCounts]: DayCounts[K] };

/** A use since the last flush. */
interface Tally {
  readonly use: CallerUse;
  firstUsedAt: number;
  lastUsedAt: number;
  lastOutcome: string;
  readonly days: Counts[];
  request: ReadRequest | undefined;
}

export function createCallerRecorder({ records, vault, clock, mask = maskSensitive }: RecorderParts) {
  let tallies = new Map<string, Tally>();
  /** Uses of each credential. */
  let uses = new Map<string, number>();
  /** Tallies that are being saved, and come back if that fails. */
  let saving = 0;
  let requests = 0;
  let flushing: Promise<void> | undefined;

  /** Counts the use as `other` where it is full. */
  const add = (use: CallerUse, now: number): Tally => {
    const owner = `${use.tenant}\n${use.credential}`;
    const count = uses.get(owner) ?? 0;
    if (tallies.size + saving >= usesMax) return findOther(otherOfAll, now);
    if (count >= recordsPerCredentialMax) return findOther(otherOfCredential(use), now);
    uses.set(owner, count + 1);
    return begin(use, now);
  };
  const findOther = (use: CallerUse, now: number): Tally => tallies.get(keyOf(use)) ?? begin(use, now);
  const begin = (use: CallerUse, now: number): Tally => {
    const tally = { use, firstUsedAt: now, lastUsedAt: now, lastOutcome: '', days: [], request: undefined };
    tallies.set(keyOf(use), tally);
    return tally;
  };
  const keepRequest = (tally: Tally, request: ReadRequest): void => {
    if (tally.request === undefined) {
      if (requests >= requestsMax || isOther(tally.use)) return;
      requests += 1;
    }
    tally.request = request;
  };
  const restore = (saved: Tally): void => {
    const newer = tallies.get(keyOf(saved.use));
    if (newer === undefined) {
      tallies.set(keyOf(saved.use), saved);
      const { request } = saved;
      saved.request = undefined;
      if (request !== undefined) keepRequest(saved, request);
      return;
    }
    for (const counts of saved.days) addCounts(countsOf(newer, counts.day), counts);
    newer.firstUsedAt = saved.firstUsedAt;
    if (newer.request === undefined && saved.request !== undefined) keepRequest(newer, saved.request);
  };
  const save = async (): Promise<void> => {
    const taken = [...tallies.values()];
    tallies = new Map();
    uses = new Map();
    requests = 0;
    saving = taken.length;
    let saved = 0;
    try {
      for (; saved < taken.length; saved += batchSize)
        await records.add(taken.slice(saved, saved + batchSize).map((tally) => updateOf(tally, { vault, mask })));
    } catch (thrown) {
      for (const tally of taken.slice(saved)) restore(tally);
      throw thrown;
    } finally {
      saving = 0;
    }
  };
  const flush = (): Promise<void> => {
    flushing ??= save().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };

  return Object.freeze({
    record(headers: Readonly<Record<string, string | undefined>>, { entry, decoded }: AnsweredCall): void {
      const now = clock.now();
      const { protocol: format, requestedVersion: version, problem, service = '', operation = '' } = entry;
      const { client = unnamedClient } = entry;
      // Another server may know the credential better: one that it does not accept is no caller's.
      const isKnown = entry.credential !== undefined && problem?.status !== 401;
      const credential = isKnown ? entry.credential : '';
      const tenant = (isKnown && entry.tenant) || '';
      const key = `${tenant}\n${credential}\n${service}\n${operation}\n${version}\n${format}\n${client}`;
      const tally = tallies.get(key) ?? add({ tenant, credential, service, operation, version, format, client }, now);
      tally.lastUsedAt = now;
      tally.lastOutcome = entry.outcome;
      const counts = countsOf(tally, Math.floor(now / dayMs));
      counts[classOf(entry)] += 1;
      if (entry.deprecation === 'exempt') counts.exempt += 1;
      if (!isKnown || decoded === undefined || decoded.issues.length > 0) return;
      keepRequest(tally, {
        operation: decoded.operation,
        input: decoded.input,
        version: entry.version,
        credential: headers.authorization === undefined ? 'apiKey' : 'basic',
      });
    },
    /** Saves what was recorded since the last time. Rejects where the store does not take it; the next time saves it then. */
    async flush(): Promise<void> {
      // A flush that has begun does not save what came since.
      if (flushing !== undefined) await flushing.catch(() => {});
      await flush();
    },
  });
}

function keyOf({ tenant, credential, service, operation, version, format, client }: CallerUse): string {
  return `${tenant}\n${credential}\n${service}\n${operation}\n${version}\n${format}\n${client}`;
}

function countsOf({ days }: Tally, day: number): Counts {
  const last = days.at(-1);
  if (last?.day === day) return last;
  const known = days.find((each) => each.day === day);
  if (known !== undefined) return known;
  const counts: Counts = { day, succeeded: 0, refused: 0, failed: 0, switchedOff: 0, exempt: 0 };
  days.push(counts);
  return counts;
}

function classOf({ problem, outcome }: AnsweredCall['entry']) {
  if (problem === undefined) return 'succeeded';
  if (outcome === problems.brownOut.name || outcome === problems.retired.name) return 'switchedOff';
  return problem.type === 'internal' ? 'failed' : 'refused';
}

function addCounts(counts: Counts, more: DayCounts): void {
  counts.succeeded += more.succeeded;
  counts.refused += more.refused;
  counts.failed += more.failed;
  counts.switchedOff += more.switchedOff;
  counts.exempt += more.exempt;
}

function updateOf({ use, firstUsedAt, lastUsedAt, lastOutcome, days, request }: Tally, sealing: Sealing): CallerUpdate {
  const id = idOf(use);
  const sealed = request && sealRequest(sealing, use.tenant, id, request);
  return { id, use, firstUsedAt, lastUsedAt, lastOutcome, days, request: sealed };
}
