/** Builds the report of a migration from the records of callers, their owners and saved comparisons. */

import type { StoredDifference } from '../../backend/index.ts';
import type { Output } from '../../core/contract/index.ts';
import type { SavedComparison } from '../../forward/index.ts';
import {
  assessReadiness,
  type CallerReadiness,
  type CallerUse,
  type Concern,
  type DayCounts,
  noiseOf,
  type RecordedUse,
} from '../../insight/index.ts';
import { totalOf } from '../callers/handlers.ts';
import type { getMigrationReport } from './contract.ts';

export type MigrationReport = Output<typeof getMigrationReport>;
type Caller = MigrationReport['callers'][number];
type Noise = MigrationReport['noise'][number];
type Comparison = MigrationReport['comparisons'][number];

/** What a report is made of. Times are milliseconds since the epoch. */
export interface ReportParts {
  readonly now: number;
  readonly weeks: number;
  /** Records of the weeks of the report. */
  readonly records: readonly RecordedUse[];
  /** Their counts, by the ids of the records. */
  readonly days: ReadonlyMap<string, readonly DayCounts[]>;
  readonly concern: (use: CallerUse) => Concern;
  readonly usernames: ReadonlyMap<string, string>;
  readonly owners: ReadonlyMap<string, { readonly name: string; readonly address: string }>;
  readonly comparisons: readonly SavedComparison[];
  /** Those of shadows. */
  readonly shadowDifferences: readonly StoredDifference[];
  readonly ends: string;
  readonly sunset: string | undefined;
  readonly lacks: readonly string[];
}

const dayMs = 24 * 60 * 60 * 1000;
const weekMs = 7 * dayMs;
/** 1970-01-05 was a Monday. */
const firstMonday = 4 * dayMs;
/** A credential that has made no call that ends for so long is ready. */
const readyAfterMs = 4 * weekMs;
const breaksMax = 20_000;

/** The Monday with which the first of so many weeks begins, in UTC; the last one is that of `now`. */
export function beginOfWeeks(now: number, weeks: number): number {
  return mondayOf(now) - (weeks - 1) * weekMs;
}

/** Returns the report. Requests that no caller has made on purpose are in `noise` only. */
export function buildReport(parts: ReportParts): MigrationReport {
  const { now, weeks, records, concern, comparisons: saved, ends, sunset, lacks } = parts;
  const since = beginOfWeeks(now, weeks);
  const used = records.filter((each) => noiseOf(each) === undefined);
  const readiness = assessReadiness(used, concern, now - readyAfterMs);
  const states = new Map(readiness.map((each) => [keyOf(each), each]));
  const callers = [...Map.groupBy(used, ({ use }) => keyOf(use)).values()]
    .map((own) => callerOf(own, states.get(keyOf(own[0]!.use)), since, parts))
    .toSorted((one, other) => order[other.risk] - order[one.risk] || other.ending - one.ending);
  const comparisons = saved.map(comparisonOf);
  const shadows = shadowsOf(parts.shadowDifferences);
  const differences = [...comparisons, ...shadows].flatMap((each) => each.differences);
  const count = (state: Caller['state']): number => callers.filter((each) => each.state === state).length;
  const totals = {
    credentials: callers.length,
    concerned: readiness.length,
    ready: count('ready'),
    moving: count('moving'),
    notBegun: count('notBegun'),
    exempt: count('exempt'),
    withoutOwner: callers.filter(({ owner }) => owner === undefined).length,
    requests: sum(callers.map(({ requests }) => requests)),
    ending: sum(callers.map(({ ending }) => ending)),
    open: differences.filter(({ accepted }) => accepted === undefined).length,
    accepted: differences.filter(({ accepted }) => accepted !== undefined).length,
  };
  return {
    ...{ createdAt: now, since, ends, sunset, lacks: [...lacks] },
    ...riskOfAll(totals, comparisons, lacks),
    totals,
    weeks: Array.from({ length: weeks }, (_, at) => new Date(since + at * weekMs).toISOString().slice(0, 10)),
    formats: [...Map.groupBy(used, ({ use }) => use.format)]
      .map(([format, own]) => ({
        format,
        credentials: new Set(own.map(({ use }) => keyOf(use))).size,
        ...countsOf(own, since, parts),
      }))
      .toSorted((one, other) => other.requests - one.requests),
    callers,
    breaks: readiness.flatMap((each) => breaksOf(each, parts)).slice(0, breaksMax),
    comparisons,
    shadows,
    noise: noiseRows(records, since, parts),
  };
}

const order: Readonly<Record<Caller['risk'], number>> = { none: 0, low: 1, medium: 2, high: 3 };

function callerOf(
  own: readonly RecordedUse[],
  readiness: CallerReadiness | undefined,
  since: number,
  parts: ReportParts,
): Caller {
  const { use } = own[0]!;
  const owner = parts.owners.get(use.credential);
  const ending = own.filter((each) => parts.concern(each.use) === 'deprecated');
  const state = readiness?.state ?? 'notConcerned';
  const { requests, weekly } = countsOf(ending, since, parts);
  return {
    credential: use.credential,
    username: parts.usernames.get(use.credential),
    tenant: use.tenant || undefined,
    owner: owner?.name,
    address: owner?.address,
    state,
    formats: [...new Set(own.map((each) => each.use.format))].toSorted(),
    requests: countsOf(own, since, parts).requests,
    ending: requests,
    weekly,
    lastUsedAt: Math.max(...own.map(({ lastUsedAt }) => lastUsedAt)),
    lastEndingAt: readiness?.lastUsedAt,
    ...riskOf(state, readiness, owner !== undefined),
  };
}

function riskOf(
  state: Caller['state'],
  readiness: CallerReadiness | undefined,
  hasOwner: boolean,
): Pick<Caller, 'risk' | 'reasons'> {
  if (state === 'notConcerned') return { risk: 'none', reasons: [] };
  if (state === 'ready') return { risk: 'low', reasons: [] };
  const binding = (readiness?.remaining ?? []).filter(({ isExempt }) => !isExempt);
  const missing = new Set(
    binding.filter(({ replacedBy }) => replacedBy === undefined).map(({ record }) => callOf(record.use)),
  );
  const reasons = [
    ...(missing.size > 0
      ? [`calls in no other way: ${[...missing].slice(0, 5).join(', ')}${missing.size > 5 ? ' and others' : ''}`]
      : []),
    ...(state === 'moving' ? ['still makes calls that end'] : []),
    ...(state === 'exempt' ? ['is exempt, and still makes calls that end'] : []),
    ...(hasOwner ? [] : ['nobody is named as its owner']),
  ];
  return { risk: state === 'notBegun' || (state === 'moving' && !hasOwner) ? 'high' : 'medium', reasons };
}

function riskOfAll(
  { notBegun, moving, exempt, withoutOwner, open }: MigrationReport['totals'],
  comparisons: readonly Comparison[],
  lacks: readonly string[],
): Pick<MigrationReport, 'risk' | 'reasons'> {
  const unanswered = sum(comparisons.map((each) => each.unanswered));
  const high = [
    ...(notBegun > 0 ? [`${credentials(notBegun)} would lose operations`] : []),
    ...(open > 0
      ? [`${open === 1 ? '1 kind of difference is' : `${open} kinds of differences are`} not accepted`]
      : []),
    ...(unanswered > 0
      ? [`the new server did not answer ${unanswered === 1 ? '1 request' : `${unanswered} requests`}`]
      : []),
  ];
  const medium = [
    ...(moving > 0 ? [`${credentials(moving)} still ${moving === 1 ? 'makes' : 'make'} calls that end`] : []),
    ...(exempt > 0 ? [`${credentials(exempt)} ${exempt === 1 ? 'is' : 'are'} exempt`] : []),
    ...(withoutOwner > 0 ? [`${credentials(withoutOwner)} ${withoutOwner === 1 ? 'has' : 'have'} no owner`] : []),
    ...(lacks.length > 0 ? ['the report lacks a part'] : []),
  ];
  return { risk: high.length > 0 ? 'high' : medium.length > 0 ? 'medium' : 'low', reasons: [...high, ...medium] };
}

function credentials(number: number): string {
  return number === 1 ? '1 credential' : `${number} credentials`;
}

function breaksOf({ remaining }: CallerReadiness, parts: ReportParts): readonly MigrationReport['breaks'][number][] {
  const since = parts.now - readyAfterMs;
  return remaining
    .filter(({ isExempt }) => !isExempt)
    .map(({ record: { id, use, lastUsedAt }, replacedBy }) => ({
      id,
      tenant: use.tenant || undefined,
      credential: use.credential || undefined,
      username: parts.usernames.get(use.credential),
      service: use.service || undefined,
      operation: use.operation || undefined,
      version: use.version,
      format: use.format,
      owner: parts.owners.get(use.credential)?.name,
      client: use.client,
      requests: sum((parts.days.get(id) ?? []).filter(({ day }) => day * dayMs > since - dayMs).map(totalOf)),
      lastUsedAt,
      hasReplacement: replacedBy !== undefined,
    }));
}

/** What was saved has been read by the contract of `saveComparison`. */
function comparisonOf({ name, savedAt, savedBy, result }: SavedComparison): Comparison {
  return { name, savedAt, savedBy, ...(result as Omit<Comparison, 'name' | 'savedAt' | 'savedBy'>) };
}

function shadowsOf(differences: readonly StoredDifference[]): MigrationReport['shadows'] {
  return [...Map.groupBy(differences, ({ upstream }) => upstream)].map(([upstream, own]) => ({
    upstream,
    differences: own.map(({ operation, path, kind, count, callers, firstAt, lastAt, accepted }) => ({
      ...{ operation, path, kind, count, callers: callers.length, firstAt, lastAt },
      ...(accepted && { accepted: accepted.reason }),
    })),
  }));
}

function noiseRows(records: readonly RecordedUse[], since: number, parts: ReportParts): readonly Noise[] {
  const noise = records.flatMap((record) => {
    const kind = noiseOf(record);
    return kind === undefined ? [] : [{ kind, record }];
  });
  const groups = Map.groupBy(noise, ({ kind, record: { use } }) => `${kind}\n${use.format}\n${use.client}`);
  return [...groups.values()]
    .map((group) => {
      const { kind, record } = group[0]!;
      const own = group.map((each) => each.record);
      const { format, client } = record.use;
      const lastUsedAt = Math.max(...own.map((each) => each.lastUsedAt));
      return { kind, format, client, requests: countsOf(own, since, parts).requests, lastUsedAt };
    })
    .toSorted((one, other) => other.requests - one.requests);
}

/** All requests of the records, and those of each week. */
function countsOf(records: readonly RecordedUse[], since: number, { days, weeks }: ReportParts) {
  const weekly = new Array<number>(weeks).fill(0);
  for (const { id } of records)
    for (const counts of days.get(id) ?? []) {
      const week = Math.floor((counts.day * dayMs - since) / weekMs);
      if (week >= 0 && week < weeks) weekly[week] = (weekly[week] ?? 0) + totalOf(counts);
    }
  return { requests: sum(weekly), weekly };
}

function mondayOf(moment: number): number {
  return Math.floor((moment - firstMonday) / weekMs) * weekMs + firstMonday;
}

function keyOf({ tenant, credential }: { readonly tenant: string; readonly credential: string }): string {
  return `${tenant}\n${credential}`;
}

function callOf({ service, operation, version }: CallerUse): string {
  return `${service}.${operation}${version === undefined ? '' : ` v${version}`}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
