/** Handles a request: every step, in order. */
import { addressGroup } from '../callers/limits/address-group.ts';
import type { FairTurns, Slot } from '../callers/limits/fair-turns.ts';
import type { AnyCaller, AnyRequest, RequestHead } from '../contract/canonical.ts';
import { presentedAt } from '../contract/credential-place.ts';
import type { Target } from '../formats/protocol.ts';
import { acceptedMessage, type WireRequest } from '../formats/wire.ts';
import type { ExecuteIdempotently } from '../idempotency/execute-idempotently.ts';
import { keyOf } from '../idempotency/idempotency-key.ts';
import type { ReadTransaction } from '../store/transaction.ts';
import { type Answer, type AnswerParts, answer, type RequestState, refuse } from './answer.ts';
import type { Authenticator, RequestOrigin } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { BodyLimit } from './body-limit.ts';
import { type Checks, noChecks } from './checks.ts';
import { decodeBody } from './decode-body.ts';
import { detect, requireReadable } from './detect.ts';
import type { HandlerContext } from './handler.ts';
import type { Composition, CurrentOperation } from './implement.ts';
import { type MessageAuthenticator, noMessages } from './message-security.ts';
import type { Routes } from './route.ts';

export interface Gateway extends AnswerParts {
  readonly routes: Routes;
  readonly current: Composition['current'];
  readonly authenticator: Authenticator;
  readonly messages: MessageAuthenticator;
  readonly turns: Pick<FairTurns, 'admit'>;
  readonly checks: Checks;
  readonly bodyLimit: BodyLimit | (() => undefined);
  readonly intercept: Interceptor;
  readonly executeIdempotently: ExecuteIdempotently<ReadTransaction, HandlerContext>;
}

/**
 * Stands around the execution of each request that is valid and authorized, for tests: `proceed` executes it and returns its
 * answer. What an interceptor throws is answered as if the handler had thrown it.
 */
export type Interceptor = (request: AnyRequest, protocol: string, proceed: () => Promise<Answer>) => Promise<Answer>;

const freeSlot: Slot = Object.freeze<Slot>({ acquire: () => undefined, release: () => {} });

type NeutralParts = 'messages' | 'turns' | 'checks' | 'bodyLimit' | 'intercept' | 'deprecations' | 'nameClient';

/** Parts of a gateway that reads no credentials in messages, limits and checks nothing more, has no deprecations and names no clients. */
export const neutralParts: Pick<Gateway, NeutralParts> = Object.freeze({
  messages: noMessages,
  turns: { admit: () => freeSlot },
  checks: noChecks,
  // The HTTP server limits all bodies.
  bodyLimit: () => undefined,
  intercept: (_request, _protocol, proceed) => proceed(),
  deprecations: { current: undefined },
  nameClient: () => undefined,
});

/** Never rejects: every refusal, down to the unforeseen, is an answer in the caller's own format. */
export async function handleRequest(wire: WireRequest, gateway: Gateway): Promise<Answer> {
  const request = begin(wire, gateway);
  let slot = freeSlot;
  try {
    wire.inspect(request.protocol.requiresHost);
    if (isHealthCheck(request)) request.caller = await gateway.authenticator.requireCredential(wire);
    request.target = request.route.target(wire.method);
    if (!request.detected.isUnidentified)
      requireReadable(request.detected, request.route, request.target, gateway.protocols);
    const { messages } = gateway;
    const isInMessage = messages.awaitsMessage(wire, request.protocol);
    if (!isInMessage) request.caller = await gateway.authenticator.authenticate(originOf(request));
    slot = gateway.turns.admit(turnKey(request.caller, wire));
    const body = await wire.body(gateway.bodyLimit(request.target.service));
    const turn = slot.acquire();
    if (turn !== undefined) await turn;
    request.decoded = decodeBody(body, request.target, request, gateway.protocols);
    if (!isInMessage) messages.check(request.header.security);
    request.caller ??= await messages.authenticate(originOf(request), request.header.security);
    for (const check of gateway.checks.decoded) check(request);
    request.key = keyOf(wire.headers, request.decoded);
    const current = gateway.current(request.decoded.operation);
    if (current.executor.isRemote) request.head = headOf(request, body, gateway);
    const canonical = authorize(request.decoded, current, request.caller, request);
    for (const check of gateway.checks.authorized) check(request);
    return await gateway.intercept(canonical, request.protocol.name, () =>
      execute(canonical, current, request, gateway),
    );
  } catch (thrown) {
    return refuse(request, thrown, gateway);
  } finally {
    slot.release();
  }
}

/** Finds the route, the format and the reference of a request. Always succeeds, so that every refusal has a format. */
function begin(wire: WireRequest, { routes, protocols, ids }: Gateway): RequestState {
  const route = routes.find(wire.path);
  const detected = detect(wire, route, protocols);
  const requestReference = ids.requestReference();
  return {
    wire,
    route,
    detected,
    requestId: wire.requestId ?? requestReference,
    protocol: detected.protocol,
    requestReference,
    target: undefined,
    caller: undefined,
    decoded: undefined,
    output: undefined,
    header: {},
    key: undefined,
    head: undefined,
    replayed: undefined,
  };
}

/** Executes a request once, and answers it in its own version and format. Throws the problem that it ended with. */
async function execute(
  canonical: AnyRequest,
  { executor, downgrade }: CurrentOperation,
  request: RequestState,
  gateway: Gateway,
): Promise<Answer> {
  const result = await gateway.executeIdempotently(canonical, executor);
  request.requestReference = result.requestReference;
  request.replayed = result.replayed;
  if (result.problem !== undefined) throw result.problem;
  const output = downgrade === undefined ? result.output : downgrade(result.output);
  const { protocol, decoded } = request;
  const { operation } = decoded!;
  request.output = output;
  const message = operation.oneWay
    ? acceptedMessage(`${protocol.mediaType};charset=utf-8`)
    : protocol.encode(operation, output, result.extras, decoded!.acceptsXop);
  return answer(request, message, gateway);
}

/** What identifies the caller to the upstream beside the usual headers: at a path of the upstream, whatever the query has besides parameters. */
function presentedIn({ service, operation }: Target, { wire, route }: RequestState): readonly string[] {
  const presented = presentedAt(service.credentials?.places ?? [], wire).filter((each) => each !== undefined);
  if (!route.isOwnPath || wire.query === '') return presented;
  const parameters = Object.entries(operation?.upstream?.parameters ?? {});
  const names = new Set(
    parameters.flatMap(([field, { in: location, name = field }]) => (location === 'query' ? [name] : [])),
  );
  const others = [...new URLSearchParams(wire.query)].filter(([name]) => !names.has(name.replace(/\[.*/s, '')));
  return [...presented, ...others.flat()];
}

/** What a caller is recognized by. */
function originOf(state: RequestState): RequestOrigin {
  const { headers, sender, certificate } = state.wire;
  const presented = state.target === undefined ? [] : presentedIn(state.target, state);
  return presented.length === 0 ? state.wire : { headers, sender, certificate, presented };
}

/** Health checks of old plugins send a GET without credentials, and expect 401. */
function isHealthCheck({ route, wire: { method } }: RequestState): boolean {
  return route.isServiceAddress === true && (method === 'GET' || method === 'HEAD');
}

/** A caller can make up a credential that an upstream decides about, and one that is not verified yet. */
function turnKey(caller: AnyCaller | undefined, { sender }: WireRequest): string {
  return caller === undefined || 'rights' in caller ? addressGroup(sender?.address ?? '') : caller.credential;
}

function headOf(
  { wire, route, protocol, header }: RequestState,
  body: Uint8Array,
  { protocols }: Gateway,
): RequestHead {
  const { headers, sender, requestId, traceparent, query } = wire;
  const isOwn = route.isOwnPath === true && protocol === protocols.rest;
  const sent = isOwn ? { query, contentType: headers['content-type'], body } : undefined;
  const token = header.security?.token;
  return { headers, sender, requestId, traceparent, query, ...(sent && { sent }), ...(token && { token }) };
}
