/** Handles a request: every step, in order. */
import type { NameClient } from '../callers/client-name.ts';
import type { CurrentDeprecations, Deprecation } from '../callers/deprecation.ts';
import { addressGroup } from '../callers/limits/address-group.ts';
import type { FairTurns, Visit } from '../callers/limits/fair-turns.ts';
import type { AnyCaller, AnyRequest, RequestHead } from '../contract/canonical.ts';
import { Problem, problems } from '../contract/problem.ts';
import { keyHeader, replayedHeader } from '../contract/retry.ts';
import type { Protocols } from '../formats/index.ts';
import type { Decoded, Protocol, Target } from '../formats/protocol.ts';
import type { Message, WireRequest } from '../formats/wire.ts';
import type { ExecuteIdempotently } from '../idempotency/execute-idempotently.ts';
import { isWeak, keyOf } from '../idempotency/idempotency-key.ts';
import type { IdGenerator } from '../lib/clock-and-ids.ts';
import type { ReadTransaction } from '../store/transaction.ts';
import type { Answer, LogEntry } from './answer.ts';
import type { Authenticator } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { decodeBody } from './decode-body.ts';
import { detect, refuseMedia } from './detect.ts';
import type { HandlerContext } from './handler.ts';
import type { Composition } from './implement.ts';
import { retryHeaders } from './retry-headers.ts';
import type { Routes } from './route.ts';
import type { ScanTexts } from './text-scan.ts';
import { toProblem } from './to-problem.ts';

export interface Gateway {
  readonly protocols: Protocols;
  readonly routes: Routes;
  readonly current: Composition['current'];
  readonly authenticator: Authenticator;
  readonly ids: IdGenerator;
  /** The response header with the reference of the request. */
  readonly requestReferenceHeader: string;
  readonly executeIdempotently: ExecuteIdempotently<ReadTransaction, HandlerContext>;
  readonly interceptor?: Interceptor | undefined;
  readonly deprecations?: CurrentDeprecations | undefined;
  /** Absent where no service knows secrets that texts may hold. */
  readonly scanTexts?: ScanTexts | undefined;
  /** Absent where nothing records or logs clients. */
  readonly nameClient?: NameClient | undefined;
  /** Absent where callers need not share the thread. */
  readonly turns?: FairTurns | undefined;
}

/**
 * Stands around the execution of each request that is valid and authorized, for tests: `proceed` executes it and returns its
 * answer. What an interceptor throws is answered as if the handler had thrown it.
 */
export type Interceptor = (request: AnyRequest, protocol: string, proceed: () => Promise<Answer>) => Promise<Answer>;

/** How far a request has come: what its answer's headers, a refusal and the log can tell of it. */
interface RequestState {
  readonly wire: WireRequest;
  /** Of the path. */
  readonly template: string;
  readonly requestId: string;
  /** In which the request is answered: that of the head, then that of the body. */
  protocol: Protocol;
  /** Of this request, until it turns out to repeat another. */
  requestReference: string;
  target?: Target;
  caller?: AnyCaller;
  visit?: Visit | undefined;
  decoded?: Decoded;
  key?: string | undefined;
  head?: RequestHead;
  replayed?: boolean;
}

/** Never rejects: every refusal, down to the unforeseen, is an answer in the caller's own format. */
export async function handleRequest(wire: WireRequest, gateway: Gateway): Promise<Answer> {
  const route = gateway.routes.find(wire.path);
  const detected = detect(wire, route, gateway.protocols);
  const requestReference = gateway.ids.requestReference();
  const state: RequestState = {
    wire,
    template: route.template,
    requestId: wire.requestId ?? requestReference,
    requestReference,
    protocol: detected.protocol,
  };
  try {
    wire.inspect(detected.protocol.requiresHost);
    // Health checks of old plugins send a GET without credentials, and expect 401.
    if (route.isServiceAddress && isRead(wire.method))
      state.caller = await gateway.authenticator.requireCredential(wire);
    state.target = route.target(wire.method);
    if (!detected.isReadable && !detected.isUnidentified)
      throw refuseMedia(detected, route, state.target, gateway.protocols);
    state.caller = await gateway.authenticator.authenticate(wire);
    state.visit = gateway.turns?.enter(turnKey(state.caller, wire));
    const body = await wire.body();
    const turn = state.visit?.turn();
    if (turn !== undefined) await turn;
    state.decoded = decodeBody(body, { wire, route, target: state.target, detected }, gateway.protocols, state);
    refuseDeprecated(state, gateway);
    state.key = keyOf(wire.headers, state.decoded);
    const { operation } = state.decoded;
    const current = gateway.current(operation);
    if (current.executor.isRemote) state.head = headOf(wire);
    const request = authorize(state.decoded, current, state.caller, state);
    gateway.scanTexts?.(state.decoded, state.caller.credential);
    const proceed = async (): Promise<Answer> => {
      const result = await gateway.executeIdempotently(request, current.executor);
      state.requestReference = result.requestReference;
      state.replayed = result.replayed;
      if (result.problem !== undefined) throw result.problem;
      const output = current.downgrade === undefined ? result.output : current.downgrade(result.output);
      return answer(gateway, state, state.protocol.encode(operation, output, result.extras));
    };
    return gateway.interceptor === undefined
      ? await proceed()
      : await gateway.interceptor(request, state.protocol.name, proceed);
  } catch (thrown) {
    try {
      return refusal(gateway, state, toProblem(thrown));
    } catch (cause) {
      return refusal(gateway, state, new Problem('internal', undefined, { cause }));
    }
  } finally {
    state.visit?.leave();
  }
}

function headOf({ headers, sender, requestId, traceparent }: WireRequest): RequestHead {
  return { headers, sender, requestId, traceparent };
}

/** A caller can make up a credential that an upstream decides about. */
function turnKey(caller: AnyCaller, { sender }: WireRequest): string {
  return 'rights' in caller ? addressGroup(sender?.address ?? '') : caller.credential;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function refusal(gateway: Gateway, state: RequestState, problem: Problem): Answer {
  if (problem.requestReference !== undefined) state.requestReference = problem.requestReference;
  const message = state.protocol.encodeError(problem, {
    requestReference: state.requestReference,
    operation: operationOf(state),
    service: state.target?.service,
  });
  return answer(gateway, state, message, problem);
}

function answer(gateway: Gateway, state: RequestState, encoded: Message, problem?: Problem): Answer {
  const { protocol, requestReference, target, caller, key, replayed, wire } = state;
  const deprecation = findDeprecation(state, gateway);
  // Stacks show the body of such a refusal as it is, and gSOAP only its first characters.
  const notice = problem?.kind.keepsStatus ? undefined : deprecation?.notice;
  const message = notice === undefined ? encoded : (protocol.addNotice?.(encoded, notice) ?? encoded);
  const headers: Record<string, string> = {
    ...message.headers,
    [gateway.requestReferenceHeader]: requestReference,
    ...deprecation?.headers,
  };
  if (key !== undefined) headers[keyHeader] = key;
  if (replayed) headers[replayedHeader] = 'true';
  if (problem !== undefined) {
    const isHarmless = key !== undefined || operationOf(state)?.effect === 'reads';
    Object.assign(headers, retryHeaders(problem, isHarmless));
  }
  return {
    message: { ...message, headers },
    decoded: state.decoded,
    entry: {
      protocol: protocol.name,
      path: state.template,
      service: target?.service.name,
      version: target?.service.version,
      requestedVersion: requestedVersionOf(state),
      operation: operationOf(state)?.name,
      credential: caller?.credential,
      tenant: caller?.tenant,
      account: accountOf(state),
      client: gateway.nameClient?.(wire.headers, protocol.name),
      requestReference,
      requestId: state.requestId,
      replayed,
      weakKey: key === undefined ? undefined : isWeak(key),
      outcome: problem?.problem ?? 'ok',
      problem,
      deprecation: deprecation && effectOf(deprecation, problem),
    },
  };
}

/** Throws the refusal of a call that is switched off for a while, or for good. */
function refuseDeprecated(state: RequestState, gateway: Gateway): void {
  const refusal = findDeprecation(state, gateway)?.refusal;
  if (refusal !== undefined) throw refusal;
}

/** By what is known of the request. */
function findDeprecation(state: RequestState, { deprecations }: Gateway): Deprecation | undefined {
  return deprecations?.current?.find({
    format: state.protocol.name,
    service: state.target?.service.name,
    version: requestedVersionOf(state),
    operation: operationOf(state)?.name,
    credential: state.caller?.credential,
  });
}

function effectOf({ notice }: Deprecation, problem: Problem | undefined): LogEntry['deprecation'] {
  if (notice === undefined) return 'exempt';
  return problem?.kind === problems.brownOut || problem?.kind === problems.retired ? 'refused' : 'announced';
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

function operationOf({ decoded, target }: RequestState) {
  return (decoded ?? target)?.operation;
}
