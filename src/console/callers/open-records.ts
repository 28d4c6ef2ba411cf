/** Reads the records of callers for the console. */

import { credentialActor } from '../../audit/audit-event.ts';
import type { DeprecationAdmin } from '../../backend/deprecations/admin.ts';
import type { CallerUse, DayCounts, OutcomeCounts } from '../../callers/caller-record.ts';
import { type Concern, compileConcern } from '../../callers/concerned.ts';
import { formatCsv } from '../../callers/csv.ts';
import { compileDeprecations, type DeprecationRule, type FormatName } from '../../callers/deprecation.ts';
import { openRequest } from '../../callers/last-request.ts';
import {
  createCallerFilter,
  csvColumns,
  listCaller,
  type RecordedUse,
  type ReportContext,
} from '../../callers/listed-caller.ts';
import { assessReadiness } from '../../callers/readiness.ts';
import type { Input } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import { printReplacement, replaceCall } from '../../convert/replacement-call.ts';
import { createProtocols } from '../../formats/index.ts';
import type { PortOf } from '../bind-port.ts';
import type { ConsoleContext } from '../console-context.ts';
import { callerProblems } from './problems.ts';
import type { exportCallers, recordOperations } from './records.ts';

export const dayMs = 24 * 60 * 60 * 1000;
export const daysByDefault = 30;
const recordsByDefault = 100;
/** Records whose counts one answer sums up. */
const remainingMax = 500;
const noCounts: OutcomeCounts = { succeeded: 0, refused: 0, failed: 0, switchedOff: 0, exempt: 0 };

type Filter = Input<typeof exportCallers>;

export function callerRecordPort(
  { backend, config, services, callers: address }: ConsoleContext,
  admin: DeprecationAdmin,
): PortOf<(typeof recordOperations)[number]> {
  const { callerRecords, context, audit } = backend;
  const { clock, vault } = context;
  const protocols = createProtocols(services);

  const findRule = async (id: string): Promise<DeprecationRule> => {
    const found = (await admin.list()).valid.find((each) => each.id === id);
    if (found === undefined) throw new Problem(callerProblems.deprecationNotFound);
    return found.rule;
  };
  /** The day on which a period begins. */
  const beginOf = (days = daysByDefault): number => Math.floor(clock.now() / dayMs - days + 1) * dayMs;
  const find = async (filter: Filter) => {
    const since = beginOf(filter.days);
    const usernames = await usernamesOf(backend);
    const rules = (await admin.list()).valid.map(({ rule }) => rule);
    const deprecations = compileDeprecations(rules, clock);
    const concerns = await createConcern(filter.deprecation, rules, findRule);
    const matches = createCallerFilter(filter, usernames);
    const all = await callerRecords.listUses(since);
    const chosen = all.filter(({ use }) => matches(use) && concerns(use));
    return { since, all, chosen, report: { usernames, deprecations } };
  };
  return {
    async listCallers({ max = recordsByDefault, ...filter }) {
      const { since, all, chosen, report } = await find(filter);
      const shown = chosen.slice(0, max);
      const days = await callerRecords.listDays(shown, since);
      const names = (nameOf: (use: CallerUse) => string): string[] =>
        [...new Set(all.map(({ use }) => nameOf(use)))].filter((name) => name !== '').toSorted();
      return {
        isRecorded: config.callerRecords,
        total: chosen.length,
        since,
        formats: names(({ format }) => format),
        services: names(({ service }) => service),
        operations: names(({ operation }) => operation),
        versions: names(({ version }) => (version === undefined ? 'none' : String(version))),
        callers: shown.map((record) => describe(record, days.get(record.id) ?? [], since, clock.now(), report)),
      };
    },
    async exportCallers(filter, by) {
      const { since, chosen, report } = await find(filter);
      await audit.append([
        { kind: 'export', actor: credentialActor(by), subject: 'callers', detail: { format: 'csv' } },
      ]);
      const days = await callerRecords.listDays(chosen, since);
      const rows = chosen.map((record) => listCaller({ ...record, ...sumOf(days.get(record.id) ?? []) }, report));
      return {
        fileName: `callers-${new Date(clock.now()).toISOString().slice(0, 10)}.csv`,
        csv: formatCsv(rows, csvColumns),
      };
    },
    async getReplacementCall({ id, as = 'json' }) {
      const use = await callerRecords.findUse(id);
      if (use === undefined) throw new Problem(callerProblems.callerNotFound);
      const sealed = await callerRecords.findRequest(id);
      if (sealed === undefined) throw new Problem(callerProblems.noRequestStored);
      const call = replaceCall(use, openRequest(vault, use.tenant, id, sealed), services);
      if (call === undefined) throw new Problem(callerProblems.noLongerServed);
      const origin = (config.publicUrl ?? address()).replace(/\/+$/, '');
      return { text: printReplacement(as, call, protocols, origin), masked: call.masked };
    },
    async assessReadiness({ deprecation, format, version, days }) {
      const since = beginOf(days);
      const rule: DeprecationRule = deprecation === undefined ? targetOf(format, version) : await findRule(deprecation);
      const usernames = await usernamesOf(backend);
      const found = assessReadiness(await callerRecords.listUses(0), compileConcern(rule), since);
      const remaining = found.flatMap((each) => each.remaining).slice(0, remainingMax);
      const counts = await callerRecords.listDays(
        remaining.map(({ record }) => record),
        since,
      );
      return {
        callers: found.slice(0, 1_000).map((each) => ({
          tenant: each.tenant || undefined,
          credential: each.credential || undefined,
          username: usernames.get(each.credential),
          state: each.state,
          lastUsedAt: each.lastUsedAt,
          remaining: each.remaining.slice(0, remainingMax).map(({ record, isExempt, replacedBy }) => ({
            id: record.id,
            ...describeUse(record.use, usernames),
            client: record.use.client,
            lastUsedAt: record.lastUsedAt,
            requests: totalOf(sumOf(counts.get(record.id) ?? [])),
            isExempt,
            replacedBy: replacedBy && { format: replacedBy.format, version: replacedBy.version },
          })),
        })),
      };
    },
  };
}

/** By the id of the credential. */
export async function usernamesOf({
  registry,
}: Pick<ConsoleContext['backend'], 'registry'>): Promise<ReadonlyMap<string, string>> {
  return new Map(
    (await registry.listCredentials()).flatMap(({ id, username }) => (username === undefined ? [] : [[id, username]])),
  );
}

/** What is absent in the answer is empty in the record. */
export function describeUse(use: CallerUse, usernames: ReadonlyMap<string, string>) {
  const { tenant, credential, service, operation, version, format } = use;
  return {
    tenant: tenant || undefined,
    credential: credential || undefined,
    username: usernames.get(credential),
    service: service || undefined,
    operation: operation || undefined,
    version,
    format,
  };
}

export function sumOf(days: readonly OutcomeCounts[]): OutcomeCounts {
  return days.reduce(
    (sum, each) => ({
      succeeded: sum.succeeded + each.succeeded,
      refused: sum.refused + each.refused,
      failed: sum.failed + each.failed,
      switchedOff: sum.switchedOff + each.switchedOff,
      exempt: sum.exempt + each.exempt,
    }),
    noCounts,
  );
}

/** Exempt requests are in another count, too. */
export function totalOf({ succeeded, refused, failed, switchedOff }: OutcomeCounts): number {
  return succeeded + refused + failed + switchedOff;
}

function describe(record: RecordedUse, days: readonly DayCounts[], since: number, now: number, report: ReportContext) {
  const { deprecation, sunset } = listCaller({ ...record, ...noCounts }, report);
  const byDay = new Map(days.map((each) => [each.day, totalOf(each)]));
  const first = Math.floor(since / dayMs);
  const length = Math.floor(now / dayMs) - first + 1;
  return {
    id: record.id,
    ...describeUse(record.use, report.usernames),
    client: record.use.client,
    firstUsedAt: record.firstUsedAt,
    lastUsedAt: record.lastUsedAt,
    lastOutcome: record.lastOutcome,
    ...sumOf(days),
    trend: Array.from({ length }, (_, index) => byDay.get(first + index) ?? 0),
    deprecation: deprecation === '' ? ('none' as const) : deprecation,
    sunset: sunset || undefined,
  };
}

async function createConcern(
  wanted: string | undefined,
  rules: readonly DeprecationRule[],
  findRule: (id: string) => Promise<DeprecationRule>,
): Promise<(use: CallerUse) => boolean> {
  if (wanted === undefined) return () => true;
  const concerns: readonly ((use: CallerUse) => Concern)[] =
    wanted === 'any' ? rules.map(compileConcern) : [compileConcern(await findRule(wanted))];
  return (use) => concerns.some((concern) => concern(use) !== undefined);
}

/** The calls in these formats and versions. */
function targetOf(format: string | undefined, version: string | undefined): DeprecationRule {
  const values = (given: string | undefined) => given?.split(',').map((each) => each.trim());
  return {
    ...(format !== undefined && { format: values(format) as readonly FormatName[] }),
    ...(version !== undefined && { version: values(version)!.map(Number) }),
    // Without one of both, those that are not the JSON of today.
    ...(format === undefined && version === undefined && { format: ['soap11', 'soap12', 'form', 'adapter'] }),
    deprecatedSince: '1970-01-01',
  };
}
