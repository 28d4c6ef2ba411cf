/** The headers of a request to an upstream: our own ones, and what is passed on of the caller's. */
import { randomFillSync } from 'node:crypto';
import type { AnyRequest, RequestHead } from '../contract/canonical.ts';
import type { Protocol } from '../formats/protocol.ts';
import type { Headers } from './options.ts';

const userAgent = 'triglyph';

/** The headers of every request of an operation in a format, names and values in turn. */
export function fixedHeaders({ name, mediaType }: Protocol, soapAction: string, hasBody: boolean): readonly string[] {
  const isText = name !== 'json' && name !== 'rest';
  const action = name === 'soap12' && soapAction !== '' ? `;action="${soapAction}"` : '';
  return [
    ...['user-agent', userAgent, 'accept', acceptOf(name)],
    ...(hasBody ? ['content-type', isText ? `${mediaType};charset=utf-8${action}` : mediaType] : []),
    // SOAP 1.1, section 6.1.1, requires the header. Most servers find the operation in the Body, ASP.NET finds it here.
    ...(name === 'soap11' ? ['soapaction', `"${soapAction}"`] : []),
  ];
}

function acceptOf(format: string): string {
  switch (format) {
    case 'soap11':
      return 'text/xml';
    case 'soap12':
      return 'application/soap+xml, text/xml;q=0.9';
    case 'form':
    case 'adapter':
      return 'application/x-www-form-urlencoded, text/plain;q=0.9';
    default:
      return 'application/json, application/problem+json';
  }
}

/** Adds the headers of one request. */
export function addHeaders(headers: string[], request: AnyRequest, credential: Headers): void {
  const { head, requestReference } = request;
  for (const name in credential) headers.push(name, credential[name]!);
  headers.push('x-request-id', requestReference);
  addTrace(headers, head?.headers);
  if (head !== undefined) addForwarded(headers, head);
}

/** W3C Trace Context: the trace of the caller, or a new one that is not sampled. */
function addTrace(headers: string[], sent: RequestHead['headers'] = {}): void {
  const { traceparent, tracestate } = sent;
  if (traceparent === undefined || !/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent)) {
    headers.push('traceparent', `00-${randomHex(16)}-${randomHex(8)}-00`);
    return;
  }
  headers.push('traceparent', traceparent);
  if (tracestate !== undefined && tracestate.length <= 512) headers.push('tracestate', tracestate);
}

/** No character in it can end a header. */
const hostLike = /^[\w.[\]:-]{1,260}$/;

/** Where the request came from, through the proxies that are trusted. What the caller wrote there is not passed on. */
function addForwarded(headers: string[], { headers: sent, sender }: RequestHead): void {
  if (sender === undefined) return;
  headers.push('x-forwarded-for', sender.address, 'x-forwarded-proto', sender.scheme);
  if (sent.host !== undefined && hostLike.test(sent.host)) headers.push('x-forwarded-host', sent.host);
}

/** One call to the system's generator serves some 170 traces. */
const pool = Buffer.alloc(4_096);
let next = pool.length;

function randomHex(bytes: number): string {
  if (next + bytes > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += bytes;
  return pool.toString('hex', next - bytes, next);
}

/** Passes on the caller's credential unchanged. */
export function forwardCredential({ head }: AnyRequest): Headers {
  const { authorization, 'x-api-key': apiKey } = head?.headers ?? {};
  return {
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
}
