/** Stub mappings of WireMock: what is answered to which request. https://wiremock.org/docs/stubbing/ */
import { Buffer } from 'node:buffer';
import { isMembers, type Members } from '../../../core/lib/index.ts';
import {
  contentTypeOf,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  notesOf,
  type WrittenExchange,
} from './exchange.ts';

/** WireMock tries mappings with a lower number first; 5 is its default. */
const priorityOfMasked = 10;

/** Of equal requests the last answer counts. One with masked members is answered whatever its body is, after all others. */
export function printMappings(exchanges: readonly WrittenExchange[]): string {
  const mappings = new Map(
    exchanges.map((each) => {
      const mapping = mappingOf(each);
      return [JSON.stringify(mapping.request), mapping] as const;
    }),
  );
  const all = [...mappings.values()];
  return `${JSON.stringify({ mappings: all, meta: { total: all.length } }, null, 2)}\n`;
}

function mappingOf({ request, answer, notes, service, operation }: WrittenExchange) {
  const isMasked = notes.record?.isMasked === true;
  const hasBody = request.body.length > 0;
  return {
    name: `${service.name}.${operation.name} v${service.version}`,
    ...(isMasked && { priority: priorityOfMasked }),
    request: {
      method: request.method,
      url: request.path,
      ...(hasBody && { headers: { 'Content-Type': { contains: mediaTypeOf(request) } } }),
      ...(hasBody && !isMasked && { bodyPatterns: [patternOf(request)] }),
    },
    response: { status: answer.status, headers: answer.headers, body: answer.body.toString() },
    metadata: { triglyph: notes },
  };
}

function mediaTypeOf({ headers }: Pick<HttpRequest, 'headers'>): string {
  return contentTypeOf(headers).replace(/;.*/s, '').trim();
}

function patternOf(request: HttpRequest): object {
  const text = request.body.toString();
  const type = mediaTypeOf(request);
  if (/[/+]json$/.test(type)) return { equalToJson: text };
  return /[/+]xml$/.test(type) ? { equalToXml: text } : { equalTo: text };
}

/** Returns the mappings of a file: one, or those of an export. Undefined where it is neither. */
export function mappingsOf(value: unknown): readonly unknown[] | undefined {
  if (!isMembers(value)) return undefined;
  if (Array.isArray(value.mappings)) return value.mappings;
  return isMembers(value.request) && isMembers(value.response) ? [value] : undefined;
}

/** Returns the request of a mapping with its answer, or why it has none: a pattern stands for many requests. */
export function readMapping(mapping: unknown): Exchange | string {
  if (!isMembers(mapping) || !isMembers(mapping.request) || !isMembers(mapping.response)) return 'no mapping';
  const { request, response, metadata } = mapping;
  const path = request.url ?? request.urlPath;
  if (typeof path !== 'string' || !path.startsWith('/')) return 'a pattern of URLs, which names no request';
  const patterns = Array.isArray(request.bodyPatterns) ? request.bodyPatterns : [];
  const body = patterns.length === 1 ? exactBodyOf(patterns[0]) : patterns.length === 0 ? '' : undefined;
  if (body === undefined) return 'a pattern of bodies, which names no request';
  const answer = answerOf(response);
  if (typeof answer === 'string') return answer;
  const notes = notesOf(isMembers(metadata) ? metadata.triglyph : undefined);
  const type = body.trimStart().startsWith('<') ? 'text/xml' : 'application/json';
  const { method } = request;
  return {
    at: notes.record?.at ?? new Date(0).toISOString(),
    ms: notes.record?.ms ?? 0,
    request: {
      method: typeof method === 'string' && method !== 'ANY' ? method : 'POST',
      path,
      headers: { ...(body !== '' && { 'content-type': type }), ...exactHeadersOf(request.headers) },
      body: Buffer.from(body),
    },
    answer,
    notes,
  };
}

function exactBodyOf(pattern: unknown): string | undefined {
  if (!isMembers(pattern)) return undefined;
  const { equalToJson, equalToXml, equalTo } = pattern;
  const found = equalToJson ?? equalToXml ?? equalTo;
  if (typeof found === 'string') return found;
  return isMembers(found) ? JSON.stringify(found) : undefined;
}

/** A media type that is contained in a header is the header. */
function exactHeadersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isMembers(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, pattern]) => {
      const { equalTo, contains } = isMembers(pattern) ? pattern : ({} as Members);
      const value = equalTo ?? (/^content-type$/i.test(name) ? contains : undefined);
      return typeof value === 'string' ? [[name.toLowerCase(), value]] : [];
    }),
  );
}

function answerOf({
  status,
  headers,
  body,
  jsonBody,
  base64Body,
  bodyFileName,
  fault,
  proxyBaseUrl,
}: Members): HttpAnswer | string {
  if (bodyFileName !== undefined) return 'an answer in a file of its own, which is not read';
  if (fault !== undefined || proxyBaseUrl !== undefined) return 'no answer, but a fault or a proxy';
  const isJson = jsonBody !== undefined;
  const bytes = isJson
    ? Buffer.from(JSON.stringify(jsonBody))
    : typeof base64Body === 'string'
      ? Buffer.from(base64Body, 'base64')
      : Buffer.from(typeof body === 'string' ? body : '');
  const texts = isMembers(headers) ? Object.entries(headers).filter(([, value]) => typeof value === 'string') : [];
  const type = isJson || !bytes.toString('latin1').trimStart().startsWith('<') ? 'application/json' : 'text/xml';
  return {
    status: typeof status === 'number' ? status : 200,
    headers: {
      'content-type': type,
      ...Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), String(value)])),
    },
    body: bytes,
  };
}
