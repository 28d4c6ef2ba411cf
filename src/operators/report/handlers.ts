/** Sets owners, saves comparisons, and makes the report of a migration. */
import { actorName } from '../../access/index.ts';
import { hasDatabase } from '../../config/index.ts';
import type { Input } from '../../core/contract/index.ts';
import { compileConcern, describeCalls } from '../../insight/index.ts';
import { dayMs, findRule, listKnown, targetOf, usernamesOf } from '../callers/handlers.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { beginOfWeeks, buildReport, type MigrationReport } from './build-report.ts';
import type { getMigrationReport, reportOperations } from './contract.ts';
import { printCsv } from './print-csv.ts';
import { printHtml } from './print-html.ts';

const weeksByDefault = 12;
const formatsByDefault = 'soap11,soap12';
const ownersMax = 10_000;

export const reportHandlers: OperatorHandlers<(typeof reportOperations)[number]> = {
  async listCallerOwners(_, { backend }) {
    const usernames = await usernamesOf(backend);
    const owners = await backend.callerOwners.list();
    return { owners: owners.map((each) => ({ ...each, username: usernames.get(each.credential) })) };
  },

  async setCallerOwner({ credential: given, name, address }, { backend, by }) {
    const credential = await findCredential(given, backend);
    if ((await backend.callerOwners.list()).length >= ownersMax) refuse(`the store holds ${ownersMax} owners`);
    await backend.callerOwners.set({ credential, name, address, setBy: actorName(by) });
    return { credential };
  },

  async removeCallerOwner({ credential: given }, { backend }) {
    const owned = (await backend.callerOwners.list()).some(({ credential }) => credential === given);
    // A credential that is gone may still have an owner.
    const credential = owned ? given : await findCredential(given, backend);
    if (!(await backend.callerOwners.remove(credential))) refuse(`${given} has no owner`);
    return { credential };
  },

  async saveComparison({ name, ...result }, { backend, by }) {
    await backend.comparisons.save({ name, result, savedBy: actorName(by) });
    return { name };
  },

  getMigrationReport: makeReport,

  async exportMigrationReport({ as = 'html', ...target }, context) {
    const { backend, by } = context;
    await backend.audit.append([{ kind: 'export', actor: by, subject: 'report', detail: { format: as } }]);
    const report = await makeReport(target, context);
    const day = new Date(report.createdAt).toISOString().slice(0, 10);
    return { fileName: `migration-${day}.${as}`, content: print[as](report) };
  },
};

const print = {
  html: printHtml,
  csv: printCsv,
  json: (report: MigrationReport) => `${JSON.stringify(report, withMoments, 2)}\n`,
} as const;

/** Moments of the report as ISO 8601: `createdAt`, `lastUsedAt`, `since`. */
function withMoments(name: string, value: unknown): unknown {
  return typeof value === 'number' && /At$|^since$/.test(name) ? new Date(value).toISOString() : value;
}

async function makeReport(input: Input<typeof getMigrationReport>, context: OperatorContext): Promise<MigrationReport> {
  const { backend } = context;
  const { deprecation, format, version, weeks = weeksByDefault } = input;
  const now = backend.context.clock.now();
  const rule =
    deprecation === undefined
      ? targetOf(format ?? (version === undefined ? formatsByDefault : undefined), version)
      : await findRule(deprecation, context);
  const records = await backend.callerRecords.listUses(beginOfWeeks(now, weeks));
  const owners = await backend.callerOwners.list();
  const comparisons = await backend.comparisons.list();
  const shadowDifferences = await backend.shadows.list();
  return buildReport({
    ...{ now, weeks, records, comparisons, shadowDifferences },
    days: await backend.callerRecords.listDays(records, beginOfWeeks(now, weeks)),
    concern: compileConcern(rule),
    usernames: await usernamesOf(backend),
    owners: new Map(owners.map((each) => [each.credential, each])),
    ends: describeCalls(rule),
    sunset: rule.sunset ?? (await sunsetOf(rule.format, context)),
    lacks: lacksOf(context, weeks, comparisons.length > 0 || context.shadows.length > 0),
  });
}

/** The day on which a deprecation of the first format ends. */
async function sunsetOf(format: unknown, context: OperatorContext): Promise<string | undefined> {
  const [wanted] = [format].flat();
  const known = (await listKnown(context)).valid.map(({ rule }) => rule);
  return known.find((rule) => [rule.format].flat().includes(wanted as never))?.sunset;
}

function lacksOf(
  { config, shadows, boundTenant }: OperatorContext,
  weeks: number,
  isCompared: boolean,
): readonly string[] {
  const { callerRecords, callerDaysMax, stateless } = config;
  if (stateless) return ['callers, owners and comparisons: this gateway stores nothing'];
  return [
    ...(callerRecords ? [] : ['callers: CALLER_RECORDS is off']),
    ...(callerRecords && callerDaysMax * dayMs < (weeks - 1) * 7 * dayMs
      ? [`the weeks before the last ${callerDaysMax} days: CALLER_DAYS_MAX deletes older records`]
      : []),
    ...(hasDatabase(config) || shadows.length === 0
      ? []
      : ['differences of shadows: without a database they end with each process']),
    ...(boundTenant === undefined ? [] : ['differences: they are those of all tenants']),
    ...(isCompared || boundTenant !== undefined
      ? []
      : [
          'differences: no upstream has a shadow, and no replay of a recording was saved with `triglyph replay --save`',
        ]),
  ];
}

/** Returns the id. Throws a refusal for a credential that nobody has used, and that is none of this gateway. */
async function findCredential(given: string, { registry, callerRecords }: OperatorContext['backend']): Promise<string> {
  const known = (await registry.listCredentials()).filter(({ id, username }) => id === given || username === given);
  const found = known.find(({ revokedAt }) => revokedAt === undefined) ?? known[0];
  if (found !== undefined) return found.id;
  if (await callerRecords.hasCredential(given)) return given;
  return refuse(`no credential and no caller is called ${given}: \`triglyph callers --json\` lists them`);
}
