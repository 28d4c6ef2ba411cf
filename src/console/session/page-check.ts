/** Refuses requests that pages of other sites have caused. */
import { Problem } from '../../core/contract/index.ts';
import type { WireRequest } from '../../core/formats/index.ts';
import { isOfOtherSite } from '../../http/index.ts';
import { isSecure } from './cookie.ts';

type Request = Pick<WireRequest, 'method' | 'headers' | 'sender'>;

/** The header with the token that only pages of the console know. */
export const csrfHeader = 'x-console-token';
/** The header of requests by which an unused page refreshes itself: they do not keep the session. */
export const refreshHeader = 'x-console-refresh';

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Browsers name the page that caused a request. Programs do not. Throws crossSite. */
export function requireOwnPage(request: Request): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (isOfOtherSite(site)) throw new Problem('crossSite');
  if (origin !== undefined && origin !== `${isSecure(request) ? 'https' : 'http'}://${host}`)
    throw new Problem('crossSite');
}

/** Other sites may link to a page, but not load it or its parts into theirs. */
export function isForeignPart({ headers }: Request): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return isOfOtherSite(site) && (mode !== 'navigate' || destination !== 'document');
}
