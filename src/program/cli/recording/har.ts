/** HTTP Archive 1.2: what browsers and proxies save of requests. http://www.softwareishard.com/blog/har-12-spec/ */
import { Buffer } from 'node:buffer';
import { version } from '../../../config/index.ts';
import { isMembers, type Members } from '../../../core/lib/index.ts';
import { contentTypeOf, type Exchange, type HttpRequest, notesOf } from './exchange.ts';

/** The member of an entry with what HAR has no place for. Its specification reserves names with an underscore. */
const notesName = '_triglyph';

/** `origin`: of the URLs, such as `https://pay.example.com`. */
export function printHar(exchanges: readonly Exchange[], origin: string): string {
  const creator = { name: 'triglyph', version };
  return `${JSON.stringify({ log: { version: '1.2', creator, entries: exchanges.map((each) => entryOf(each, origin)) } }, null, 2)}\n`;
}

function entryOf({ at, ms, request, answer, notes }: Exchange, origin: string): object {
  const url = new URL(origin + request.path);
  const type = contentTypeOf(answer?.headers ?? {});
  return {
    startedDateTime: new Date(Date.parse(at) - ms).toISOString(),
    time: ms,
    request: {
      ...{ method: request.method, url: url.href, httpVersion: 'HTTP/1.1', cookies: [] },
      headers: pairsOf(request.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body.length > 0 && {
        postData: { mimeType: contentTypeOf(request.headers), text: request.body.toString() },
      }),
      ...{ headersSize: -1, bodySize: request.body.length },
    },
    response: {
      status: answer?.status ?? 0,
      statusText: '',
      ...{ httpVersion: 'HTTP/1.1', cookies: [], headers: pairsOf(answer?.headers ?? {}) },
      content: { size: answer?.body.length ?? 0, mimeType: type, text: answer?.body.toString() ?? '' },
      ...{ redirectURL: '', headersSize: -1, bodySize: answer?.body.length ?? 0 },
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    [notesName]: notes,
  };
}

function pairsOf(headers: HttpRequest['headers']): object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** Whether a file of JSON is an archive. */
export function isHar(value: unknown): value is { readonly log: Members } {
  return isMembers(value) && isMembers(value.log) && Array.isArray(value.log.entries);
}

/** Returns the requests of an archive, or for each that is none why it is left out. */
export function readHar({ log }: { readonly log: Members }): readonly (Exchange | string)[] {
  return (log.entries as readonly unknown[]).map(readEntry);
}

function readEntry(entry: unknown): Exchange | string {
  if (!isMembers(entry) || !isMembers(entry.request) || !isMembers(entry.response))
    return 'no request with its response';
  const { startedDateTime, time, request, response } = entry;
  const startedAt = Date.parse(textOf(startedDateTime));
  const url = URL.parse(textOf(request.url));
  const ms = typeof time === 'number' && time >= 0 ? time : 0;
  const at = new Date(startedAt + ms);
  if (url === null || Number.isNaN(at.getTime())) return 'no URL or no time';
  const headers = headersOf(request.headers);
  const body = bodyOf(request.postData);
  if (body === undefined) return 'the body of the request is in another encoding than base64';
  const told = isMembers(response.content) ? bodyOf(response.content) : Buffer.alloc(0);
  if (told === undefined) return 'the body of the response is in another encoding than base64';
  const type = isMembers(request.postData) ? request.postData.mimeType : undefined;
  return {
    at: at.toISOString(),
    ms,
    request: {
      method: textOf(request.method).toUpperCase(),
      path: url.pathname + url.search,
      headers:
        contentTypeOf(headers) === '' && typeof type === 'string' ? { ...headers, 'content-type': type } : headers,
      body,
    },
    // Browsers give a request without a response the status 0.
    answer:
      typeof response.status === 'number' && response.status > 0
        ? { status: response.status, headers: headersOf(response.headers), body: told }
        : undefined,
    notes: notesOf(entry[notesName]),
  };
}

/** Of `postData` or `content`: the text, the bytes, or the pairs of a form. */
function bodyOf(data: unknown): Buffer | undefined {
  if (!isMembers(data)) return Buffer.alloc(0);
  const { text, encoding, params } = data;
  if (encoding !== undefined && encoding !== '' && encoding !== 'base64') return undefined;
  if (typeof text === 'string' && text !== '') return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  const pairs = Array.isArray(params) ? params.filter(isMembers) : [];
  return Buffer.from(new URLSearchParams(pairs.map(({ name, value }) => [textOf(name), textOf(value)])).toString());
}

function headersOf(value: unknown): HttpRequest['headers'] {
  const pairs = Array.isArray(value) ? value.filter(isMembers) : [];
  return Object.fromEntries(pairs.map(({ name, value: each }) => [textOf(name), textOf(each)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
