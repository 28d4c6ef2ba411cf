/** The upstreams of sourced contracts: one for each address. */
import { type UpstreamOptions, type Upstreams, upstreamUrlHint } from '../../../backend/index.ts';
import type { UnknownMembersOption } from '../../../forward/index.ts';
import { CommandError } from '../command-error.ts';
import { readLookupFile, type UpstreamFlags } from '../project-upstreams.ts';
import { clientOf } from './client.ts';
import { type ContractSource, mayName, type SourcedService } from './source.ts';

/** The upstreams by name, and the name for each service. */
export interface SourcedUpstreams {
  readonly upstreams: Upstreams;
  readonly answeredBy: readonly string[];
}

/** What happens to members of answers that the contract lacks. */
export interface UnknownFlag {
  readonly unknownMembers?: UnknownMembersOption;
}

/** Throws CommandError where the address of a server is missing, or is none that the document may name. */
export function upstreamsOf(source: ContractSource, flags: UpstreamFlags & UnknownFlag): SourcedUpstreams {
  const lookups = readLookupFile(flags.upstreamLookups) ?? {};
  requireKnown(Object.keys(lookups), source);
  const upstreams: Record<string, UpstreamOptions> = {};
  const names = new Map<string, string>();
  const answeredBy = source.services.map((each) => {
    const own = Object.entries(lookups).filter(([of]) => of.startsWith(`${each.service.name}.`));
    const options = upstreamOf(source, each, flags, own.length === 0 ? undefined : Object.fromEntries(own));
    const key = JSON.stringify(options);
    const name = names.get(key) ?? (names.size === 0 ? 'upstream' : `upstream${names.size + 1}`);
    names.set(key, name);
    upstreams[name] = options;
    return name;
  });
  return { upstreams, answeredBy };
}

/** Throws CommandError for a look-up of a service that the document does not have. */
function requireKnown(names: readonly string[], { services }: ContractSource): void {
  const unknown = names.find((name) => !services.some(({ service }) => name.startsWith(`${service.name}.`)));
  if (unknown === undefined) return;
  const known = services.map(({ service }) => service.name).join(', ');
  throw new CommandError([`--upstream-lookups: ${unknown} is no operation of ${known}`]);
}

function upstreamOf(
  source: ContractSource,
  service: SourcedService,
  flags: UpstreamFlags & UnknownFlag,
  lookups: UpstreamOptions['lookups'],
): UpstreamOptions {
  const { upstreamFormat: format = service.format, upstreamIdempotency: idempotency, requireCredentials } = flags;
  const { upstreamServerErrors: serverErrors } = flags;
  const url = urlOf(source, service, flags.upstream);
  const client = clientOf(source, service, url, flags);
  const isOwnAddress = service.hasSingleAddress && format === service.format;
  return {
    url,
    format,
    ...(isOwnAddress && { singleAddress: true }),
    credentials: client ?? (requireCredentials ? 'none' : 'forward'),
    ...(idempotency && { idempotency }),
    ...(serverErrors && { serverErrors }),
    ...(lookups && { lookups }),
    ...(flags.unknownMembers && { unknownMembers: flags.unknownMembers }),
  };
}

/** `--upstream` takes the place of the address; one without a path keeps that of the document. */
function urlOf(
  { option, location: document }: ContractSource,
  service: SourcedService,
  given: string | undefined,
): string {
  const { location } = service;
  const { name } = service.service;
  if (given !== undefined) {
    const hint = upstreamUrlHint(given, { allowsQuery: service.hasSingleAddress });
    if (hint !== undefined) throw new CommandError([`--upstream ${hint}.`]);
    const url = new URL(given);
    if (url.pathname === '/' && location.startsWith('/')) return `${url.origin}${location}${url.search}`;
    if (url.pathname !== '/' || !URL.canParse(location)) return given;
    const { pathname, search } = new URL(location);
    return `${url.origin}${pathname}${url.search || search}`;
  }
  const remedy = 'give the address of the server in --upstream.';
  if (location === '' || location.startsWith('/'))
    throw new CommandError([`${name} has no address in ${document}: ${remedy}`]);
  const hint = upstreamUrlHint(location, { allowsQuery: service.hasSingleAddress });
  if (hint !== undefined) throw new CommandError([`the address of ${name} in ${document} ${hint}; or ${remedy}`]);
  if (!mayName(document, new URL(location).hostname))
    throw new CommandError([
      `${document} says that ${name} is at ${new URL(location).origin}, which means another server there than here: ${remedy}`,
      `(Only ${option} of a file, or of the same host, may name an address of this machine or of a private network.)`,
    ]);
  return new URL(location).href;
}
