/** What happened lately: rates of the last hour, and changes of the last day. */
import type { AuditKind } from '../../access/index.ts';
import type { Output } from '../../core/contract/index.ts';
import { noiseOf } from '../../insight/index.ts';
import { minuteMs } from '../../insight/traffic/index.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { getLastHour, listChanges } from './contract.ts';

const dayMs = 86_400_000;
const operationsMax = 100;
const callersMax = 10;

/** Reads the rates of the last hour and of the same hour of the day before; for a tenant, those of its callers. */
export async function readLastHour({
  traffic,
  boundTenant,
  backend: { registry },
}: ConsoleContext): Promise<Output<typeof getLastHour>> {
  const now = Date.now();
  const from = now - 60 * minuteMs;
  if (traffic === undefined) return { isRecorded: false, from, formats: [], operations: [], callers: [] };
  const { formats, operations, callers } = traffic.rates;
  if (boundTenant !== undefined) {
    const own = new Set((await registry.listCredentials()).map(({ id }) => id));
    const found = mostUsed(callers.total(now, 60)).filter(({ name }) => own.has(name));
    return { isRecorded: true, from, formats: [], operations: [], callers: found.slice(0, callersMax).map(rateOf) };
  }
  const before = new Map(formats.total(now - dayMs, 60).map(({ name, requests }) => [name, requests]));
  const last = Math.floor(now / minuteMs);
  const trends = new Map(formats.read(now, 60, 1).map(({ name, points }) => [name, points]));
  return {
    isRecorded: true,
    from,
    formats: formats.total(now, 60).map((each) => {
      const byMinute = new Map(trends.get(each.name)?.map(({ at, requests }) => [at / minuteMs, requests]));
      const trend = Array.from({ length: 60 }, (_, at) => byMinute.get(last - 59 + at) ?? 0);
      return { ...rateOf(each), yesterday: before.get(each.name) ?? 0, trend };
    }),
    operations: mostUsed(operations.total(now, 60)).slice(0, operationsMax).map(rateOf),
    callers: mostUsed(callers.total(now, 60)).slice(0, callersMax).map(rateOf),
  };
}

interface Rate {
  readonly name: string;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
}

function rateOf({ name, requests, refused, failed, p50, p99 }: Rate): Rate {
  return { name, requests, refused, failed, p50, p99 };
}

function mostUsed<R extends Rate>(rates: readonly R[]): readonly R[] {
  return rates.toSorted((a, b) => b.requests - a.requests);
}

/** What people and processes do. Actions have entries of what they changed, too; views and log-ins change nothing. */
const changing: ReadonlySet<string> = new Set<AuditKind>([
  'command',
  'consoleAction',
  'import',
  'destroyed',
  'started',
  'stopped',
]);
/** Entries of a day that are read: the newest. */
const entriesMax = 2_000;
const changesMax = 100;

/** Reads the audit log and the records of callers. */
export async function readChanges({ backend, config }: ConsoleContext): Promise<Output<typeof listChanges>> {
  const since = backend.context.clock.now() - dayMs;
  const [entries, uses] = await Promise.all([
    backend.auditLog.list({ since, max: entriesMax }),
    config.callerRecords ? backend.callerRecords.listUses(since) : [],
  ]);
  const changes = [
    ...entries
      .filter(({ kind }) => changing.has(kind))
      .map(({ kind, recordedAt, actor, actorType, subject }) => ({
        at: recordedAt,
        ...(actorType !== 'gateway' && { by: actor }),
        text: `${kind}: ${subject}`,
        path: `/state/audit?kind=${kind}`,
      })),
    ...uses
      .filter((each) => each.firstUsedAt >= since && noiseOf(each) === undefined)
      .map(({ firstUsedAt, use }) => ({
        at: firstUsedAt,
        by: use.credential,
        text: `New call: ${use.service}.${use.operation} in ${use.format} by ${use.client}`,
        path: `/callers/list?credential=${encodeURIComponent(use.credential)}&operation=${use.operation}`,
      })),
  ];
  return { changes: changes.toSorted((a, b) => b.at - a.at).slice(0, changesMax) };
}
