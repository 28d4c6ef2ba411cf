/** The server that a recording is sent to: it is asked as an upstream is. */
import { readFileSync } from 'node:fs';
import {
  type ConfiguredUpstream,
  type FixedCredential,
  readUpstream,
  type UpstreamOptions,
} from '../../../backend/index.ts';
import { conventionsOf, type Operation, type Service } from '../../../core/contract/index.ts';
import { createProtocols, type UpstreamFormat, upstreamFormats } from '../../../core/formats/index.ts';
import { clock, memoize } from '../../../core/lib/index.ts';
import {
  answerOfThrown,
  type ComparedAnswer,
  createUpstream,
  type NoAnswer,
  type RecordedRequest,
  type Upstream,
} from '../../../forward/index.ts';
import { CommandError } from '../command-error.ts';
import { projectSources } from '../project.ts';

export interface TargetOptions {
  /** An address, or the name of a file with the members of an upstream as JSON. */
  readonly against: string;
  readonly format?: string;
  readonly username?: string;
  readonly secretFile?: string;
  /** Keys of requests that write are those of this run only. By default they are those of each replay of the recording. */
  readonly freshKeys?: true;
  /** The name of the run. */
  readonly run: string;
}

export interface Target {
  /** Sends a request. Returns its answer, or why there is none. */
  ask(
    service: Service,
    operation: Operation,
    record: RecordedRequest,
    input: unknown,
  ): Promise<ComparedAnswer | NoAnswer>;
  close(): Promise<void>;
}

const asRecorded = 'as-recorded';

/** Members of answers that are listed at most. */
const unknownMembersMax = 1_000;

/**
 * `unknownMembers` receives the members of answers that the contract lacks: `listOrders lines.discount`. `onRetry`: called for each request that is sent again, which takes a
 * place of the rate. Throws CommandError.
 */
export function openTarget(
  options: TargetOptions,
  services: readonly Service[],
  unknownMembers: Set<string>,
  onRetry: () => void,
): Target {
  const { format: given, run } = options;
  if (given !== undefined && given !== asRecorded && formatOf(given) === undefined)
    throw new CommandError([`--format: the formats are ${asRecorded}, soap, ${upstreamFormats.join(', ')}`]);
  const base = readTarget(options);
  const upstreams = new Map<UpstreamFormat, Upstream>();
  const protocols = createProtocols(services);
  const { requestReference: referenceHeader } = conventionsOf(services);
  const headers = base.credentials.kind === 'fixed' ? base.credentials.headers : {};

  const formatFor = (recorded: string): UpstreamFormat => {
    if (given === undefined && !isAddress(options.against)) return base.format;
    return formatOf(given === undefined || given === asRecorded ? recorded : given) ?? base.format;
  };
  const open = memoize(
    (format: UpstreamFormat): Upstream =>
      createUpstream({
        ...base,
        format,
        credentials: { find: () => headers, areOfCaller: false },
        protocols,
        referenceHeader,
        clock,
        report(event) {
          if (event.kind === 'unknownMembers')
            for (const member of event.members)
              if (unknownMembers.size < unknownMembersMax) unknownMembers.add(`${event.operation} ${member}`);
          if (event.kind === 'failed' && event.isRetried) onRetry();
        },
      }),
    upstreams,
  );
  return {
    async ask(service, operation, { caller, tenant, format, reference }, input) {
      try {
        const handler = open(formatFor(format)).handler(service, operation);
        const identity = { credential: caller, tenant, requiresKey: false, rights: 'upstream' } as const;
        const request = { service, operation, input: input as never, caller: identity, requestReference: reference };
        // A replay that is repeated has the effect of each write once, where the server knows keys.
        const key = operation.effect === 'writes' ? `replay-${options.freshKeys ? run : ''}${reference}` : undefined;
        const { output } = await handler.forward({ ...request, head: { headers: {} } }, undefined, key);
        return { output };
      } catch (thrown) {
        return answerOfThrown(thrown);
      }
    },
    async close() {
      await Promise.all([...upstreams.values()].map((each) => each.close()));
    },
  };
}

/** Undefined for what is no format that upstreams speak; operations with an HTTP binding are sent by it in any case. */
function formatOf(name: string): UpstreamFormat | undefined {
  return upstreamFormats.find((each) => each === (name === 'soap' ? 'soap11' : name));
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

function readTarget(options: TargetOptions): ConfiguredUpstream {
  const faults: string[] = [];
  const upstream = readUpstream('target', optionsOf(options), projectSources(), faults);
  if (upstream === undefined || faults.length > 0)
    throw new CommandError(faults.map((each) => each.replace(/^upstreams\.target/, '--against')));
  if (upstream.credentials.kind === 'forward' || upstream.credentials.kind === 'mapped')
    throw new CommandError(['--against: credentials of callers are not recorded: give fixed ones, or none']);
  if (upstream.session !== undefined)
    throw new CommandError(['--against: requests are compared one by one, without a session: leave it out']);
  return { ...upstream, session: undefined, lookups: [] };
}

function optionsOf({ against, username, secretFile }: TargetOptions): unknown {
  if (!isAddress(against)) return fileOptions(against);
  const secret = secretFile === undefined ? undefined : { file: secretFile };
  const fixed: FixedCredential | 'none' =
    secret === undefined
      ? 'none'
      : username === undefined
        ? { apiKey: secret }
        : { basic: { username, password: secret } };
  return { url: against, credentials: fixed, idempotency: 'header' } satisfies UpstreamOptions;
}

function fileOptions(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CommandError([`--against is neither an address nor a file of JSON: ${(cause as Error).message}`]);
  }
}
