/** The answer to a request: the message for the caller, and the entry for its observers. */
import {
  type AnyCaller,
  keyHeader,
  keyPattern,
  mayRetry,
  type Operation,
  Problem,
  problems,
  type RequestHead,
  replayedHeader,
  transientHeader,
} from '../contract/index.ts';
import type {
  Decoded,
  Leniency,
  Message,
  MessageHeader,
  Protocol,
  Protocols,
  Target,
  WireRequest,
} from '../formats/index.ts';
import { isReference, isWeak, LockTimeout } from '../idempotency/index.ts';
import { type IdGenerator, Unavailable } from '../lib/index.ts';
import type { CurrentDeprecations, Deprecation } from './deprecations.ts';
import type { Detected } from './detect.ts';
import type { Route } from './route.ts';
import { forSharedCaches } from './shared-caches.ts';

/** Names and numbers only: never a body, a field's text or a secret. */
export interface LogEntry {
  readonly protocol: string;
  /** The path as a template: names in braces stand for fields, and `*` for what no address of this server has. */
  readonly path?: string | undefined;
  /** Absent where the request did not get far enough to tell. */
  readonly service?: string | undefined;
  /** The version in the path, as served: the contract's. */
  readonly version?: number | undefined;
  /** As the caller wrote it in the path; absent where the path has none. */
  readonly requestedVersion?: number | undefined;
  readonly operation?: string | undefined;
  readonly credential?: string | undefined;
  readonly tenant?: string | undefined;
  /** The first field of a valid input whose value a grant must hold. The value is text of the caller. */
  readonly account?: { readonly field: string; readonly value: string } | undefined;
  /** What the client calls itself, in few printable characters. */
  readonly client?: string | undefined;
  readonly requestReference: string;
  /** The X-Request-Id of the caller, or the reference that this request had before it turned out to repeat another. */
  readonly requestId?: string | undefined;
  /** The answer was an earlier request's, found by its Idempotency-Key. */
  readonly replayed?: boolean | undefined;
  /** The Idempotency-Key is so short that another caller may choose the same. */
  readonly weakKey?: boolean | undefined;
  /** `ok`, or the name of the problem. */
  readonly outcome: string;
  readonly problem?: Problem | undefined;
  /** The call is deprecated: its caller was informed, was refused, or is exempt. */
  readonly deprecation?: 'announced' | 'refused' | 'exempt' | undefined;
  /** What the request needed to be read; absent where that is nothing. */
  readonly leniencies?: readonly Leniency[] | undefined;
}

export interface Answer {
  readonly message: Message;
  readonly entry: LogEntry;
  /** The request in canonical form; absent where it did not get that far. */
  readonly decoded?: Decoded | undefined;
  /** In canonical form, in the version of the caller; absent for a refusal. */
  readonly output?: unknown;
  /** The connection is closed instead of a response, as a test has asked. */
  readonly dropsConnection?: true;
}

/** How far a request has come: what its checks, its answer and the log can tell of it. */
export interface RequestState {
  readonly wire: WireRequest;
  readonly route: Route;
  /** By the head, and by the body where that alone says what it is. */
  detected: Detected;
  readonly requestId: string;
  /** In which the request is answered: that of the head, then that of the body. */
  protocol: Protocol;
  /** Of this request, until it turns out to repeat another. */
  requestReference: string;
  target: Target | undefined;
  caller: AnyCaller | undefined;
  decoded: Decoded | undefined;
  output: unknown;
  /** Filled in when the body is decoded. */
  readonly header: MessageHeader;
  key: string | undefined;
  /** Present where another server answers the operation. */
  head: RequestHead | undefined;
  replayed: boolean | undefined;
}

/** What answers need of the gateway. */
export interface AnswerParts {
  readonly protocols: Protocols;
  readonly ids: Pick<IdGenerator, 'requestReference'>;
  /** The response header with the reference of the request. */
  readonly requestReferenceHeader: string;
  readonly deprecations: CurrentDeprecations;
  /** Returns undefined where clients are not named. */
  readonly nameClient: (headers: WireRequest['headers'], format: string) => string | undefined;
}

/** Adds the headers and the entry of an answer to its message. */
export function answer(state: RequestState, encoded: Message, parts: AnswerParts, problem?: Problem): Answer {
  const { protocol, decoded } = state;
  const deprecation = findDeprecation(state, parts.deprecations);
  // Stacks show the body of such a refusal as it is, and gSOAP only its first characters.
  const notice = problem?.kind.keepsStatus ? undefined : deprecation?.notice;
  const noticed =
    notice === undefined || encoded.body === '' ? encoded : (protocol.addNotice?.(encoded, notice) ?? encoded);
  const message = noticed.body === '' ? noticed : (state.header.relate?.(noticed, problem) ?? noticed);
  const headers = headersOf(state, message, parts, deprecation, problem);
  return {
    message: { ...message, headers },
    decoded,
    // A refusal has none, even where the operation had answered and its answer could not be written.
    output: problem === undefined ? state.output : undefined,
    entry: entryOf(state, parts, deprecation, problem),
  };
}

/** Refuses a request in its own format, for whatever was thrown. Never throws. */
export function refuse(state: RequestState, thrown: unknown, parts: AnswerParts): Answer {
  try {
    return refusal(state, toProblem(thrown), parts);
  } catch (cause) {
    return refusal(state, new Problem('internal', undefined, { cause }), parts);
  }
}

/**
 * Returns the answer where one could not be written: an internal problem, in the format of the caller. `thrown`: by the writing.
 * Returns undefined where the format is not known.
 */
export function encodeFailure(
  { message, entry, decoded }: Answer,
  thrown: unknown,
  { protocols, ids, requestReferenceHeader }: AnswerParts,
): Answer | undefined {
  const protocol = Object.values(protocols).find(({ name }) => name === entry.protocol);
  if (protocol === undefined) return undefined;
  const problem = new Problem('internal', undefined, { cause: thrown });
  // The reference, or the key, may be what cannot be written.
  const requestReference = isReference(entry.requestReference) ? entry.requestReference : ids.requestReference();
  const operation = decoded?.operation;
  const key = message.headers[keyHeader];
  const isHarmless = key !== undefined || operation?.effect === 'reads';
  const encoded = protocol.encodeError(problem, { requestReference, operation, isHarmless });
  const headers = {
    ...encoded.headers,
    [requestReferenceHeader]: requestReference,
    ...(key !== undefined && validKey.test(key) && { [keyHeader]: key }),
    ...retryHeaders(problem, isHarmless),
  };
  return {
    message: { ...encoded, headers },
    decoded,
    entry: { ...entry, requestReference, replayed: undefined, outcome: problem.problem, problem },
  };
}

const validKey = new RegExp(`^${keyPattern}$`);

/** Turns anything thrown while a request is handled into a problem that may be shown. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Unavailable) return new Problem('unavailable', undefined, { cause: thrown });
  if (thrown instanceof LockTimeout) return new Problem('inProgress', undefined, { cause: thrown });
  return Problem.from(thrown);
}

/** Finds the deprecation of a request by what is known of it. */
export function findDeprecation(state: RequestState, { current }: CurrentDeprecations): Deprecation | undefined {
  return current?.find({
    format: state.protocol.name,
    service: state.target?.service.name,
    version: requestedVersionOf(state),
    operation: operationOf(state)?.name,
    credential: state.caller?.credential,
  });
}

function refusal(state: RequestState, problem: Problem, parts: AnswerParts): Answer {
  if (problem.requestReference !== undefined) state.requestReference = problem.requestReference;
  const { requestReference, target } = state;
  const operation = operationOf(state);
  const context = { requestReference, operation, service: target?.service, isHarmless: isHarmless(state) };
  return answer(state, state.protocol.encodeError(problem, context), parts, problem);
}

function headersOf(
  state: RequestState,
  message: Message,
  { requestReferenceHeader }: AnswerParts,
  deprecation: Deprecation | undefined,
  problem: Problem | undefined,
): Readonly<Record<string, string>> {
  const { requestReference, key, replayed } = state;
  const headers: Record<string, string> = {
    ...message.headers,
    [requestReferenceHeader]: requestReference,
    ...deprecation?.headers,
  };
  if (key !== undefined) headers[keyHeader] = key;
  if (replayed) headers[replayedHeader] = 'true';
  if (problem !== undefined) Object.assign(headers, retryHeaders(problem, isHarmless(state)));
  return state.route.isOwnPath ? forSharedCaches(withoutDoubles(headers), state) : headers;
}

/** A server may send what the gateway sends itself: the last header of each name counts. */
function withoutDoubles(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const last = new Map(Object.entries(headers).map((each) => [each[0].toLowerCase(), each]));
  return Object.fromEntries(last.values());
}

function isHarmless(state: RequestState): boolean {
  return state.key !== undefined || operationOf(state)?.effect === 'reads';
}

function entryOf(
  state: RequestState,
  { nameClient }: AnswerParts,
  deprecation: Deprecation | undefined,
  problem: Problem | undefined,
): LogEntry {
  const { protocol, requestReference, target, caller, key, wire } = state;
  return {
    protocol: protocol.name,
    path: state.route.template,
    service: target?.service.name,
    version: target?.service.version,
    requestedVersion: requestedVersionOf(state),
    operation: operationOf(state)?.name,
    credential: caller?.credential,
    tenant: caller?.tenant,
    account: accountOf(state),
    client: nameClient(wire.headers, protocol.name),
    requestReference,
    requestId: state.requestId,
    replayed: state.replayed,
    weakKey: key === undefined ? undefined : isWeak(key),
    outcome: problem?.problem ?? 'ok',
    problem,
    deprecation: deprecation && effectOf(deprecation, problem),
    leniencies: usedLeniencies(state),
  };
}

/** The headers that say whether a refused request may be sent again (wire practice); none where neither answer is certain. */
function retryHeaders(problem: Problem, isHarmless: boolean): Readonly<Record<string, string>> {
  const isTransient = mayRetry(problem, isHarmless);
  if (isTransient === undefined) return {};
  return isTransient
    ? { [transientHeader]: 'true', 'Retry-After': String(problem.retryAfterSeconds) }
    : { [transientHeader]: 'false' };
}

function effectOf({ notice }: Deprecation, problem: Problem | undefined): LogEntry['deprecation'] {
  if (notice === undefined) return 'exempt';
  return problem?.kind === problems.brownOut || problem?.kind === problems.retired ? 'refused' : 'announced';
}

function usedLeniencies({ route, detected, decoded }: RequestState): LogEntry['leniencies'] {
  const used = [route.leniency, detected.leniency, ...(decoded?.leniencies ?? [])].filter((each) => each !== undefined);
  return used.length === 0 ? undefined : used;
}

/** An address of before versions names none. */
function requestedVersionOf({ target }: RequestState): number | undefined {
  return target?.isUnversioned ? undefined : target?.version;
}

function accountOf({ decoded }: RequestState): LogEntry['account'] {
  if (decoded === undefined || decoded.issues.length > 0) return undefined;
  const [granted] = decoded.operation.grants;
  const value = granted && (decoded.input as Readonly<Record<string, unknown>>)[granted.field];
  return value === undefined ? undefined : { field: granted!.field, value: String(value) };
}

function operationOf({ decoded, target }: RequestState): Operation | undefined {
  return (decoded ?? target)?.operation;
}
