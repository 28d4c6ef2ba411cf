/** The headers of a request to an upstream: our own ones, and what is passed on of the caller's. */
import {
  type AnyRequest,
  isJsonType,
  type Operation,
  placeCredentials,
  type RequestHead,
} from '../core/contract/index.ts';
import type { Call, Protocol } from '../core/formats/index.ts';
import { createTraceparent, parseTraceparent } from '../core/lib/index.ts';
import type { Headers } from './options.ts';
import { headerOfToken } from './username-token.ts';

const userAgent = 'triglyph';

/** The headers of every request of an operation in a format, names and values in turn. */
export function fixedHeaders({ upstream }: Protocol, operation: Operation): readonly string[] {
  const { type } = operation.upstream?.answer ?? {};
  const accept = type === undefined || isJsonType(type) ? upstream.accept : `${type}, */*;q=0.5`;
  return ['user-agent', userAgent, 'accept', accept];
}

/** Adds the headers of the encoded request. */
export function addCallHeaders(headers: string[], { upstream }: Protocol, call: Call): void {
  const { contentType, headers: own, body } = call;
  if (body !== '')
    headers.push('content-type', upstream.declaresCharset ? `${contentType};charset=utf-8` : contentType);
  const further = upstream.headers?.(call);
  for (const each in further) headers.push(each, further[each]!);
  for (const each in own) putHeader(headers, each, own[each]!);
}

/** Adds a header, in the place of one with its name. `headers`: names and values in turn. */
export function putHeader(headers: string[], name: string, value: string): void {
  const at = placeOf(headers, name);
  if (at === -1) headers.push(name, value);
  else headers[at + 1] = value;
}

/** Where a header is; -1 for nowhere. A value may be the name of a header: names have even places. */
function placeOf(headers: readonly string[], name: string): number {
  const lower = name.toLowerCase();
  return headers.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === lower);
}

/** Adds a header of the gateway, unless a parameter of the operation is the same header. */
function addUnlessPresent(headers: string[], name: string, value: string): void {
  if (placeOf(headers, name) === -1) headers.push(name, value);
}

/** Adds the headers of one request. `ofGateway`: the credentials that are the gateway's own. Others are the caller's, as parameters are. */
export function addHeaders(headers: string[], request: AnyRequest, credentials: Headers, ofGateway: Headers): void {
  const { head, requestReference } = request;
  for (const name in credentials) {
    const value = credentials[name]!;
    const at = placeOf(headers, name);
    if (at === -1) headers.push(name, value);
    else if (name === 'cookie') headers[at + 1] = joinCookies(value, headers[at + 1]!);
    else if (Object.hasOwn(ofGateway, name)) headers[at + 1] = value;
  }
  addUnlessPresent(headers, 'x-request-id', head?.requestId ?? requestReference);
  addTrace(headers, head);
  if (head !== undefined) addForwarded(headers, head);
}

/** Leaves out of the others what has a name of the first ones: some servers read the last of two. */
function joinCookies(first: string, others: string): string {
  const nameOf = (cookie: string): string => cookie.split('=', 1)[0]!.trim();
  const names = new Set(first.split(';').map(nameOf));
  return [first, ...others.split(';').filter((each) => !names.has(nameOf(each)))].map((each) => each.trim()).join('; ');
}

/** W3C Trace Context: the trace of the request, and what vendors of the caller add to it. */
function addTrace(headers: string[], head: RequestHead | undefined): void {
  const { traceparent, tracestate } = head?.headers ?? {};
  const sent = parseTraceparent(traceparent);
  addUnlessPresent(headers, 'traceparent', head?.traceparent ?? sent ?? createTraceparent());
  if (sent !== undefined && tracestate !== undefined && tracestate.length <= 512)
    addUnlessPresent(headers, 'tracestate', tracestate);
}

/** No character in it can end a header. */
const hostLike = /^[\w.[\]:-]{1,260}$/;

/** Where the request came from, through the proxies that are trusted. What the caller wrote there is not passed on. */
function addForwarded(headers: string[], { headers: sent, sender }: RequestHead): void {
  if (sender === undefined) return;
  headers.push('x-forwarded-for', sender.address, 'x-forwarded-proto', sender.scheme);
  if (sent.host !== undefined && hostLike.test(sent.host)) headers.push('x-forwarded-host', sent.host);
}

/**
 * Passes on the caller's credential: unchanged, or where the upstream wants it. A token in its message becomes HTTP Basic, unless
 * `isSentAsToken`.
 */
export function forwardCredential(request: AnyRequest, isSentAsToken = false): Headers {
  const { head, service } = request;
  if (service.credentials !== undefined && head !== undefined) return placedCredentials(request, head).headers;
  const { authorization, 'x-api-key': apiKey } = head?.headers ?? {};
  return {
    ...headerOfToken(request, isSentAsToken),
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
}

/** The credentials of the caller that the upstream wants in the query, where they are not there already. */
export function forwardInQuery(request: AnyRequest): readonly Pair[] {
  const { head, service } = request;
  if (head === undefined || !service.credentials?.places?.some((place) => place.in === 'query')) return [];
  const sent = new URLSearchParams(head.sent?.query);
  return placedCredentials(request, head).query.filter(([name]) => !sent.has(name));
}

type Pair = readonly [name: string, value: string];

function placedCredentials(request: AnyRequest, { headers, query }: RequestHead) {
  const { places = [], basic } = request.service.credentials ?? {};
  return placeCredentials(places, basic === true, { headers: { ...headerOfToken(request, false), ...headers }, query });
}
