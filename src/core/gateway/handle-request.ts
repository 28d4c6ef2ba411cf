/** Handles a request: every step, in order. */
import type { Buffer } from 'node:buffer';
import { type AnyCaller, type AnyRequest, presentedAt, type RequestHead } from '../contract/index.ts';
import {
  acceptedMessage,
  type Decoded,
  type Message,
  spoolingAtOwnPath,
  type Target,
  type WireRequest,
} from '../formats/index.ts';
import { type ExecuteIdempotently, executorAfter, keyOf, type ReadingTransaction } from '../idempotency/index.ts';
import { addressGroup, matchesEntityTag } from '../lib/index.ts';
import { withInputBytes } from '../spool/index.ts';
import { type Answer, type AnswerParts, answer, type RequestState, refuse } from './answer.ts';
import type { Authenticator, RequestOrigin } from './authentication.ts';
import { type MessageAuthenticator, noMessages } from './authentication.ts';
import { authorize } from './authorize.ts';
import type { BodyLimit } from './body-limit.ts';
import { type Checks, noChecks } from './checks.ts';
import type { Composition, CurrentOperation } from './compose.ts';
import { decodeBody } from './decode-body.ts';
import { detect, requireReadable } from './detect.ts';
import type { HandlerContext } from './handler-context.ts';
import type { Routes } from './route.ts';
import type { Slot, Turns } from './turns.ts';

/** What handles requests, whatever the store. */
interface GatewayParts extends AnswerParts {
  readonly routes: Routes;
  readonly authenticator: Authenticator;
  readonly messages: MessageAuthenticator;
  readonly turns: Turns;
  readonly checks: Checks;
  readonly bodyLimit: BodyLimit | (() => undefined);
  readonly intercept: Interceptor;
}

/** `R`: the read transaction of the store, which handlers get. */
export interface Gateway<R> extends GatewayParts {
  readonly current: Composition<R>['current'];
  readonly executeIdempotently: ExecuteIdempotently<R, HandlerContext>;
}

/**
 * Stands around the execution of each request that is valid and authorized, for tests: `proceed` executes it and returns its
 * answer. It awaits `beforeEffect` when the key of the request is reserved, and not for a replay. What an interceptor throws is answered
 * as if the handler had thrown it.
 */
export type Interceptor = (
  request: AnyRequest,
  protocol: string,
  proceed: (beforeEffect?: () => Promise<void>) => Promise<Answer>,
) => Promise<Answer>;

const freeSlot: Slot = Object.freeze<Slot>({ acquire: () => undefined, release: () => {} });

type NeutralParts = 'messages' | 'turns' | 'checks' | 'bodyLimit' | 'intercept' | 'deprecations' | 'nameClient';

/** Parts of a gateway that reads no credentials in messages, limits and checks nothing more, has no deprecations and names no clients. */
export const neutralParts: Pick<GatewayParts, NeutralParts> = Object.freeze({
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
export async function handleRequest<R extends ReadingTransaction>(
  wire: WireRequest,
  gateway: Gateway<R>,
): Promise<Answer> {
  const request = begin(wire, gateway);
  let slot = freeSlot;
  try {
    const target = await findTarget(request, gateway);
    request.caller = await authenticateHead(request, gateway);
    slot = gateway.turns.admit(turnKey(request.caller, wire));
    const body = await readBody(request, target, gateway);
    await slot.acquire();
    request.decoded = decodeBody(body, target, request, gateway.protocols);
    request.caller = await authenticateMessage(request, gateway);
    gateway.checks.decoded(request);
    request.key = keyOf(wire, request.decoded);
    const current = findCurrent(request.decoded, body, request, gateway);
    const decoded = await inMemory(request.decoded, request, current);
    const canonical = authorize(decoded, current, request.caller, request);
    gateway.checks.authorized(request);
    return await execute(canonical, current, request, gateway);
  } catch (thrown) {
    return refuse(request, thrown, gateway);
  } finally {
    slot.release();
  }
}

function readBody(
  { wire, protocol }: RequestState,
  { service, operation }: Target,
  { protocols, bodyLimit }: GatewayParts,
): Promise<Buffer> {
  const { bytesMax, spooling } = bodyLimit(service) ?? {};
  const isOwn = protocol === protocols.rest && operation !== undefined;
  return wire.body(bytesMax, isOwn ? spoolingAtOwnPath(spooling, operation, 'input') : spooling);
}

/** A handler of this program reads large values, too. */
function inMemory(
  decoded: Decoded,
  { wire }: RequestState,
  { executor }: CurrentOperation<never>,
): Decoded | Promise<Decoded> {
  return executor.isRemote || wire.hasLargeValues !== true ? decoded : withInputBytes(decoded);
}

/** Finds the route, the format and the reference of a request. Always succeeds, so that every refusal has a format. */
function begin(wire: WireRequest, { routes, protocols, ids }: GatewayParts): RequestState {
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

/** Finds what the address names, and requires a head that can be read. */
async function findTarget(request: RequestState, { authenticator, protocols }: GatewayParts): Promise<Target> {
  const { wire, route, detected } = request;
  wire.inspect(request.protocol.requiresHost);
  if (isHealthCheck(request)) request.caller = await authenticator.requireCredential(wire);
  const target = route.target(wire.method);
  request.target = target;
  if (!detected.isUnidentified) requireReadable(detected, route, target, protocols);
  return target;
}

/** Resolves undefined where the credential may be in the message. */
function authenticateHead(
  request: RequestState,
  { authenticator, messages }: GatewayParts,
): Promise<AnyCaller> | undefined {
  const isInMessage = messages.awaitsMessage(request.wire, request.protocol);
  return isInMessage ? undefined : authenticator.authenticate(originOf(request));
}

/** A caller that its head has proved sends no credential in its message. */
function authenticateMessage(request: RequestState, { messages }: GatewayParts): AnyCaller | Promise<AnyCaller> {
  const { caller, header } = request;
  if (caller === undefined) return messages.authenticate(originOf(request), header.security);
  messages.check(header.security);
  return caller;
}

/** The operation of the newest version. Another server that answers it gets the head. */
function findCurrent<R extends ReadingTransaction>(
  decoded: Decoded,
  body: Uint8Array,
  request: RequestState,
  gateway: Gateway<R>,
): CurrentOperation<R> {
  const current = gateway.current(decoded.operation);
  if (current.executor.isRemote) request.head = headOf(request, body, gateway);
  return current;
}

/** Executes a request once, and answers it in its own version and format. Throws the problem that it ended with. */
function execute<R extends ReadingTransaction>(
  canonical: AnyRequest,
  { executor, downgrade }: CurrentOperation<R>,
  request: RequestState,
  gateway: Gateway<R>,
): Promise<Answer> {
  return gateway.intercept(canonical, request.protocol.name, async (beforeEffect) => {
    const used = beforeEffect === undefined ? executor : executorAfter(beforeEffect, executor);
    const result = await gateway.executeIdempotently(canonical, used);
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
    return answer(request, isUnchanged(request, message) ? { ...message, status: 304, body: '' } : message, gateway);
  });
}

/** Whether a caller who reads has the state that the answer is of. The headers of another server are its own matter. */
function isUnchanged({ wire, decoded }: RequestState, { headers: { ETag } }: Message): boolean {
  const { operation } = decoded!;
  const isOwn = operation.effect === 'reads' && operation.upstream === undefined;
  return isOwn && ETag !== undefined && matchesEntityTag(wire.headers['if-none-match'], ETag);
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
  { wire, route, protocol, header, detected }: RequestState,
  body: Uint8Array,
  { protocols }: GatewayParts,
): RequestHead {
  const { headers, sender, requestId, traceparent, query } = wire;
  const isOwn = route.isOwnPath === true && protocol === protocols.rest;
  const isForm = detected.leniency === 'json-as-form';
  const sent = isOwn ? { query, contentType: isForm ? detected.media.type : headers['content-type'], body } : undefined;
  const token = header.security?.token;
  const spool = wire.spool;
  return { headers, sender, requestId, traceparent, query, spool, ...(sent && { sent }), ...(token && { token }) };
}
