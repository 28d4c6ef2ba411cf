/** Records of callers as reports show them: with names for credentials, and what is deprecated. */

import type { Deprecations } from '../../core/gateway/index.ts';
import type { CallerUse, OutcomeCounts, RecordedUse } from './caller-record.ts';
import { factsOf } from './concerned.ts';

/** A record as it is printed. Without a valid credential `credential` is empty. */
type ListedCaller = ReturnType<typeof listCaller>;

export interface ReportContext {
  /** By the id of the credential. */
  readonly usernames: ReadonlyMap<string, string>;
  readonly deprecations: Deprecations | undefined;
}

export function listCaller(
  { id, use, firstUsedAt, lastUsedAt, lastOutcome, ...record }: RecordedUse & OutcomeCounts,
  { usernames, deprecations }: ReportContext,
) {
  const { tenant, credential, service, operation, version, format, client } = use;
  const { succeeded, refused, failed, switchedOff, exempt } = record;
  const { deprecation, sunset } = describeDeprecation(use, deprecations);
  return {
    ...{ id, tenant, credential, username: usernames.get(credential) ?? '', service, operation },
    ...{ version: version ?? null, format, client },
    firstUsedAt: new Date(firstUsedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    ...{ lastOutcome, succeeded, refused, failed, switchedOff, exempt, deprecation, sunset },
  };
}

/** `sunset`: the day, or empty. */
function describeDeprecation(
  use: CallerUse,
  deprecations: Deprecations | undefined,
): { readonly deprecation: 'deprecated' | 'exempt' | ''; readonly sunset: string } {
  const found = deprecations?.find(factsOf(use));
  if (found === undefined) return { deprecation: '', sunset: '' };
  if (found.notice === undefined) return { deprecation: 'exempt', sunset: '' };
  const { sunset } = found.notice;
  return {
    deprecation: 'deprecated',
    sunset: sunset === undefined ? '' : new Date(sunset).toISOString().slice(0, 10),
  };
}

/** Values have commas between them. `none` stands for an empty value. */
interface CallerFilter {
  readonly format?: string | undefined;
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly version?: string | undefined;
  /** By id or username. */
  readonly credential?: string | undefined;
}

export function createCallerFilter(
  filter: CallerFilter,
  usernames: ReadonlyMap<string, string>,
): (use: CallerUse) => boolean {
  const wanted = (given: string | undefined) =>
    given === undefined
      ? undefined
      : new Set(given.split(',').map((each) => (each.trim() === 'none' ? '' : each.trim())));
  const formats = wanted(filter.format);
  const services = wanted(filter.service);
  const operations = wanted(filter.operation);
  const versions = wanted(filter.version?.replace(/\bv(?=\d)/gi, ''));
  const credentials = wanted(filter.credential);
  return ({ format, service, operation, version, credential }) => {
    const username = usernames.get(credential) ?? '';
    return (
      (formats?.has(format) ?? true) &&
      (services?.has(service) ?? true) &&
      (operations?.has(operation) ?? true) &&
      (versions?.has(version === undefined ? '' : String(version)) ?? true) &&
      (credentials === undefined || credentials.has(credential) || (username !== '' && credentials.has(username)))
    );
  };
}

export const csvColumns: readonly (keyof ListedCaller)[] = Object.freeze([
  ...(['id', 'tenant', 'credential', 'username', 'service', 'operation', 'version', 'format', 'client'] as const),
  ...(['firstUsedAt', 'lastUsedAt', 'lastOutcome', 'succeeded', 'refused', 'failed', 'switchedOff', 'exempt'] as const),
  ...(['deprecation', 'sunset'] as const),
]);
