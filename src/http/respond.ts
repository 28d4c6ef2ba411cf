/** Writes an answer: head and body in one write, with the headers that every answer has. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Message } from '../formats/wire.ts';
import type { Received } from './receive.ts';

export interface RespondLimits {
  readonly bodyBytesMax: number;
  readonly writeMsMax: number;
}

/** How long the rest of a refused body is swallowed, so that the caller gets to read the refusal. */
const lingerMsMax = 1000;

const fromBrowser = (headers: Received['headers']): boolean =>
  headers['sec-fetch-site'] !== undefined ||
  headers['sec-fetch-mode'] !== undefined ||
  headers['sec-fetch-dest'] !== undefined ||
  headers['sec-fetch-user'] !== undefined;

/** Name, value, name, value: the form that Node writes without building anything. */
const headLines = (received: Received, message: Message, bytesOut: number, close: boolean): string[] => {
  const lines = ['Content-Type', message.contentType, 'X-Content-Type-Options', 'nosniff'];
  // 304 stands for an answer whose length it does not tell.
  if (message.status !== 304) lines.push('Content-Length', String(bytesOut));
  let cached = false;
  for (const name in message.headers) {
    const lower = name.toLowerCase();
    // A browser would ask its user for a password, and then send it along for any site.
    if (lower === 'www-authenticate' && fromBrowser(received.headers)) continue;
    if (lower === 'connection') continue;
    cached ||= lower === 'cache-control';
    lines.push(name, message.headers[name]!);
  }
  if (!cached) lines.push('Cache-Control', 'no-store');
  if (close) lines.push('Connection', 'close');
  return lines;
};

/** A body that nobody read: too large to be swallowed, or of a length that nobody knows. */
const unread = ({ request, headers }: Received, bodyBytesMax: number): boolean => {
  if (request.complete) return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) > bodyBytesMax;
};

/** Cuts a connection whose caller does not read. */
const guardWrite = (response: ServerResponse, writeMsMax: number): void => {
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return;
  const timer = setTimeout(() => socket.destroy(), writeMsMax);
  response.once('close', () => clearTimeout(timer));
};

/** The answer is out, but closing now would reset the connection under a caller who is still sending. */
const linger = async (received: Received): Promise<void> => {
  const { request, response } = received;
  request.on('error', () => {});
  request.resume();
  const patience = AbortSignal.timeout(lingerMsMax);
  await Promise.race([once(request, 'end', { signal: patience }), once(response, 'close', { signal: patience })]).catch(
    () => {},
  );
  response.end();
};

/** Writes the message and returns the length of its body; `closing` ends the connection after it. */
export const respond = (received: Received, message: Message, closing: boolean, limits: RespondLimits): number => {
  const { response } = received;
  const bytesOut = Buffer.byteLength(message.body);
  const rest = received.broken || unread(received, limits.bodyBytesMax);
  const close = closing || rest || message.status === 408 || message.status === 413;
  response.writeHead(message.status, headLines(received, message, bytesOut, close));
  if (rest && !received.request.complete) {
    response.write(message.body);
    void linger(received);
  } else {
    // Where every character took one byte, they can go out as they are, without being encoded.
    response.end(message.body, bytesOut === message.body.length ? 'latin1' : 'utf8');
  }
  guardWrite(response, limits.writeMsMax);
  return bytesOut;
};
