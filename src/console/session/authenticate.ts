/** Finds the session of a request, and refuses a request that may be that of another site. */

import { unauthorized } from '../../access/index.ts';
import { Problem } from '../../core/contract/index.ts';
import type { WireRequest } from '../../core/formats/index.ts';
import { sessionTokenOf } from './cookie.ts';
import { csrfHeader, isRead, refreshHeader } from './page-check.ts';
import type { Session, Sessions } from './sessions.ts';

/** Throws unauthorized without a valid session, and crossSite for a request that changes something without the token of its page. */
export async function requireSession(
  sessions: Sessions,
  request: WireRequest,
  isUse = request.headers[refreshHeader] === undefined,
): Promise<Session> {
  const token = sessionTokenOf(request);
  const session = token === undefined ? undefined : await sessions.find(token, request, isUse);
  if (session === undefined) throw unauthorized('session');
  if (!isRead(request.method) && request.headers[csrfHeader] !== session.csrfToken) throw new Problem('crossSite');
  return session;
}

/** A credential in a header counts before a session: a page never sends one. */
export function isOfSession({ headers }: WireRequest): boolean {
  return headers.authorization === undefined && headers['x-api-key'] === undefined;
}
