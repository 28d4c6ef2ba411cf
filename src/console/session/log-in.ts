/** Logs people in and out: the three methods of `/console/session`. */
import { type AuditDetail, type AuditTrail, credentialActor, type PresentedSecret } from '../../access/index.ts';
import { headersOf } from '../../backend/index.ts';
import { type AnyCaller, Problem } from '../../core/contract/index.ts';
import type { WireRequest } from '../../core/formats/index.ts';
import type { Authenticator } from '../../core/gateway/index.ts';
import type { SiteAnswer } from '../../http/index.ts';
import { boundTenantOf, operatorRoles, roles } from '../../operators/index.ts';
import { requireSession } from './authenticate.ts';
import { printSessionCookie, sessionTokenOf } from './cookie.ts';
import type { GatewayFacts } from './gateway-facts.ts';
import { requireOwnPage } from './page-check.ts';
import type { Session, Sessions } from './sessions.ts';

export interface LogInParts {
  readonly sessions: Sessions;
  /** Verifies credentials, and locks those who guess. */
  readonly credentials: Authenticator;
  /** The same without the second factor, for the log-in by one click. */
  readonly withoutCode: Authenticator;
  readonly audit: AuditTrail;
  /** In the demo: the credential of the log-in by one click. */
  readonly oneClick?: PresentedSecret | undefined;
  readonly gateway: GatewayFacts;
}

/** What the page knows of its session. */
export interface SessionState {
  /** Absent before the log-in. */
  readonly session?: LoggedIn;
  /** Whether the page may log in by one click. */
  readonly oneClick: boolean;
  /** Whether ADMIN_TOKEN is the one credential of the console. */
  readonly byAdminToken?: true;
}

export interface LoggedIn {
  readonly credential: string;
  readonly tenant: string;
  /** Whether it may act, and not only read. */
  readonly mayAct: boolean;
  /** The tenant that the person is bound to; absent for people who operate the gateway. */
  readonly boundTenant?: string | undefined;
  readonly csrfToken: string;
  readonly gateway: GatewayFacts;
}

/** A log-in: what the form holds. */
export type LogIn =
  | { readonly username: string; readonly secret: string; readonly code?: string }
  | { readonly apiKey: string }
  | { readonly oneClick: true };

export async function answerSession(request: WireRequest, parts: LogInParts): Promise<SiteAnswer> {
  requireOwnPage(request);
  switch (request.method) {
    case 'GET':
      return show(await find(request, parts), parts);
    case 'POST':
      return logIn(request, parts);
    case 'DELETE':
      return logOut(request, parts);
    default:
      throw new Problem('methodNotAllowed', undefined, { headers: { Allow: 'GET, POST, DELETE' } });
  }
}

async function find(request: WireRequest, { sessions }: LogInParts): Promise<Session | undefined> {
  const token = sessionTokenOf(request);
  return token === undefined ? undefined : sessions.find(token, request);
}

/** Enough for a log-in: its sender is not authenticated yet. */
const logInBytesMax = 16_384;

async function logIn(request: WireRequest, parts: LogInParts): Promise<SiteAnswer> {
  const { sessions, audit, oneClick } = parts;
  // Forms of other sites cannot send JSON without asking first.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) throw new Problem('unsupportedMedia');
  const { presented, code } = parseLogIn((await request.body(logInBytesMax)).toString(), oneClick);
  const { sender, certificate } = request;
  const isOneClick = oneClick !== undefined && presented === oneClick;
  const credentials = isOneClick ? parts.withoutCode : parts.credentials;
  const caller = await credentials.authenticate({ headers: headersOf(presented), sender, certificate, code });
  const detail = { address: sender?.address, tenant: caller.tenant };
  if (!mayUseConsole(caller)) {
    record(audit, caller, { ...detail, outcome: 'notAllowed' });
    throw new Problem('notAllowed');
  }
  const token = await sessions.create(caller.credential, request);
  const session = token && (await sessions.find(token, request));
  if (token === undefined || !session) throw new Problem('unauthorized');
  const before = sessionTokenOf(request);
  // A session that an attacker may have planted does not outlive a log-in.
  if (before !== undefined) sessions.end(before);
  record(audit, caller, { ...detail, outcome: 'ok', session: session.id, oneClick: isOneClick });
  return show(session, parts, printSessionCookie(request, token));
}

async function logOut(request: WireRequest, parts: LogInParts): Promise<SiteAnswer> {
  const { caller, id } = await requireSession(parts.sessions, request);
  parts.sessions.end(sessionTokenOf(request)!);
  record(parts.audit, caller, { outcome: 'loggedOut', session: id });
  return show(undefined, parts, printSessionCookie(request, undefined));
}

function record(audit: AuditTrail, { credential }: AnyCaller, detail: AuditDetail): void {
  audit.record({ kind: 'consoleLogin', actor: credentialActor(credential), subject: credential, detail });
}

function show(session: Session | undefined, { oneClick, gateway }: LogInParts, cookie?: string): SiteAnswer {
  const state: SessionState = {
    ...(session && {
      session: {
        credential: session.caller.credential,
        tenant: session.caller.tenant,
        mayAct: session.caller.roles.has(roles.act) || session.caller.roles.has(roles.actTenant),
        boundTenant: boundTenantOf(session.caller),
        csrfToken: session.csrfToken,
        gateway,
      },
    }),
    oneClick: oneClick !== undefined,
    ...(gateway.records !== 'database' && { byAdminToken: true }),
  };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...(cookie && { 'Set-Cookie': cookie }) },
    body: JSON.stringify(state),
  };
}

function mayUseConsole(caller: AnyCaller): boolean {
  return !('rights' in caller) && operatorRoles.some((role) => caller.roles.has(role));
}

interface Presented {
  readonly presented: PresentedSecret;
  readonly code?: string | undefined;
}

function parseLogIn(text: string, oneClick: PresentedSecret | undefined): Presented {
  let given: Readonly<Record<string, unknown>> | null;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Problem('badRequest');
  }
  if (typeof given !== 'object' || given === null) throw new Problem('badRequest');
  const { username, secret, apiKey, code } = given;
  if (given.oneClick === true) {
    if (oneClick === undefined) throw new Problem('unauthorized');
    return { presented: oneClick };
  }
  if (typeof apiKey === 'string') return { presented: { kind: 'apiKey', secret: apiKey } };
  if (typeof username === 'string' && typeof secret === 'string')
    return { presented: { kind: 'basic', username, secret }, code: typeof code === 'string' ? code : undefined };
  throw new Problem('badRequest');
}
