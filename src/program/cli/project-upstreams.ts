/** The upstreams of the project: those of its configuration file, or the one that the command line names. */
import { readFileSync } from 'node:fs';
import {
  type PlanReport,
  planUpstreams,
  type UpstreamOptions,
  type UpstreamParts,
  type UpstreamPlan,
  upstreamUrlHint,
} from '../../backend/index.ts';
import { ConfigError } from '../../config/index.ts';
import { newestOf, type Service } from '../../core/contract/index.ts';
import type { UpstreamFormat } from '../../core/formats/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import { CommandError } from './command-error.ts';
import { configFileName, projectServices, projectSources, projectUpstreams } from './project.ts';

/** The options of `serve` that say how the gateway gets tokens for itself (OAuth 2). */
export interface ClientFlags {
  readonly oauth2Client?: string;
  readonly oauth2SecretFile?: string;
  readonly oauth2TokenUrl?: string;
  readonly oauth2Scope?: string;
}

/** The options of `serve` that let one upstream answer everything. */
export interface UpstreamFlags extends ClientFlags {
  readonly upstream?: string;
  readonly upstreamFormat?: UpstreamFormat;
  readonly upstreamIdempotency?: UpstreamOptions['idempotency'];
  readonly upstreamServerErrors?: UpstreamOptions['serverErrors'];
  /** A file. */
  readonly upstreamLookups?: string;
  /** Whether callers need a stored credential, which the upstream does not receive. */
  readonly requireCredentials?: true;
}

/** The services that this program serves, in every version. */
export function servedServices(): readonly Service[] {
  return servicesOf(projectServices());
}

/** Plans which upstream answers which operation. Reads their secrets, which only servers and `check` need. */
export function inspectUpstreams(): PlanReport {
  const { faults, ...report } = plan(projectUpstreams());
  return { ...report, faults: faults.map((fault) => `${configFileName()}: ${fault}`) };
}

/** Throws ConfigError with the faults of the upstreams. */
export function readUpstreams(flags: UpstreamFlags = {}): UpstreamPlan {
  const report = flags.upstream === undefined ? inspectUpstreams() : planOne(flags.upstream, flags);
  const faults = [...(flags.upstream === undefined ? flagFaults(flags) : []), ...report.faults];
  if (report.plan === undefined || faults.length > 0) throw new ConfigError(faults);
  return report.plan;
}

/** The name of the upstream that `--upstream` gives, in logs, metrics and `triglyph pending`. */
const onlyName = 'upstream';

function planOne(url: string, flags: UpstreamFlags): PlanReport {
  const { upstreamFormat, upstreamIdempotency, upstreamServerErrors, requireCredentials } = flags;
  const lookups = readLookupFile(flags.upstreamLookups);
  const { upstreams = {}, answeredBy = {}, callers } = projectUpstreams();
  if (Object.keys(upstreams).length + Object.keys(answeredBy).length > 0)
    return {
      faults: [
        `--upstream lets one server answer everything, and ${configFileName()} names upstreams: keep one of both.`,
      ],
    };
  const hint = upstreamUrlHint(url);
  if (hint !== undefined) return { faults: [`--upstream ${hint}.`] };
  const options: UpstreamOptions = {
    url,
    credentials: requireCredentials ? 'none' : 'forward',
    ...(upstreamFormat && { format: upstreamFormat }),
    ...(upstreamIdempotency && { idempotency: upstreamIdempotency }),
    ...(upstreamServerErrors && { serverErrors: upstreamServerErrors }),
    ...(lookups && { lookups }),
  };
  const names = newestOf(servedServices()).map(({ name }) => [name, onlyName]);
  return plan({ upstreams: { [onlyName]: options }, answeredBy: Object.fromEntries(names), callers });
}

function flagFaults(flags: UpstreamFlags): readonly string[] {
  const { upstreamFormat, upstreamIdempotency, upstreamServerErrors, upstreamLookups, requireCredentials } = flags;
  const given = [upstreamFormat, upstreamIdempotency, upstreamServerErrors, upstreamLookups, requireCredentials];
  return given.every((each) => each === undefined)
    ? []
    : [
        '--upstream-format, --upstream-idempotency, --upstream-server-errors, --upstream-lookups and --require-credentials belong to --upstream or --wsdl: give it, too.',
      ];
}

function plan(parts: UpstreamParts): PlanReport {
  return planUpstreams(parts, projectServices(), projectSources());
}

/** As `lookups` of an upstream. Their members are not checked yet. */
type Lookups = NonNullable<UpstreamOptions['lookups']>;

/** Returns undefined without a file. Throws CommandError for one that cannot be read, or is no JSON object. */
export function readLookupFile(file: string | undefined): Lookups | undefined {
  if (file === undefined) return undefined;
  const found = parse(file);
  if (!isMembers(found))
    throw new CommandError([`--upstream-lookups: ${file} is no JSON object of look-ups by the names of operations`]);
  return found as Lookups;
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandError([`--upstream-lookups: ${file} cannot be read as JSON`]);
  }
}
