/** The console: a site with a page, the sessions of people, the service that the page calls, and its streams of events. */

import {
  type Credentials,
  createAuthenticator,
  type LiveCredentials,
  type LoginGuard,
  type PresentedSecret,
  type SecondFactorRules,
  withSecondFactor,
} from '../access/index.ts';
import { Problem } from '../core/contract/index.ts';
import type { WireRequest } from '../core/formats/index.ts';
import { toProblem } from '../core/gateway/index.ts';
import { type Clock, matchesEntityTag } from '../core/lib/index.ts';
import type { Document, Documents } from '../documents/index.ts';
import type { Site, SiteAnswer } from '../http/index.ts';
import { boundTenantOf } from '../operators/index.ts';
import { type AnswerApi, type ConsoleApiParts, createConsoleApi } from './api.ts';
import { type Assets, answerAsset, documentName, loadAssets } from './assets.ts';
import { requireSession } from './session/authenticate.ts';
import type { GatewayFacts } from './session/gateway-facts.ts';
import { answerSession, type LogInParts } from './session/log-in.ts';
import { isForeignPart, isRead, requireOwnPage } from './session/page-check.ts';
import { Sessions, type SessionTimes } from './session/sessions.ts';
import type { ConsoleStream } from './stream.ts';

interface ConsoleParts extends Omit<ConsoleApiParts, 'sessions' | 'credentials'> {
  readonly verifier: Credentials;
  /** Absent on a gateway without a database, whose one credential is ADMIN_TOKEN. */
  readonly secondFactor?: Omit<SecondFactorRules, 'clock'> | undefined;
  readonly liveCredentials: LiveCredentials;
  readonly guard: LoginGuard;
  readonly streams?: readonly ConsoleStream[];
  /** In the demo: the credential of the log-in by one click. */
  readonly oneClick?: PresentedSecret | undefined;
  readonly gateway: GatewayFacts;
  readonly sessionTimes?: SessionTimes;
  /** Where the clock of the gateway is that of a test, which must not end the sessions of people. */
  readonly sessionClock?: Clock | undefined;
  /** Has the OpenAPI document of the service. */
  readonly documents: Documents;
}

/** It is asked for its own paths only. */
export function createConsole(parts: ConsoleParts): Omit<Site, 'owns'> {
  const { verifier, secondFactor, guard, sessionClock = parts.context.clock } = parts;
  const withoutCode = createAuthenticator(verifier, guard);
  // A program presents no code, so it cannot use a credential that has a second factor: one factor would be enough otherwise.
  const credentials =
    secondFactor === undefined
      ? withoutCode
      : createAuthenticator(withSecondFactor(verifier, { ...secondFactor, clock: sessionClock }), guard);
  const sessions = new Sessions(parts.liveCredentials, sessionClock, parts.sessionTimes);
  const closed = new AbortController();
  const { audit, oneClick, gateway, streams = [], documents } = parts;
  const routes: Routes = {
    logIn: { sessions, credentials, withoutCode, audit, oneClick, gateway },
    api: createConsoleApi({ ...parts, sessions, credentials }),
    streams: new Map(streams.map((each) => [each.path, each])),
    openStreams: new Set(),
    documents,
    assets: loadOnce(),
  };
  return Object.freeze({
    answer: (request, signal) =>
      answer(request, routes, AbortSignal.any([signal, closed.signal])).catch((thrown: unknown) => refusal(thrown)),
    close: () => closed.abort(),
  });
}

interface Routes {
  readonly logIn: LogInParts;
  readonly api: AnswerApi;
  readonly streams: ReadonlyMap<string, ConsoleStream>;
  /** The signals of the streams that are read now. */
  readonly openStreams: Set<AbortSignal>;
  readonly documents: Documents;
  readonly assets: () => Promise<Assets>;
}

async function answer(request: WireRequest, routes: Routes, signal: AbortSignal): Promise<SiteAnswer> {
  request.inspect(true);
  const { path } = request;
  const below = path.slice('/console/'.length);
  if (below === 'session') return answerSession(request, routes.logIn);
  if (below === 'api/openapi.json') {
    requireRead(request);
    return documentAnswer(request, await routes.documents.findInSteps(path, '', originOf(request)));
  }
  const stream = routes.streams.get(below);
  if (stream !== undefined) return openStream(stream, request, routes, signal);
  if (below === 'api' || below.startsWith('api/')) return apiAnswer(await routes.api(request));
  return page(below, request, await routes.assets());
}

/** Each view has a path of its own, and all have one document. */
function page(below: string, request: WireRequest, assets: Assets): SiteAnswer {
  requireRead(request);
  if (isForeignPart(request)) throw new Problem('crossSite');
  const name = below.startsWith('assets/') ? below : documentName;
  const found = answerAsset(assets, name, request);
  if (found === undefined) throw new Problem('notFound');
  return found;
}

function requireRead({ method }: WireRequest): void {
  if (!isRead(method)) throw new Problem('methodNotAllowed', undefined, { headers: { Allow: 'GET, HEAD' } });
}

async function openStream(
  stream: ConsoleStream,
  request: WireRequest,
  { logIn: { sessions }, openStreams: open }: Routes,
  signal: AbortSignal,
): Promise<SiteAnswer> {
  if (request.method !== 'GET') throw new Problem('methodNotAllowed', undefined, { headers: { Allow: 'GET' } });
  requireOwnPage(request);
  const { caller } = await requireSession(sessions, request, false);
  countStream(open, signal);
  const lastEventId = request.headers['last-event-id'];
  const isValid = async (): Promise<boolean> =>
    requireSession(sessions, request, false).then(
      (now) => boundTenantOf(now.caller) === boundTenantOf(caller),
      () => false,
    );
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8' },
    body: stream.open({ caller, query: new URLSearchParams(request.query), lastEventId, signal, isValid }),
  };
}

/** The admin port has 64 connections: streams leave half of them to probes and other requests. */
const streamsMax = 32;

function countStream(open: Set<AbortSignal>, signal: AbortSignal): void {
  if (open.size >= streamsMax) throw new Problem('tooManyRequests', undefined, { retryAfterSeconds: 10 });
  if (signal.aborted) return;
  open.add(signal);
  signal.addEventListener('abort', () => open.delete(signal), { once: true });
}

function apiAnswer({ message }: Awaited<ReturnType<AnswerApi>>): SiteAnswer {
  const { 'WWW-Authenticate': challenge, ...headers } = message.headers;
  return {
    status: message.status,
    // A browser would ask for a password, and send it with requests of other sites too.
    headers: { ...headers, 'Content-Type': message.contentType },
    body: message.body,
  };
}

function documentAnswer({ headers }: WireRequest, found: Document | undefined): SiteAnswer {
  if (found === undefined) throw new Problem('notFound');
  const { body, etag } = found;
  const answered = matchesEntityTag(headers['if-none-match'], etag) ? json('', 304) : json(body);
  return { ...answered, headers: { ...answered.headers, 'Cache-Control': 'no-cache', ETag: etag } };
}

function json(body: string, status = 200): SiteAnswer {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body };
}

function refusal(thrown: unknown): SiteAnswer {
  const problem = toProblem(thrown);
  // The site reports what it did not foresee.
  if (problem.problem === 'internal') throw thrown;
  const { retryAfterSeconds, headers } = problem;
  const { 'WWW-Authenticate': _, ...others } = headers;
  const body = JSON.stringify({ status: problem.status, problem: problem.problem, detail: problem.message });
  const answered = json(body, problem.status);
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { ...answered, headers: { ...answered.headers, ...others, ...retry } };
}

function originOf({ headers, sender }: WireRequest): string {
  return `${sender?.scheme ?? 'http'}://${headers.host ?? 'localhost'}`;
}

/** Loads at the first request, and again after a failure. */
function loadOnce(): () => Promise<Assets> {
  let loading: Promise<Assets> | undefined;
  return () => {
    loading ??= loadAssets().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}
