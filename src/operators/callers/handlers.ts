/** Reads the records of callers. */
import { deprecationRuleFaults } from '../../backend/index.ts';
import { printReplacement, replaceCall } from '../../convert/index.ts';
import type { Input } from '../../core/contract/index.ts';
import { createProtocols } from '../../core/formats/index.ts';
import {
  assessReadiness,
  type CallerUse,
  type Concern,
  compileConcern,
  compileDeprecations,
  createCallerFilter,
  csvColumns,
  type DayCounts,
  type DeprecationRule,
  type FormatName,
  formatCsv,
  isCaller,
  type KnownDeprecation,
  type KnownDeprecations,
  listCaller,
  mergeDeprecations,
  type OutcomeCounts,
  openRequest,
  type RecordedUse,
  type ReportContext,
} from '../../insight/index.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { parseTime } from '../time.ts';
import { type callerOperations, callerProblems, type exportCallers } from './contract.ts';

export const dayMs = 24 * 60 * 60 * 1000;
export const daysByDefault = 30;
const recordsByDefault = 100;
/** Records whose counts one answer sums up. */
const remainingMax = 500;
const trendMax = 400;
const noCounts: OutcomeCounts = { succeeded: 0, refused: 0, failed: 0, switchedOff: 0, exempt: 0 };

export const callerHandlers: OperatorHandlers<(typeof callerOperations)[number]> = {
  async listCallers({ max = recordsByDefault, noise = true, ...filter }, context) {
    const { backend, config } = context;
    const { since, all, chosen: found, report } = await find(filter, context);
    const chosen = noise ? found : found.filter(isCaller);
    const shown = chosen.slice(0, max);
    const days = await backend.callerRecords.listDays(shown, since);
    const now = backend.context.clock.now();
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
      callers: shown.map((record) => describe(record, days.get(record.id) ?? [], since, now, report)),
    };
  },

  async exportCallers({ as = 'csv', ...filter }, context) {
    const { backend, by } = context;
    const { since, chosen, report } = await find(filter, context);
    await backend.audit.append([{ kind: 'export', actor: by, subject: 'callers', detail: { format: as } }]);
    const days = await backend.callerRecords.listDays(chosen, since);
    const rows = chosen.map((record) => listCaller({ ...record, ...sumOf(days.get(record.id) ?? []) }, report));
    return {
      fileName: `callers-${new Date(backend.context.clock.now()).toISOString().slice(0, 10)}.${as}`,
      ...(as === 'csv' ? { csv: formatCsv(rows, csvColumns) } : { json: JSON.stringify(rows) }),
    };
  },

  async getReplacementCall({ id, as = 'json', origin }, { backend, config, services, callers: address }) {
    const { callerRecords, context } = backend;
    const use =
      (await callerRecords.findUse(id)) ??
      refuse(`no caller has the id ${id}: \`triglyph callers\` prints them`, callerProblems.callerNotFound);
    const sealed =
      (await callerRecords.findRequest(id)) ??
      refuse(
        'this caller has sent no request that could be read and stored, or its last request was erased',
        callerProblems.noRequestStored,
      );
    const call =
      replaceCall(use, openRequest(context.vault, use.tenant, id, sealed), services) ??
      refuse(`${use.service}.${use.operation} is no longer served`, callerProblems.noLongerServed);
    const base = (origin ?? config.publicUrl ?? address()).replace(/\/+$/, '');
    return { text: printReplacement(as, call, createProtocols(services), base), masked: call.masked };
  },

  async assessReadiness({ deprecation, format, version, days }, context) {
    const { backend } = context;
    const since = beginOf({ days }, context);
    const rule = deprecation === undefined ? targetOf(format, version) : await findRule(deprecation, context);
    const usernames = await usernamesOf(backend);
    const found = assessReadiness(
      (await backend.callerRecords.listUses(0)).filter(isCaller),
      compileConcern(rule),
      since,
    );
    const remaining = found.flatMap((each) => each.remaining).slice(0, remainingMax);
    const counts = await backend.callerRecords.listDays(
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

/** Usernames by the id of their credential. */
export async function usernamesOf({
  registry,
}: Pick<OperatorContext['backend'], 'registry'>): Promise<ReadonlyMap<string, string>> {
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

type Filter = Omit<Input<typeof exportCallers>, 'as'>;

async function find(filter: Filter, context: OperatorContext) {
  const { backend } = context;
  const since = beginOf(filter, context);
  const usernames = await usernamesOf(backend);
  const rules = (await listKnown(context)).valid.map(({ rule }) => rule);
  const deprecations = compileDeprecations(rules, backend.context.clock);
  const concerns = await createConcern(filter.deprecation, rules, context);
  const matches = createCallerFilter(filter, usernames);
  const all = await backend.callerRecords.listUses(since);
  const chosen = all.filter(({ use }) => matches(use) && concerns(use));
  return { since, all, chosen, report: { usernames, deprecations } };
}

/** The day on which a period begins, or the moment. */
function beginOf(
  { days = daysByDefault, since }: Pick<Filter, 'days' | 'since'>,
  { backend }: OperatorContext,
): number {
  const now = backend.context.clock.now();
  return since === undefined ? Math.floor(now / dayMs - days + 1) * dayMs : parseTime('since', since, now, 'back');
}

export async function findRule(id: string, context: OperatorContext): Promise<DeprecationRule> {
  const found = (await listKnown(context)).valid.find((each) => each.id === id);
  return found?.rule ?? refuse(`no deprecation has the id ${id}`, callerProblems.deprecationNotFound);
}

function describe(record: RecordedUse, days: readonly DayCounts[], since: number, now: number, report: ReportContext) {
  const { deprecation, sunset } = listCaller({ ...record, ...noCounts }, report);
  const byDay = new Map(days.map((each) => [each.day, totalOf(each)]));
  const last = Math.floor(now / dayMs);
  const length = Math.min(last - Math.floor(since / dayMs) + 1, trendMax);
  return {
    id: record.id,
    ...describeUse(record.use, report.usernames),
    client: record.use.client,
    firstUsedAt: record.firstUsedAt,
    lastUsedAt: record.lastUsedAt,
    lastOutcome: record.lastOutcome,
    ...sumOf(days),
    trend: Array.from({ length }, (_, index) => byDay.get(last - length + 1 + index) ?? 0),
    deprecation: deprecation === '' ? ('none' as const) : deprecation,
    sunset: sunset || undefined,
  };
}

async function createConcern(
  wanted: string | undefined,
  rules: readonly DeprecationRule[],
  context: OperatorContext,
): Promise<(use: CallerUse) => boolean> {
  if (wanted === undefined) return () => true;
  const concerns: readonly ((use: CallerUse) => Concern)[] =
    wanted === 'any' ? rules.map(compileConcern) : [compileConcern(await findRule(wanted, context))];
  return (use) => concerns.some((concern) => concern(use) !== undefined);
}

/** The calls in these formats and versions. */
export function targetOf(format: string | undefined, version: string | undefined): DeprecationRule {
  const values = (given: string | undefined) => given?.split(',').map((each) => each.trim());
  return {
    ...(format !== undefined && { format: values(format) as readonly FormatName[] }),
    ...(version !== undefined && { version: values(version)!.map(Number) }),
    // Without one of both, those that are not the JSON of today.
    ...(format === undefined && version === undefined && { format: ['soap11', 'soap12', 'form', 'adapter'] }),
    deprecatedSince: '1970-01-01',
  };
}

/** The deprecations of the configuration and of the store; those that concern a tenant, without the credentials of others. */
export async function listKnown({
  backend,
  deprecations: { configured },
  boundTenant,
}: Pick<OperatorContext, 'backend' | 'deprecations' | 'boundTenant'>): Promise<KnownDeprecations> {
  const known = mergeDeprecations(configured, await backend.deprecations.load(), (rule) =>
    deprecationRuleFaults(rule, 'deprecation', undefined),
  );
  if (boundTenant === undefined) return known;
  const own = new Set((await backend.registry.listCredentials()).map(({ id }) => id));
  return { valid: known.valid.flatMap((each) => ofCredentials(each, own)), invalid: [] };
}

function ofCredentials({ id, rule, stored, exemptions }: KnownDeprecation, own: ReadonlySet<string>) {
  const credential =
    rule.credential === undefined ? undefined : [rule.credential].flat().filter((each) => own.has(each));
  if (credential?.length === 0) return [];
  const except = rule.except?.filter((each) => own.has(each));
  return [
    {
      id,
      rule: { ...rule, ...(credential && { credential }), ...(except && { except }) },
      // Who has set it is not for the tenant.
      stored: stored && { ...stored, changedBy: 'an operator' },
      exemptions: exemptions
        .filter((each) => own.has(each.credential))
        .map((each) => ({ ...each, exemptedBy: 'an operator' })),
    },
  ];
}
