/** `triglyph callers`: prints the records of callers as a table, JSON or CSV. */
import { createDeprecationAdmin } from '../../app/deprecations/admin.ts';
import type { CallerRecord } from '../../callers/caller-record.ts';
import { compileDeprecations, type Deprecations } from '../../callers/deprecation.ts';
import { clock } from '../../lib/clock.ts';
import { systemUser } from '../audited-command.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { projectDeprecations } from '../project.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';
import { formatCsv, formatTable } from './columns.ts';

export interface ListOptions {
  readonly format?: string;
  readonly service?: string;
  readonly operation?: string;
  readonly version?: string;
  readonly credential?: string;
  readonly since?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** A record as it is printed. */
interface ListedCaller {
  readonly id: string;
  readonly tenant: string;
  /** Empty for requests without a valid credential. */
  readonly credential: string;
  readonly username: string;
  readonly service: string;
  readonly operation: string;
  readonly version: number | null;
  readonly format: string;
  readonly client: string;
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
  readonly lastOutcome: string;
  readonly succeeded: number;
  readonly refused: number;
  readonly failed: number;
  readonly switchedOff: number;
  readonly exempt: number;
  /** `deprecated`, `exempt`, or empty. */
  readonly deprecation: string;
  /** The day, or empty. */
  readonly sunset: string;
}

export async function listCallers(options: ListOptions): Promise<void> {
  const since = options.since === undefined ? 0 : parseSince(options.since, clock.now());
  const callers = await withBackend(async (backend) => {
    const { callerRecords, registry, audit } = backend;
    const format = options.csv ? 'csv' : 'json';
    if (options.csv || options.json)
      await audit.append([{ kind: 'export', actor: systemUser(), subject: 'callers', detail: { format } }]);
    const usernames = new Map((await registry.listCredentials()).map(({ id, username = '' }) => [id, username]));
    const admin = createDeprecationAdmin({ backend, configured: projectDeprecations(), services: servedServices() });
    const rules = (await admin.list()).valid.map(({ rule }) => rule);
    const deprecations = compileDeprecations(rules, clock);
    return (await callerRecords.list(since)).map((record) => describe(record, usernames, deprecations));
  });
  const chosen = callers.filter(createFilter(options));
  if (options.json) print(JSON.stringify(chosen));
  else if (options.csv) process.stdout.write(formatCsv(chosen, csvColumns));
  else if (chosen.length === 0) print('There is no such caller.');
  else printAll(formatTable(chosen, tableColumns));
}

/** Milliseconds since the epoch. Throws CommandError. */
export function parseSince(text: string, now: number): number {
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

function describe(
  record: CallerRecord,
  usernames: ReadonlyMap<string, string>,
  deprecations: Deprecations | undefined,
): ListedCaller {
  const { id, use, firstUsedAt, lastUsedAt, lastOutcome, succeeded, refused, failed, switchedOff, exempt } = record;
  const { tenant, credential, service, operation, version, format, client } = use;
  const { deprecation, sunset } = describeDeprecation(record, deprecations);
  return {
    ...{ id, tenant, credential, username: usernames.get(credential) ?? '', service, operation },
    ...{ version: version ?? null, format, client },
    firstUsedAt: new Date(firstUsedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    ...{ lastOutcome, succeeded, refused, failed, switchedOff, exempt, deprecation, sunset },
  };
}

/** What the configuration of this project and the store say of such calls. */
function describeDeprecation(
  { use }: CallerRecord,
  deprecations: Deprecations | undefined,
): Pick<ListedCaller, 'deprecation' | 'sunset'> {
  const facts = { ...use, credential: use.credential === '' ? undefined : use.credential };
  const found = deprecations?.find(facts);
  if (found === undefined) return { deprecation: '', sunset: '' };
  if (found.notice === undefined) return { deprecation: 'exempt', sunset: '' };
  const { sunset } = found.notice;
  return {
    deprecation: 'deprecated',
    sunset: sunset === undefined ? '' : new Date(sunset).toISOString().slice(0, 10),
  };
}

/** Values of a filter have commas between them. `none` stands for an empty value. */
function createFilter(options: ListOptions): (caller: ListedCaller) => boolean {
  const wanted = (given: string | undefined) =>
    given === undefined
      ? undefined
      : new Set(given.split(',').map((each) => (each.trim() === 'none' ? '' : each.trim())));
  const formats = wanted(options.format);
  const services = wanted(options.service);
  const operations = wanted(options.operation);
  const versions = wanted(options.version?.replace(/\bv(?=\d)/gi, ''));
  const credentials = wanted(options.credential);
  return ({ format, service, operation, version, credential, username }) =>
    (formats?.has(format) ?? true) &&
    (services?.has(service) ?? true) &&
    (operations?.has(operation) ?? true) &&
    (versions?.has(version === null ? '' : String(version)) ?? true) &&
    (credentials === undefined || credentials.has(credential) || (username !== '' && credentials.has(username)));
}

const tableColumns: Readonly<Record<string, (caller: ListedCaller) => string | number>> = {
  ID: ({ id }) => id,
  'LAST USED': ({ lastUsedAt }) => formatMinute(Date.parse(lastUsedAt)),
  CREDENTIAL: ({ credential, username }) => username || credential || '-',
  CALL: ({ service, operation, version }) =>
    `${[service, operation].filter((name) => name !== '').join('.') || '-'}${version === null ? '' : ` v${version}`}`,
  FORMAT: ({ format }) => format,
  CLIENT: ({ client }) => client,
  OK: ({ succeeded }) => succeeded,
  REFUSED: ({ refused }) => refused,
  FAILED: ({ failed }) => failed,
  OFF: ({ switchedOff }) => switchedOff,
  'LAST OUTCOME': ({ lastOutcome }) => lastOutcome,
  ENDS: ({ deprecation, sunset }) => sunset || deprecation || '-',
};

const csvColumns: readonly (keyof ListedCaller)[] = [
  ...(['id', 'tenant', 'credential', 'username', 'service', 'operation', 'version', 'format', 'client'] as const),
  ...(['firstUsedAt', 'lastUsedAt', 'lastOutcome', 'succeeded', 'refused', 'failed', 'switchedOff', 'exempt'] as const),
  ...(['deprecation', 'sunset'] as const),
];
