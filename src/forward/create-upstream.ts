/** Creates an upstream: its connections, its circuits, and the handlers of the operations that it answers. */

import {
  type AnyRequest,
  bodyBytesOf,
  describe,
  extrasMember,
  isBound,
  type Operation,
  Problem,
  refusalOfUpstream,
  type Service,
} from '../core/contract/index.ts';
import { canStream, type Protocol, type Spooling, spoolingAtOwnPath, spoolingOf } from '../core/formats/index.ts';
import {
  ApplicationError,
  mayBeSentAgain,
  NotSent,
  OutcomeUnknown,
  type RemoteAnswer,
  type RemoteHandler,
} from '../core/idempotency/index.ts';
import { addressGroup, backoffMs, errorCode, memoizeWeakly } from '../core/lib/index.ts';
import { withInputBytes } from '../core/spool/index.ts';
import { Circuits, type RequestSource } from './circuits.ts';
import { type Classify, compileClassify } from './classify.ts';
import { ClientTokens, type Token } from './client-tokens.ts';
import { Connections, type OutgoingRequest, responseBytesDefault } from './connections.ts';
import { outageOf, UpstreamFailure } from './failure.ts';
import { addHeaders } from './headers.ts';
import type { UpstreamSetup } from './options.ts';
import { replyOf } from './reply.ts';
import { compileRequest, type EncodeRequest } from './request.ts';
import { headersOfSession, keepCookies, type LoggedIn, type Session, Sessions } from './sessions.ts';
import { toToken } from './username-token.ts';

export interface Upstream {
  readonly name: string;
  /** Whether its last ten requests have failed. */
  readonly isDown: boolean;
  /** Whether it refuses the requests of all callers without a try. */
  readonly isRefusing: boolean;
  /** Requests on a connection, and those that wait for one. */
  readonly active: number;
  readonly waiting: number;
  /** Returns the handler of an operation, always the same one. Throws TypeError for an operation that its format cannot carry. */
  handler(service: Service, operation: Operation): RemoteHandler<unknown>;
  /** Lets requests end, for `msMax` at most, logs out, and refuses new requests. */
  close(msMax?: number): Promise<void>;
}

/** A request, and what is known for its operation. */
interface Call {
  readonly request: AnyRequest;
  readonly source: RequestSource;
  readonly key: string | undefined;
  readonly encode: EncodeRequest;
  readonly classify: Classify;
  /** Absent where all answers are in memory. */
  readonly spooling: Spooling | undefined;
}

/** Of retries to requests. */
const shareOfRequests = 0.1;
const tokensMax = 10;
const attemptsMax = 3;
const backoff = { firstMs: 50, maxMs: 1_000 } as const;
/** The gateway stops: it waits no longer for the answer to a log-out. */
const logOutMsMax = 2_000;
/** An attempt with less time left is of no use. */
const attemptMsMin = 50;

/** A session or a token has ended, and another one may be tried. */
class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

/** A share of the requests, so that retries never multiply the load of a failing upstream. */
class RetryBudget {
  #tokens = tokensMax;

  /** A request is sent for the first time. */
  add(): void {
    this.#tokens = Math.min(tokensMax, this.#tokens + shareOfRequests);
  }

  /** Whether a request may be sent again. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

export function createUpstream(setup: UpstreamSetup): Upstream {
  const { name, protocols, clock, report, timeouts, credentials, referenceHeader } = setup;
  const { responseBytesMax = responseBytesDefault } = setup;
  const { unknownMembers: onUnknown = 'keep' } = setup;
  const connections = new Connections(setup);
  const budget = new RetryBudget();
  const circuits = new Circuits({ clock, probeMsMax: timeouts.totalMs });
  const deduplicates = setup.key !== undefined;
  const carriesKey = deduplicates || setup.lookupHeader !== undefined;
  const reference = referenceHeader.toLowerCase();
  const sessions = setup.session && new Sessions(setup.session, (logIn) => sendOnce(logIn, timeouts.totalMs));
  const tokens = credentials.client && new ClientTokens(credentials.client, setup);

  async function attempt(
    { request, source, key, encode, classify, spooling }: Call,
    msMax: number,
  ): Promise<RemoteAnswer> {
    const startedAt = performance.now();
    const token = await tokens?.find(msMax);
    const session = await sessions?.find(request, msMax - (performance.now() - startedAt));
    const outgoing = await prepare(request, key, encode, { token, session });
    if (!circuits.tryAcquire(source)) throw new UpstreamFailure('circuitOpen', 'notSent');
    try {
      const spool = request.head?.spool;
      const large = spooling && spool && { spool, spooling, bytesMax: largeAnswerMax(request.operation) };
      const response = await connections.send(outgoing, msMax - (performance.now() - startedAt), large);
      if (setup.session !== undefined) keepCookies(session, response.headers, setup.session);
      const reply = replyOf(response, responseBytesMax);
      const { value, extras, ...answer } = classify(reply instanceof Promise ? await reply : reply);
      const { notUnderstood = [] } = answer;
      const unknownMembers = notUnderstood.length > 0 ? notUnderstood : answer.unknownMembers;
      if (unknownMembers.length > 0) {
        const { service, operation } = request;
        const names = { service: service.name, operation: operation.name, members: unknownMembers };
        report({ upstream: name, kind: 'unknownMembers', ...names });
        const isRefused = onUnknown === 'refuse' || (onUnknown === 'keep' && hasExtrasMember(operation));
        if (isRefused || notUnderstood.length > 0)
          throw new Problem('unknownMembers', describe('unknownMembers', unknownMembers.slice(0, namesMax).join(', ')));
      }
      finish(source);
      const requestReference = response.headers[reference];
      const sent = extras?.sent === undefined ? undefined : { members: [], sent: extras.sent };
      const kept = onUnknown === 'drop' ? sent : extras;
      return {
        output: value,
        ...(kept !== undefined && { extras: kept }),
        ...(requestReference !== undefined && { requestReference }),
      };
    } catch (thrown) {
      finish(source, thrown instanceof UpstreamFailure ? thrown : undefined);
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const { reason } = thrown;
      const isSessionOver = reason === 'sessionEnded' && session !== undefined && sessions?.end(session);
      const isTokenOver = reason === 'unauthorized' && token !== undefined && tokens?.end(token);
      throw isSessionOver || isTokenOver ? new SessionEnded(thrown) : thrown;
    }
  }

  /** Of a whole answer, where its large values are in files. */
  function largeAnswerMax({ output }: Operation): number {
    return setup.responseBytesMax ?? Math.max(responseBytesMax, bodyBytesOf([output]));
  }

  /** Sends the log-in or the log-out of a session, once. */
  async function sendOnce(request: AnyRequest, msMax: number, session?: Session): Promise<LoggedIn> {
    const { service, operation } = request;
    const protocol = protocolOf(setup, operation);
    const encode = compileRequest(setup, protocol, service, operation);
    const token = await tokens?.find(msMax);
    const outgoing = await prepare(request, undefined, encode, { token, session });
    const response = await connections.send(outgoing, msMax);
    const reply = await replyOf(response, responseBytesMax);
    const { value } = compileClassify(setup, protocol, service, operation)(reply);
    return { output: value, headers: response.headers };
  }

  /** Sends the log-out of a session that is open. Its failure is reported, and holds up nothing. */
  async function logOut(): Promise<void> {
    const open = sessions?.takeLogOut();
    if (open === undefined) return;
    try {
      await sendOnce(open.request, logOutMsMax, open.session);
    } catch (thrown) {
      const operation = open.request.operation.name;
      const isFailure = thrown instanceof UpstreamFailure;
      const reason = isFailure ? thrown.reason : 'unauthorized';
      const isSent = !isFailure || thrown.progress !== 'notSent';
      const detail = `logOut ${isFailure ? thrown.detail : thrown instanceof Problem ? thrown.status : ''}`.trim();
      report({ upstream: name, kind: 'failed', operation, reason, isSent, detail, isRetried: false });
    }
  }

  /** What fails here was not sent. */
  async function prepare(
    request: AnyRequest,
    key: string | undefined,
    encode: EncodeRequest,
    { token: own, session }: { readonly token: Token | undefined; readonly session?: Session | undefined },
  ): Promise<OutgoingRequest> {
    try {
      const found = credentials.find(request);
      const credential = found instanceof Promise ? await found : found;
      if (credential === undefined) throw noCredential();
      const { headers, token } = toToken(credential, request, setup);
      const outgoing = encode(request, key, { token, session: session?.values });
      const ofGateway = { ...own?.headers, ...(session && headersOfSession(session)) };
      const sent = { ...headers, ...ofGateway };
      addHeaders(outgoing.headers, request, sent, credentials.areForwarded === true ? ofGateway : sent);
      const inQuery = credentials.inQuery?.(request) ?? [];
      return inQuery.length === 0 ? outgoing : { ...outgoing, path: withPairs(outgoing.path, inQuery) };
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.type !== 'internal') throw thrown;
      throw new UpstreamFailure('notPrepared', 'notSent', { detail: errorCode(thrown), cause: thrown });
    }
  }

  /** Tells the circuits how a request ended, and reports where the upstream is down or up since. */
  function finish(source: RequestSource, failure?: UpstreamFailure): void {
    const wasDown = circuits.isDown;
    const outage = failure && outageOf(failure);
    if (outage === 'connection') circuits.failToConnect(source);
    else if (outage === 'request') circuits.fail(source);
    else if (failure?.progress === 'notSent') circuits.release(source);
    else circuits.succeed(source);
    if (circuits.isDown === wasDown) return;
    report(
      failure && !wasDown ? { upstream: name, kind: 'down', reason: failure.reason } : { upstream: name, kind: 'up' },
    );
  }

  /** Sends a read again, and a write whose effect the upstream has once. */
  async function send(call: Call): Promise<RemoteAnswer> {
    const { operation } = call.request;
    const mayRepeat = operation.effect === 'reads' || (deduplicates && call.key !== undefined);
    const deadline = performance.now() + timeouts.totalMs;
    budget.add();
    let unanswered: UpstreamFailure | undefined;
    let isRenewed = false;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(call, deadline - performance.now());
      } catch (caught) {
        const ended = caught instanceof SessionEnded ? caught.failure : undefined;
        const thrown = ended ?? caught;
        if (!(thrown instanceof UpstreamFailure)) throw outcomeAfter(unanswered, thrown);
        const { reason, progress, detail } = thrown;
        // The upstream has refused the session or the token, so it has done nothing. Another one is tried once, at once.
        const isRenewal = ended !== undefined && !isRenewed;
        const pauseMs = Math.max(backoffMs(attempts, backoff), (thrown.retryAfterSeconds ?? 0) * 1_000);
        const isRetried =
          isRenewal ||
          (mayRepeat &&
            attempts < attemptsMax &&
            isPassing(thrown) &&
            performance.now() + pauseMs + attemptMsMin < deadline &&
            budget.take());
        const isSent = isRenewal || progress !== 'notSent';
        report({ upstream: name, kind: 'failed', operation: operation.name, reason, isSent, detail, isRetried });
        if (!isRetried) throw outcomeAfter(unanswered, thrown);
        if (isRenewal) {
          isRenewed = true;
          continue;
        }
        if (operation.effect === 'writes' && progress === 'unknown') unanswered = thrown;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  const handlersOf = memoizeWeakly((service: Service) =>
    memoizeWeakly((operation: Operation) => {
      const protocol = protocolOf(setup, operation);
      const encode = compileRequest(setup, protocol, service, operation);
      const classify = compileClassify(setup, protocol, service, operation);
      const isRest = protocol === protocols.rest;
      const inMessages = spoolingOf([operation.output], setup.valueBytesMin);
      const spooling = isRest ? spoolingAtOwnPath(inMessages, operation, 'output') : inMessages;
      const isSigned = setup.soap?.security?.signature !== undefined;
      return Object.freeze<RemoteHandler<unknown>>({
        kind: 'remote',
        upstream: name,
        deduplicates,
        msMax: timeouts.totalMs,
        async forward(given, _context, key) {
          const { spool, sent } = given.head ?? {};
          // A signature is of the bytes.
          const needsBytes = isRest ? sent === undefined && !canStream(operation) : isSigned;
          const request = needsBytes && spool?.isUsed === true ? await withInputBytes(given) : given;
          try {
            const source = sourceOf(request);
            return await send({ request, source, key: carriesKey ? key : undefined, encode, classify, spooling });
          } catch (thrown) {
            throw thrown instanceof UpstreamFailure ? outcomeOf(thrown, operation, setup) : thrown;
          }
        },
      });
    }),
  );

  return {
    name,
    get isDown() {
      return circuits.isDown;
    },
    get isRefusing() {
      return circuits.isRefusing;
    },
    get active() {
      return connections.active;
    },
    get waiting() {
      return connections.waiting;
    },
    handler: (service, operation) => handlersOf(service)(operation),
    async close(msMax) {
      await logOut();
      await connections.close(msMax);
      await tokens?.close();
    },
  };

  function protocolOf({ format }: UpstreamSetup, operation: Operation): Protocol {
    return isBound(operation) || operation.upstream !== undefined ? protocols.rest : protocols[format];
  }
}

function withPairs(path: string, pairs: readonly (readonly [string, string])[]): string {
  const query = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** In a message. */
const namesMax = 5;

/** Two members of an answer would have one name. */
function hasExtrasMember({ output }: Operation): boolean {
  return Object.entries(output.fields).some(
    ([name, { json = name }]) => name === extrasMember || json === extrasMember,
  );
}

function noCredential(): Problem {
  return new Problem('notAllowed', undefined, { reason: 'noUpstreamCredential' });
}

/** A caller can make up a credential that the upstream decides about. */
function sourceOf({ caller, head }: AnyRequest): RequestSource {
  const { credential } = caller;
  return { credential, origin: 'rights' in caller ? addressGroup(head?.sender?.address ?? '') : credential };
}

/** Whether the same request may succeed a little later. */
function isPassing(failure: UpstreamFailure): boolean {
  const { reason } = failure;
  return (outageOf(failure) !== undefined && reason !== 'tls') || reason === 'busy' || reason === 'inProgress';
}

/** What idempotent execution receives for a failure. */
function outcomeOf(
  failure: UpstreamFailure,
  { effect }: Operation,
  { key, serverErrors = 'final' }: Pick<UpstreamSetup, 'key' | 'serverErrors'>,
): Error {
  const { reason, progress, message, cause, retryAfterSeconds } = failure;
  if (progress === 'notSent') return new NotSent(message, { cause: failure, retryAfterSeconds });
  if (progress === 'notDone') return refusedWithoutAnswer(failure);
  if (reason === 'spoolFull' && effect === 'reads')
    return new Problem('overloaded', undefined, { cause: failure, reason });
  // A status of success says that the request was executed. The answer would be as large for every retry.
  if ((reason === 'tooLarge' || reason === 'spoolFull') && failure.isSuccess)
    return new Problem('answerTooLarge', `${describe('answerTooLarge')} (${limitIn(failure)})`, {
      cause: failure,
      reason,
    });
  if (cause instanceof Problem && (reason === 'serverError' || reason === 'gatewayError' || reason === 'busy')) {
    if (effect === 'reads') return mayBeSentAgain(cause);
    if (reason === 'serverError' && serverErrors === 'final') return new ApplicationError(cause, { cause: failure });
    // For a write of an upstream that does not deduplicate, these words are no outcome.
    if (key !== undefined && cause.type === 'internal') return mayBeSentAgain(cause);
  }
  if (effect === 'writes') return new OutcomeUnknown(message, { cause: failure });
  const isLate =
    reason === 'headersTimeout' || reason === 'bodyTimeout' || reason === 'totalTimeout' || reason === 'reset';
  return new Problem(isLate ? 'unavailable' : 'badAnswer', undefined, { cause: failure, reason });
}

/** The limit that an answer is beyond: of its bytes, or of its contract. */
function limitIn({ detail, cause }: UpstreamFailure): string {
  const isByContract = cause === undefined || cause instanceof Problem;
  return isByContract && detail !== '' ? detail : 'responseBytesMax of the upstream';
}

/** What the last attempt of a write says, unless an earlier one may have had the effect. */
function outcomeAfter(unanswered: UpstreamFailure | undefined, thrown: unknown): unknown {
  if (unanswered === undefined) return thrown;
  if (thrown instanceof Problem) return new OutcomeUnknown(unanswered.message, { cause: unanswered, refusal: thrown });
  if (!(thrown instanceof UpstreamFailure)) return thrown;
  const { reason, progress, detail, cause } = thrown;
  // An error of the application says nothing of the earlier attempt.
  if (reason === 'serverError') return new UpstreamFailure('gatewayError', 'unknown', { detail, cause });
  return progress === 'unknown' ? thrown : unanswered;
}

/** The request had no effect, and what was received is no answer that a caller understands. */
function refusedWithoutAnswer(failure: UpstreamFailure): Problem {
  const kind = refusalOfUpstream({ status: 502, code: '701', type: 'configuration' });
  return new Problem(kind, 'The server behind the gateway refused the request', {
    cause: failure,
    reason: failure.reason,
  });
}
