/** Decides who may use the admin port: no page of another site, no name that a stranger can register, and the token where one is set. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { jsonPage, type Page } from './admin-page.ts';
import type { AdminRequest } from './admin-request.ts';
import { isOfPage } from './page-request.ts';

export interface AdminAccess {
  /** In lower case: names in the Host header that are accepted in addition to those that lead nowhere else. */
  readonly hosts: readonly string[];
  /** What a request proves as a bearer token. */
  readonly token?: string | undefined;
}

/** Orchestrators and load balancers probe without credentials. */
const openPaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/readyz/reads']);

/** Returns the refusal, if the request is refused. */
export function refuseAdminRequest({ headers, path }: AdminRequest, { hosts, token }: AdminAccess): Page | undefined {
  // Pages of the console use their own paths only, which are not checked here.
  if (isOfPage(headers)) return jsonPage(403, { error: 'the page of another site may not use the admin port' });
  const refusal = refuseHost(headers, hosts);
  if (refusal !== undefined) return refusal;
  if (token === undefined || openPaths.has(path) || isBearer(headers.authorization, token)) return undefined;
  return { ...jsonPage(401, { error: 'give ADMIN_TOKEN as a bearer token' }), challenge: 'Bearer realm="admin"' };
}

/** Returns the refusal of a request that names the port by a name that a stranger can register. */
export function refuseHost({ host: given }: Pick<AdminRequest['headers'], 'host'>, hosts: readonly string[]) {
  // Probes with HTTP/1.0 may have no Host header; browsers always send one.
  if (given === undefined || given === '') return undefined;
  const host = hostOf(given);
  if (host !== undefined && (isPrivateName(host) || hosts.includes(host))) return undefined;
  const error =
    'the Host header is not accepted: use an IP address, localhost, a name without a dot, or a name of ADMIN_HOSTS';
  return jsonPage(403, { error });
}

export function hostOf(header: string): string | undefined {
  return /^(\[[\da-f:.]*\]|[\w.-]*)(?::\d*)?$/i.exec(header)?.[1]?.toLowerCase();
}

/**
 * No stranger can register a name without a dot, nor one below these domains. So none can be made to lead a browser from its own page
 * to this server, as DNS rebinding does.
 */
export function isPrivateName(host: string): boolean {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return true;
  return host !== '' && (!host.includes('.') || /\.(?:localhost|internal)$/.test(host));
}

/** Compares hashes, so that the time tells neither the content nor the length of the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
