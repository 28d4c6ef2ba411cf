/** `triglyph callers`: prints the records of callers as a table, JSON or CSV. */
import { createDeprecationAdmin } from '../../backend/deprecations/admin.ts';
import { formatCsv } from '../../callers/csv.ts';
import { compileDeprecations } from '../../callers/deprecation.ts';
import {
  type CallerFilter,
  createCallerFilter,
  csvColumns,
  type ListedCaller,
  listCaller,
} from '../../callers/listed-caller.ts';
import { clock } from '../../lib/clock.ts';
import { systemUser } from '../audited-command.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { projectDeprecations } from '../project.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';
import { formatCall, formatTable } from './columns.ts';

export interface ListOptions extends CallerFilter {
  readonly since?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export async function listCallers(options: ListOptions): Promise<void> {
  const since = options.since === undefined ? 0 : parseSince(options.since, clock.now());
  const chosen = await withBackend(async (backend) => {
    const { callerRecords, registry, audit } = backend;
    const format = options.csv ? 'csv' : 'json';
    if (options.csv || options.json)
      await audit.append([{ kind: 'export', actor: systemUser(), subject: 'callers', detail: { format } }]);
    const usernames = new Map((await registry.listCredentials()).map(({ id, username = '' }) => [id, username]));
    const admin = createDeprecationAdmin({ backend, configured: projectDeprecations(), services: servedServices() });
    const rules = (await admin.list()).valid.map(({ rule }) => rule);
    const deprecations = compileDeprecations(rules, clock);
    const isChosen = createCallerFilter(options, usernames);
    return (await callerRecords.list(since))
      .filter(({ use }) => isChosen(use))
      .map((record) => listCaller(record, { usernames, deprecations }));
  });
  if (options.json) print(JSON.stringify(chosen));
  else if (options.csv) process.stdout.write(formatCsv(chosen, csvColumns));
  else if (chosen.length === 0) print('There is no such caller.');
  else printAll(formatTable(chosen, tableColumns));
}

/** Milliseconds since the epoch. Throws CommandError. */
function parseSince(text: string, now: number): number {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return now - Number(days) * 24 * 60 * 60 * 1000;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new CommandError([
      `--since ${text}: give a day like 2026-12-01, a moment like 2026-12-01T09:00:00Z, or days like 30d`,
    ]);
  return time;
}

const tableColumns: Readonly<Record<string, (caller: ListedCaller) => string | number>> = {
  ID: ({ id }) => id,
  'LAST USED': ({ lastUsedAt }) => formatMinute(Date.parse(lastUsedAt)),
  CREDENTIAL: ({ credential, username }) => username || credential || '-',
  CALL: formatCall,
  FORMAT: ({ format }) => format,
  CLIENT: ({ client }) => client,
  OK: ({ succeeded }) => succeeded,
  REFUSED: ({ refused }) => refused,
  FAILED: ({ failed }) => failed,
  OFF: ({ switchedOff }) => switchedOff,
  'LAST OUTCOME': ({ lastOutcome }) => lastOutcome,
  ENDS: ({ deprecation, sunset }) => sunset || deprecation || '-',
};
