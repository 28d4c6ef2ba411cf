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
import type { Answer } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { detect } from './detect.ts';
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
  readonly executeIdempotently: ExecuteIdempotently;
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
  const progress: RequestState = { requestReference: gateway.ids.requestReference() };
  const route = gateway.routes.find(wire.path);
  const { protocol, media, understood } = detect(wire, route, gateway.protocols);
  try {
    wire.inspect();
    progress.target = route.target(wire.method);
    if (!understood) throw new Problem('unsupportedMedia');
    progress.caller = await authenticate(wire.headers, gateway.credentials);
    progress.decoded = protocol.decode(await wire.body(), media, progress.target, wire);
    progress.key = keyOf(wire.headers, progress.decoded);
    const current = gateway.current(progress.decoded.operation);
    const request = authorize(progress.decoded, current, progress.caller, progress);
    const performed = await gateway.executeIdempotently(request);
    progress.requestReference = performed.requestReference;
    progress.replayed = performed.replayed;
    if (performed.problem !== undefined) throw performed.problem;
    return answer(
      gateway,
      protocol.name,
      progress,
      protocol.encode(progress.decoded.operation, current.downgrade(performed.output)),
    );
  } catch (thrown) {
    const problem = toProblem(thrown);
    const message = protocol.encodeError(problem, {
      requestReference: progress.requestReference,
      operation: operationOf(progress),
    });
    return answer(gateway, protocol.name, progress, message, problem);
  }
}

function answer(
  { requestReferenceHeader: header }: Gateway,
  protocol: string,
  progress: RequestState,
  message: Message,
  problem?: Problem,
): Answer {
  const { requestReference, target, caller, key, replayed } = progress;
  const headers: Record<string, string> = { ...message.headers, [header]: requestReference };
  if (key !== undefined) headers[keyHeader] = key;
  if (replayed) headers[replayedHeader] = 'true';
  if (problem !== undefined) Object.assign(headers, retryHeaders(problem, progress));
  return {
    message: { ...message, headers },
    entry: {
      protocol,
      service: target?.service.name,
      version: target?.service.version,
      operation: operationOf(progress)?.name,
      credential: caller?.credential,
      company: caller?.tenant,
      requestReference,
      replayed,
      weakKey: key === undefined ? undefined : isWeak(key),
      outcome: problem?.problem ?? 'ok',
      problem,
    },
  };
}

/** The headers that say whether the request may be sent again (wire practice); none where neither answer is certain. */
function retryHeaders({ kind }: Problem, progress: RequestState): Readonly<Record<string, string>> {
  // What failed in an unforeseen way may have had its effect: with a key the retry finds it, and without one it repeats it.
  const harmless = progress.key !== undefined || operationOf(progress)?.effect === 'reads';
  const transient = kind === problems.internal && harmless ? true : kind.transient;
  if (transient === undefined) return {};
  return transient ? { [transientHeader]: 'true', 'Retry-After': '1' } : { [transientHeader]: 'false' };
}

function operationOf({ decoded, target }: RequestState) {
  return (decoded ?? target)?.operation;
}
