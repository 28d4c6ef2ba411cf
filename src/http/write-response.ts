/** Writes a response: head and body in one write, with the headers of every response. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { bodyBytesDefault } from '../core/contract/index.ts';
import { type Message, type StreamedBody, sentBody } from '../core/formats/index.ts';
import type { HttpOptions } from './options.ts';
import type { ReceivedRequest } from './received-request.ts';
import { requestIdHeader } from './request-id.ts';

type Limits = Pick<HttpOptions, 'bodyBytesMax' | 'writeMsMax'>;

/** How long the rest of a refused body is read and dropped, so that the caller can read the refusal. */
const lingerMsMax = 1000;

/** Longer bodies are written as they are: a copy would cost more than a write. */
const joinedBytesMax = 65_536;

interface WriteOptions {
  /** The length of the body. */
  readonly bytesOut: number;
  /** Ends the connection after the message. */
  readonly closing: boolean;
  /** For the header X-Request-Id. */
  readonly requestId: string;
  readonly limits: Limits;
}

/** Writes the message. */
export function writeResponse(received: ReceivedRequest, message: Message, options: WriteOptions): void {
  const { response } = received;
  const { bytesOut, limits } = options;
  const rest = writeHead(received, message, options);
  const body = sentBody(message);
  if (rest && !received.request.complete) {
    response.write(body);
    void linger(received);
  } else {
    // A string is one write with the head, and bytes are another one. If every character takes one byte, latin1 writes them without encoding.
    const text = typeof body === 'string' || body.length > joinedBytesMax ? body : body.toString('latin1');
    response.end(text, bytesOut === body.length ? 'latin1' : 'utf8');
  }
  guardWrite(response, limits.writeMsMax);
}

/**
 * Writes a message piece by piece. Returns how many bytes were written; fewer than the body has where the caller went away, or read too
 * slowly: it has the time of a whole response for each piece.
 */
export async function streamResponse(
  received: ReceivedRequest,
  message: Message,
  body: StreamedBody,
  options: Omit<WriteOptions, 'bytesOut'>,
): Promise<number> {
  const { response } = received;
  writeHead(received, message, { ...options, bytesOut: body.length });
  let bytesOut = 0;
  for await (const bytes of body.read()) {
    if (response.destroyed) return bytesOut;
    bytesOut += bytes.length;
    if (response.write(bytes)) continue;
    await drained(response, options.limits.writeMsMax);
  }
  response.end();
  guardWrite(response, options.limits.writeMsMax);
  await finished(response).catch(() => {});
  return bytesOut;
}

/** Resolves when the caller has read what was written, or is gone. One that does not read in time is cut off. */
function drained(response: ServerResponse, msMax: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      response.off('drain', end).off('close', end);
      resolve();
    };
    const timer = setTimeout(() => {
      response.destroy();
      end();
    }, msMax);
    response.on('drain', end).on('close', end);
  });
}

/** Returns whether a body was left unread. */
function writeHead(
  received: ReceivedRequest,
  message: Message,
  { bytesOut, closing, requestId, limits }: Omit<WriteOptions, 'bytesOut'> & { readonly bytesOut: number | undefined },
): boolean {
  const rest = received.broken || hasUnreadBody(received, limits.bodyBytesMax ?? bodyBytesDefault);
  // Where the head is wrong, what follows it may not be where the caller means it to be.
  const isUnsound = received.fault !== undefined;
  const close = closing || rest || isUnsound || message.status === 408 || message.status === 413;
  received.response.writeHead(message.status, headLines(received, message, { bytesOut, close, requestId }));
  return rest;
}

function fromBrowser(headers: ReceivedRequest['headers']): boolean {
  return (
    headers['sec-fetch-site'] !== undefined ||
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-dest'] !== undefined ||
    headers['sec-fetch-user'] !== undefined
  );
}

interface HeadOptions extends Pick<WriteOptions, 'requestId'> {
  readonly bytesOut: number | undefined;
  readonly close: boolean;
}

/** Name, value, name, value: the form that Node writes without further work. */
function headLines(received: ReceivedRequest, message: Message, { bytesOut, close, requestId }: HeadOptions): string[] {
  const lines = ['Content-Type', message.contentType, 'X-Content-Type-Options', 'nosniff', requestIdHeader, requestId];
  if (received.headers.traceparent !== undefined) lines.push('traceparent', received.traceparent);
  if (bytesOut !== undefined && !isBodiless(received, message)) lines.push('Content-Length', String(bytesOut));
  let cached = false;
  for (const name in message.headers) {
    const lower = name.toLowerCase();
    // A browser would ask its user for a password, and then send it with requests of other sites too.
    if (lower === 'www-authenticate' && fromBrowser(received.headers)) continue;
    if (lower === 'connection') continue;
    cached ||= lower === 'cache-control';
    const value = message.headers[name]!;
    // Its values stand in lines of their own (RFC 9110, section 5.3).
    if (lower === 'set-cookie') for (const each of value.split('\n')) lines.push(name, each);
    else lines.push(name, value);
  }
  if (!cached) lines.push('Cache-Control', 'no-store');
  if (close) lines.push('Connection', 'close');
  return lines;
}

/** Whether no length is known, or none may be written: 204, and 304 and HEAD, whose length would be that of the document (RFC 9110, section 8.6). */
function isBodiless({ method }: ReceivedRequest, { status, body }: Message): boolean {
  return status === 204 || status === 304 || (method === 'HEAD' && body === '');
}

/** Whether a body was left unread: larger than the limit, or of unknown length. */
function hasUnreadBody({ request, headers }: ReceivedRequest, bodyBytesMax: number): boolean {
  if (request.complete) return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) > bodyBytesMax;
}

/** Closes the connection if the caller does not read the response in time. */
function guardWrite(response: ServerResponse, writeMsMax: number): void {
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return;
  const timer = setTimeout(() => socket.destroy(), writeMsMax);
  response.once('close', () => clearTimeout(timer));
}

/** Ends the response late: closing now would reset the connection while the caller is still sending. */
async function linger(received: ReceivedRequest): Promise<void> {
  const { request, response } = received;
  request.on('error', () => {});
  received.dropBody();
  request.resume();
  const signal = AbortSignal.timeout(lingerMsMax);
  await Promise.race([once(request, 'end', { signal }), once(response, 'close', { signal })]).catch(() => {});
  response.end();
}
