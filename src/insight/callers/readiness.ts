/** What still has to change before calls can be switched off, by credential. */

import type { CallerUse, RecordedUse } from './caller-record.ts';
import type { Concern } from './concerned.ts';

/** A recorded use of calls that are to be switched off. */
interface RemainingUse {
  readonly record: RecordedUse;
  readonly isExempt: boolean;
  /** The last call of the same operation that can stay; absent where the credential has made none. */
  readonly replacedBy: CallerUse | undefined;
}

export interface CallerReadiness {
  readonly tenant: string;
  /** Empty for requests without a valid credential. */
  readonly credential: string;
  readonly state: /** It has made no such call since the moment. */
    | 'ready'
    /** It also calls each of these operations in a way that can stay. */
    | 'moving'
    /** It makes such calls, and some operations in no other way. */
    | 'notBegun'
    /** Nothing is switched off for it. */
    | 'exempt';
  /** The last such call. */
  readonly lastUsedAt: number;
  /** Uses since the moment, last used first. */
  readonly remaining: readonly RemainingUse[];
}

/**
 * `concern`: which calls are to be switched off. `since`: a credential that has made none of them since then is ready. Credentials
 * that never made one are left out. Those that are ready come last.
 */
export function assessReadiness(
  records: readonly RecordedUse[],
  concern: (use: CallerUse) => Concern,
  since: number,
): readonly CallerReadiness[] {
  const byCredential = Map.groupBy(records, ({ use: { tenant, credential } }) => `${tenant}\n${credential}`);
  return [...byCredential.values()]
    .flatMap((own) => assess(own, concern, since) ?? [])
    .toSorted((one, another) => order[one.state] - order[another.state] || another.lastUsedAt - one.lastUsedAt);
}

const order: Readonly<Record<CallerReadiness['state'], number>> = { notBegun: 0, moving: 1, exempt: 2, ready: 3 };

function assess(
  own: readonly RecordedUse[],
  concern: (use: CallerUse) => Concern,
  since: number,
): CallerReadiness | undefined {
  const concerned = own.flatMap((record) => {
    const found = concern(record.use);
    return found === undefined ? [] : [{ record, isExempt: found === 'exempt' }];
  });
  if (concerned.length === 0) return undefined;
  const { tenant, credential } = own[0]!.use;
  const staying = own.filter(({ use, lastUsedAt }) => concern(use) === undefined && lastUsedAt >= since);
  const remaining = concerned
    .filter(({ record }) => record.lastUsedAt >= since)
    .toSorted((one, another) => another.record.lastUsedAt - one.record.lastUsedAt)
    .map((each) => ({ ...each, replacedBy: findReplacement(each.record.use, staying) }));
  const lastUsedAt = Math.max(...concerned.map(({ record }) => record.lastUsedAt));
  return { tenant, credential, state: stateOf(remaining), lastUsedAt, remaining };
}

function findReplacement({ service, operation }: CallerUse, staying: readonly RecordedUse[]): CallerUse | undefined {
  return staying
    .filter(({ use, lastOutcome }) => use.service === service && use.operation === operation && lastOutcome === 'ok')
    .toSorted((one, another) => another.lastUsedAt - one.lastUsedAt)[0]?.use;
}

function stateOf(remaining: readonly RemainingUse[]): CallerReadiness['state'] {
  const binding = remaining.filter(({ isExempt }) => !isExempt);
  if (binding.length === 0) return remaining.length === 0 ? 'ready' : 'exempt';
  return binding.every(({ replacedBy }) => replacedBy !== undefined) ? 'moving' : 'notBegun';
}
