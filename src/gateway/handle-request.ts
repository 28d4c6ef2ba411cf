/** Handles a request: every step, in order. */
import type { Caller } from '../contract/canonical.ts';
import { Problem, problems } from '../contract/problem.ts';
import { keyHeader, replayedHeader, transientHeader } from '../contract/retry.ts';
import type { Protocols } from '../formats/index.ts';
import type { Decoded, Target } from '../formats/protocol.ts';
import type { Message, WireRequest } from '../formats/wire.ts';
import type { ExecuteIdempotently } from '../idempotency/execute-idempotently.ts';
import { isWeak, keyOf } from '../idempotency/idempotency-key.ts';
import type { IdGenerator } from '../lib/clock-and-ids.ts';
import type { Credentials } from '../store/sql/credentials.ts';
import type { ReadTransaction } from '../store/transaction.ts';
import type { Answer } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { detect } from './detect.ts';
import type { HandlerContext } from './handler.ts';
import type { Composition } from './implement.ts';
import type { Routes } from './route.ts';
import { toProblem } from './to-problem.ts';

export interface Gateway {
  readonly protocols: Protocols;
  readonly routes: Routes;
  readonly current: Composition['current'];
  readonly credentials: Credentials;
  readonly ids: IdGenerator;
  /** The response header with the reference of the request. */
  readonly requestReferenceHeader: string;
  readonly executeIdempotently: ExecuteIdempotently<ReadTransaction, HandlerContext>;
}

/** How far a request has come: what its answer's headers, a refusal and the log can tell of it. */
interface RequestState {
  /** Of this request, until it turns out to repeat another. */
  requestReference: string;
  target?: Target;
  caller?: Caller;
  decoded?: Decoded;
  key?: string | undefined;
  replayed?: boolean;
}

/** Never rejects: every refusal, down to the unforeseen, is an answer in the caller's own format. */
export async function handleRequest(wire: WireRequest, gateway: Gateway): Promise<Answer> {
  const state: RequestState = { requestReference: gateway.ids.requestReference() };
  const route = gateway.routes.find(wire.path);
  const { protocol, media, isReadable } = detect(wire, route, gateway.protocols);
  try {
    wire.inspect(protocol.requiresHost === true);
    state.target = route.target(wire.method);
    if (!isReadable) throw new Problem('unsupportedMedia');
    state.caller = await authenticate(wire.headers, gateway.credentials);
    state.decoded = protocol.decode(await wire.body(), media, state.target, wire);
    state.key = keyOf(wire.headers, state.decoded);
    const current = gateway.current(state.decoded.operation);
    const request = authorize(state.decoded, current, state.caller, state);
    const result = await gateway.executeIdempotently(request, current.handler);
    state.requestReference = result.requestReference;
    state.replayed = result.replayed;
    if (result.problem !== undefined) throw result.problem;
    const output = current.downgrade === undefined ? result.output : current.downgrade(result.output);
    return answer(gateway, protocol.name, state, protocol.encode(state.decoded.operation, output));
  } catch (thrown) {
    const problem = toProblem(thrown);
    const message = protocol.encodeError(problem, {
      requestReference: state.requestReference,
      operation: operationOf(state),
      service: state.target?.service,
    });
    return answer(gateway, protocol.name, state, message, problem);
  }
}

function answer(
  { requestReferenceHeader: header }: Gateway,
  protocol: string,
  state: RequestState,
  message: Message,
  problem?: Problem,
): Answer {
  const { requestReference, target, caller, key, replayed } = state;
  const headers: Record<string, string> = { ...message.headers, [header]: requestReference };
  if (key !== undefined) headers[keyHeader] = key;
  if (replayed) headers[replayedHeader] = 'true';
  if (problem !== undefined) Object.assign(headers, retryHeaders(problem, state));
  return {
    message: { ...message, headers },
    entry: {
      protocol,
      service: target?.service.name,
      version: target?.service.version,
      operation: operationOf(state)?.name,
      credential: caller?.credential,
      tenant: caller?.tenant,
      requestReference,
      replayed,
      weakKey: key === undefined ? undefined : isWeak(key),
      outcome: problem?.problem ?? 'ok',
      problem,
    },
  };
}

/** The headers that say whether the request may be sent again (wire practice); none where neither answer is certain. */
function retryHeaders({ kind }: Problem, state: RequestState): Readonly<Record<string, string>> {
  // What failed in an unforeseen way may have had its effect: with a key the retry finds it, and without one it repeats it.
  const harmless = state.key !== undefined || operationOf(state)?.effect === 'reads';
  const transient = kind === problems.internal && harmless ? true : kind.transient;
  if (transient === undefined) return {};
  return transient ? { [transientHeader]: 'true', 'Retry-After': '1' } : { [transientHeader]: 'false' };
}

function operationOf({ decoded, target }: RequestState) {
  return (decoded ?? target)?.operation;
}
