/** Splits an HTTP message into its head and its body, as logs and `curl -i` write it. A message may have no head. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Charset } from '../core/lib/index.ts';

export interface HttpMessage {
  /** The request line or the status line; absent in a body without a head. */
  readonly start?:
    | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly query: string }
    | { readonly kind: 'answer'; readonly status: number };
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of the body, whatever the message says; absent where the message decides. */
  readonly charset?: Charset;
  /** The lines before the body. */
  readonly linesBefore: number;
}

const requestLine = /^([A-Z]{3,10}) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;
const proxyAnswer = /^HTTP\/\d(?:\.\d)? 200 connection established$/i;
const statusLine = /^HTTP\/\d(?:\.\d)? (\d{3})(?: .*)?$/;

export function splitHttpMessage(bytes: Buffer): HttpMessage {
  let rest = bytes;
  let linesBefore = 0;
  for (;;) {
    const head = headOf(rest);
    if (head === undefined) return { headers: {}, body: rest, linesBefore };
    const { lines, length } = head;
    linesBefore += lines.length + 1;
    const body = rest.subarray(length);
    const [first = ''] = lines;
    const status = Number(statusLine.exec(first)?.[1] ?? Number.NaN);
    // 100 Continue, or the answer of a proxy to CONNECT, stands before the answer itself.
    if ((status < 200 || proxyAnswer.test(first)) && headOf(body) !== undefined) {
      rest = body;
      continue;
    }
    return { start: startOf(first), headers: headersOf(lines.slice(1)), body, linesBefore };
  }
}

/** The lines up to the first blank one; undefined where the first is neither a request line nor a status line. */
function headOf(bytes: Buffer): { readonly lines: readonly string[]; readonly length: number } | undefined {
  const text = bytes.toString('latin1');
  const [firstLine = ''] = /^[^\r\n]*/.exec(text) ?? [];
  if (!requestLine.test(firstLine) && !statusLine.test(firstLine)) return undefined;
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text.trimEnd() : text.slice(0, end.index);
  return { lines: head.split(/\r?\n/), length: end === null ? bytes.length : end.index + end[0].length };
}

function startOf(line: string): NonNullable<HttpMessage['start']> {
  const [, status] = statusLine.exec(line) ?? [];
  if (status !== undefined) return { kind: 'answer', status: Number(status) };
  const [, method = '', target = ''] = requestLine.exec(line) ?? [];
  // The target of a request through a proxy is a whole URL.
  const [, pathAndQuery = target] = /^https?:\/\/[^/]*(\/.*)$/i.exec(target) ?? [];
  const mark = pathAndQuery.indexOf('?');
  return {
    kind: 'request',
    method,
    path: mark === -1 ? pathAndQuery : pathAndQuery.slice(0, mark),
    query: mark === -1 ? '' : pathAndQuery.slice(mark + 1),
  };
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** The text of a message, in which places count. Every other charset than UTF-8 has one byte for each character. */
export function textOf(message: string | Uint8Array): string {
  if (typeof message === 'string') return message;
  const bytes = Buffer.from(message);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
