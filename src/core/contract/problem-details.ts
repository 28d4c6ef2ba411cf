/** How problem details (RFC 9457) name every problem: by an address, a title and a code that callers of this interface know. */
import type { Conventions } from './conventions.ts';
import { type ProblemKind, type ProblemType, upstreamRefusal } from './problem.ts';

interface Named extends ProblemType {
  readonly code: string;
}

/** By the status, for problems that have no name of their own. */
const byStatus: ReadonlyMap<number, ProblemType> = new Map([
  named(400, 'general/bad-request', 'Bad request'),
  named(401, 'security/unauthorized', 'Unauthorized'),
  named(403, 'security/unauthorized', 'Forbidden'),
  named(404, 'general/not-found', 'Not found'),
  named(405, 'general/method-not-allowed', 'Method not allowed'),
  named(408, 'general/timeout', 'Request timed out'),
  named(409, 'general/conflict', 'Conflict'),
  named(410, 'general/gone', 'Gone'),
  named(412, 'general/precondition-failed', 'Precondition failed'),
  named(413, 'general/too-large', 'Request too large'),
  named(415, 'general/unsupported-media-type', 'Unsupported media type'),
  named(422, 'general/invalid-field-value', 'Invalid information provided'),
  named(429, 'security/too-many-requests', 'Too many requests'),
  named(500, 'general/internal', 'An internal error happened'),
  named(503, 'general/unavailable', 'Temporarily unavailable'),
]);

/**
 * How a problem is named: its type, below the URL of the conventions, its title and its code. A problem that says whether
 * the request may be sent again has its own code, so that callers can tell it from others of its status. So has a refusal of another
 * server.
 */
export function namesOf(
  { name, status, code, transient, details: own }: ProblemKind,
  { statusCodePrefix }: Pick<Conventions, 'statusCodePrefix'>,
): Named {
  const known = byStatus.has(status) ? status : 500;
  const { type, title } = own ?? byStatus.get(known)!;
  const hasOwnCode = own !== undefined || (code !== '000' && (transient !== undefined || name === upstreamRefusal));
  return { type, title, code: hasOwnCode ? code : `${statusCodePrefix}${known}` };
}

/** The members of problem details that say which kind of problem it is. */
export function describeKind(
  kind: ProblemKind,
  conventions: Conventions,
): { readonly type: string; readonly title: string; readonly code: string } {
  const { type, title, code } = namesOf(kind, conventions);
  return { type: type.includes(':') ? type : conventions.problemTypes + type, title, code };
}

function named(status: number, type: string, title: string): readonly [number, ProblemType] {
  return [status, { type, title }];
}
