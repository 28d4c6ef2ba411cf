/** Reads an upstream of a configuration, with its secrets and certificates, and reports everything that is wrong with it. */
import type { VariableSources } from '../../config/index.ts';
import {
  fallbackFormats,
  isFormat,
  type UpstreamFormat,
  upstreamFormats,
  wireFormats,
} from '../../core/formats/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import type { ServerErrorsOption, SessionOptions, SoapOptions, UnknownMembersOption } from '../../forward/index.ts';
import { MemberReader } from './members.ts';
import type { UpstreamOptions, UpstreamTimeouts } from './options.ts';
import { readCredentials, type UsedCredentials } from './read-credentials.ts';
import { type ConfiguredLookup, readLookups, type UpstreamLookup } from './read-lookups.ts';
import { type ConfiguredSession, readSession } from './read-session.ts';
import { readSoap } from './read-soap.ts';
import { readPem } from './secret.ts';
import { upstreamUrlHint } from './url-hint.ts';

/** TLS material as read from its files, in PEM. */
interface LoadedTls {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
}

/** An upstream, complete: with its defaults, its secrets and its certificates. */
export interface ConfiguredUpstream {
  readonly name: string;
  /** Without a slash at its end, unless every request goes to the address itself. */
  readonly url: string;
  readonly format: UpstreamFormat;
  readonly credentials: UsedCredentials;
  readonly tls: LoadedTls;
  readonly timeouts: Required<UpstreamTimeouts>;
  readonly connections: number;
  readonly queueMax: number;
  /** Absent where the contract decides. */
  readonly responseBytesMax: number | undefined;
  readonly isSingleAddress: boolean;
  readonly unknownMembers: UnknownMembersOption;
  /** Absent where the contract decides. */
  readonly mtom: boolean | undefined;
  /** What requests in SOAP have beside their message. */
  readonly soap: SoapOptions | undefined;
  readonly session: SessionOptions | undefined;
  /** Where the upstream reads a key, with the header in lower case. Absent where it does not deduplicate. */
  readonly key: { readonly header: string } | 'body' | undefined;
  /** How long the upstream knows a key. */
  readonly keyMsMax: number;
  readonly serverErrors: ServerErrorsOption;
  /** In lower case. Absent where writes carry no key for look-ups. */
  readonly lookupHeader: string | undefined;
  readonly lookups: readonly UpstreamLookup[];
}

/** An upstream as read: contracts say later whether its log-in and its look-ups fit. */
export interface ReadUpstream extends Omit<ConfiguredUpstream, 'session' | 'lookups'> {
  readonly session: ConfiguredSession | undefined;
  readonly lookups: readonly ConfiguredLookup[];
}

export const upstreamMembers: Readonly<Record<keyof UpstreamOptions, true>> = {
  shadow: true,
  url: true,
  format: true,
  credentials: true,
  tls: true,
  timeouts: true,
  connections: true,
  queueMax: true,
  responseBytesMax: true,
  singleAddress: true,
  session: true,
  unknownMembers: true,
  soapHeaders: true,
  wsSecurity: true,
  wsAddressing: true,
  mtom: true,
  idempotency: true,
  idempotencyHeader: true,
  idempotencyMs: true,
  serverErrors: true,
  lookups: true,
  lookupHeader: true,
};
const msMax = 600_000;
const dayMs = 24 * 60 * 60 * 1000;

/** Names of upstreams are label values of metrics, and texts of log lines. */
const upstreamName = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

/** `place`: how messages begin, `upstreams.erp`. Returns the upstream as far as it can be read. */
export function readUpstream(
  name: string,
  given: unknown,
  variables: VariableSources,
  faults: string[],
): ReadUpstream | undefined {
  const place = `upstreams.${name}`;
  if (!upstreamName.test(name)) faults.push(`${place}: a name has 1 to 40 letters, digits, _ and -, a letter first.`);
  if (name === 'builtIn') faults.push(`${place}: builtIn stands for the handlers of this program: give another name.`);
  if (!isMembers(given)) {
    faults.push(`${place} is not an object.`);
    return undefined;
  }
  const before = faults.length;
  const reader = new MemberReader(given, place, faults);
  reader.allow(...Object.keys(upstreamMembers));
  const upstream = readMembers(name, reader, variables);
  return faults.length === before ? upstream : undefined;
}

/** Reads the members of an upstream, without its shadow. What is wrong is reported. */
export function readMembers(name: string, reader: MemberReader, variables: VariableSources): ReadUpstream {
  return Object.freeze<ReadUpstream>({
    name,
    url: readUrl(reader),
    format: reader.choice('format', upstreamFormats, fallbackFormats.other),
    credentials: readCredentials(reader, variables),
    tls: readTls(reader),
    timeouts: readTimeouts(reader),
    connections: reader.wholeNumber('connections', 1, 10_000, 64),
    queueMax: reader.wholeNumber('queueMax', 0, 100_000, 256),
    responseBytesMax: reader.wholeNumber('responseBytesMax', 1024, 1 << 30, 0) || undefined,
    isSingleAddress: reader.boolean('singleAddress'),
    unknownMembers: reader.choice('unknownMembers', ['keep', 'refuse', 'drop'], 'keep'),
    mtom: readMtom(reader),
    soap: readSoap(reader, variables),
    session: readSession(reader, variables),
    key: readKeyPlace(reader),
    keyMsMax: reader.wholeNumber('idempotencyMs', 1_000, 31 * dayMs, dayMs),
    serverErrors: reader.choice('serverErrors', ['final', 'unknown'], 'final'),
    lookups: readLookups(reader),
    lookupHeader: reader.header('lookupHeader')?.toLowerCase(),
  });
}

function readUrl(reader: MemberReader): string {
  const text = reader.text('url');
  if (text === undefined) {
    if (!reader.has('url'))
      reader.fault('url', 'is missing: give the address of the upstream, like https://erp.example.com');
    return '';
  }
  const hint = upstreamUrlHint(text, { allowsQuery: reader.value('singleAddress') === true });
  // The address may hold a password.
  if (hint !== undefined) {
    reader.fault('url', hint);
    return '';
  }
  const { href } = new URL(text);
  return reader.value('singleAddress') === true ? href : href.replace(/\/$/, '');
}

function readTls(reader: MemberReader): LoadedTls {
  const tls = reader.object('tls');
  tls.allow('caFile', 'certFile', 'keyFile', 'serverName');
  if (tls.has('certFile') !== tls.has('keyFile'))
    tls.fault('', 'needs both certFile and keyFile for a certificate of the gateway');
  const isPlain = String(reader.value('url')).startsWith('http:');
  if (isPlain && reader.has('tls')) tls.fault('', 'is given, and the address is plain http: give an https address');
  return {
    ca: readPem(tls, 'caFile'),
    cert: readPem(tls, 'certFile'),
    key: readPem(tls, 'keyFile'),
    serverName: tls.text('serverName'),
  };
}

/** How long an upstream has, unless its configuration says otherwise. */
const standardTimeouts: Required<UpstreamTimeouts> = Object.freeze({
  connectMs: 2_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  totalMs: 15_000,
});

function readTimeouts(reader: MemberReader): Required<UpstreamTimeouts> {
  const timeouts = reader.object('timeouts');
  timeouts.allow(...Object.keys(standardTimeouts));
  const ms = (name: keyof UpstreamTimeouts): number => timeouts.wholeNumber(name, 10, msMax, standardTimeouts[name]);
  return { connectMs: ms('connectMs'), headersMs: ms('headersMs'), bodyMs: ms('bodyMs'), totalMs: ms('totalMs') };
}

function readMtom(reader: MemberReader): boolean | undefined {
  if (!reader.has('mtom')) return undefined;
  const format = reader.value('format');
  if (format !== 'soap11' && format !== 'soap12')
    reader.fault('mtom', 'is given, and the format is no SOAP: give format soap11 or soap12');
  const security = reader.value('wsSecurity');
  if (reader.value('mtom') === true && isMembers(security) && security.certFile !== undefined)
    reader.fault('mtom', 'is true, and wsSecurity signs the Body with its bytes in it: leave one out');
  return reader.boolean('mtom');
}

function readKeyPlace(reader: MemberReader): ConfiguredUpstream['key'] {
  const idempotency = reader.choice('idempotency', ['header', 'body', 'none'], 'none');
  const header = reader.header('idempotencyHeader');
  if (idempotency !== 'header' && reader.has('idempotencyHeader'))
    reader.fault(
      'idempotencyHeader',
      "is given without idempotency: 'header', so no header has a key: add it, or leave both out",
    );
  if (idempotency === 'none' && reader.has('idempotencyMs'))
    reader.fault('idempotencyMs', 'is given without idempotency, so no key is sent: add it, or leave both out');
  switch (idempotency) {
    case 'header':
      return { header: (header ?? 'Idempotency-Key').toLowerCase() };
    case 'body':
      if (!hasKeyInBody(reader.value('format')))
        reader.fault('idempotency', 'is "body", and JSON has no place for a key: give header');
      return 'body';
    case 'none':
      return undefined;
    default:
      return idempotency satisfies never;
  }
}

/** One that is no format is reported elsewhere. */
function hasKeyInBody(format: unknown = fallbackFormats.other): boolean {
  return typeof format !== 'string' || !isFormat(format) || wireFormats[format].upstream.hasKeyInBody === true;
}
