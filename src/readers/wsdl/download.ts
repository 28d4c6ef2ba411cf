/** Downloads a document over HTTP, from an address that the document which names it may lead to. */

import type { Buffer } from 'node:buffer';
import { lookup as resolveName } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import {
  codingOf,
  createLookup,
  forbiddenError,
  inflate,
  isForbiddenAddress,
  listOf,
  NotInflated,
  readAtMost,
} from '../../core/lib/index.ts';

/** Where a document is from: the command line or a file, a server on this machine, in a private network, or a public one. */
export type Origin = 'user' | 'loopback' | 'private' | 'public';

export interface DownloadOptions {
  /** Where the location is named. */
  readonly namedBy: Origin;
  readonly bytesMax: number;
  /** For the document, with all redirections. */
  readonly timeLimitMs: number;
  /** The value of Authorization for one origin, also after a redirection. No other origin gets it. */
  readonly authorization?: { readonly origin: string; readonly value: string } | undefined;
  /** Replaces the resolution of names. */
  readonly resolve?: Parameters<typeof createLookup>[0]['resolve'] | undefined;
}

interface Downloaded {
  readonly bytes: Buffer;
  readonly origin: Origin;
}

/** The server has answered, and not with a document. The message continues a sentence that begins with the location. */
export class NotDownloaded extends Error {
  override readonly name = 'NotDownloaded';
}

const redirectionsMax = 10;
const inflatedRatioMax = 1_000;

/** A redirection may lead to where a document of that server may lead. Throws NotDownloaded, and errors of the connection. */
export async function download(location: string, options: DownloadOptions): Promise<Downloaded> {
  const { bytesMax, timeLimitMs, authorization, resolve = resolveName } = options;
  const signal = AbortSignal.timeout(timeLimitMs);
  let url = new URL(location);
  let origin = options.namedBy;
  try {
    for (let redirections = 0; redirections <= redirectionsMax; redirections++) {
      const response = await get(url, { namedBy: origin, signal, authorization, resolve });
      origin = originOf(response.socket.remoteAddress ?? '');
      const next = redirectionOf(response, url);
      if (next === undefined) return { bytes: await readBody(response, bytesMax), origin };
      response.destroy();
      url = next;
    }
  } catch (thrown) {
    throw signal.aborted ? signal.reason : thrown;
  }
  throw new NotDownloaded(`redirects more than ${redirectionsMax} times`);
}

/** What a server of an origin sends may name public addresses, and those of the same origin. */
export function mayLeadTo(namedBy: Origin, address: string): boolean {
  if (isForbiddenAddress(address)) return false;
  const origin = originOf(address);
  return namedBy === 'user' || origin === 'public' || origin === namedBy;
}

const loopback = listOf(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']);
/** Private use, shared, unique local and site-local addresses; and those that hold one of IPv4 in a form of their own. */
const privateUse = listOf([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
]);

function originOf(address: string): Exclude<Origin, 'user'> {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (loopback.check(address, family)) return 'loopback';
  return privateUse.check(address, family) ? 'private' : 'public';
}

interface Question extends Pick<DownloadOptions, 'namedBy' | 'authorization'> {
  readonly signal: AbortSignal;
  readonly resolve: NonNullable<DownloadOptions['resolve']>;
}

/** The connection is made to an address that has been checked. */
function get(url: URL, { namedBy, signal, authorization, resolve }: Question): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // No lookup happens for an address.
  if (isIP(host) !== 0 && !mayLeadTo(namedBy, host)) return Promise.reject(forbiddenError());
  const lookup: LookupFunction = createLookup({ resolve, isForbidden: (address) => !mayLeadTo(namedBy, address) });
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((fulfil, reject) => {
    const headers = {
      ...{ 'User-Agent': 'triglyph', Accept: '*/*', 'Accept-Encoding': 'gzip' },
      ...(authorization?.origin === url.origin && { Authorization: authorization.value }),
    };
    // A connection of its own: one that another question has opened may lead elsewhere.
    const sent = request(url, { agent: false, lookup, headers, signal });
    sent.on('response', fulfil);
    sent.on('error', reject);
    sent.end();
  });
}

const credentialsHint =
  ': give those of HTTP Basic in its URL (https://name:password@host), or a file with what it imports';

/** Where a redirection leads; undefined for a document. */
function redirectionOf({ statusCode = 0, headers: { location } }: IncomingMessage, base: URL): URL | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined)
    throw new NotDownloaded(
      `answers with ${statusCode}${statusCode === 401 || statusCode === 403 ? credentialsHint : ''}`,
    );
  const next = URL.canParse(location, base) ? new URL(location, base) : undefined;
  if (next === undefined || !/^https?:$/.test(next.protocol) || hasCredentials(next))
    throw new NotDownloaded(`redirects to ${location}, which is no URL of HTTP`);
  return next;
}

export function hasCredentials({ username, password }: URL): boolean {
  return `${username}${password}` !== '';
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new NotDownloaded(`has more than ${bytesMax >> 20} MiB`);
  const bytes = await readAtMost(response, bytesMax);
  if (bytes === undefined) throw tooLarge();
  const coding = codingOf(response.headers['content-encoding']);
  if (coding === undefined) return bytes;
  if (coding === 'unknown') throw new NotDownloaded('has an encoding that is not known');
  try {
    return await inflate(bytes, coding, { bytesMax, ratioMax: inflatedRatioMax });
  } catch (thrown) {
    if (!(thrown instanceof NotInflated)) throw thrown;
    throw thrown.fault === 'malformed' ? new NotDownloaded('cannot be decompressed') : tooLarge();
  }
}
