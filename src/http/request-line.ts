/** Finds requests whose line has more than one space between its parts, or another protocol than HTTP. Node's parser hides both. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The parser of a connection. It is no public interface of Node, so each part of it may be absent. */
interface ParsedSocket {
  readonly parser?: { getCurrentBuffer?(): unknown } | null;
}

const wrong = new WeakSet<IncomingMessage>();

/**
 * Remembers the request if its line is wrong, and returns where the line ends. To be called while the server emits the
 * request: only then does the parser have the chunk that ends the head. A line in an earlier chunk is not seen.
 * `from`: where the line of the request before it ended, if that is not answered yet; else 0.
 */
export function inspectRequestLine(request: IncomingMessage, from: number): number {
  const chunk = currentChunk(request);
  if (chunk === undefined) return 0;
  const firstEnd = from === 0 ? endOfFirstLine(chunk, request) : 0;
  if (firstEnd > 0) return firstEnd;
  // The request before may be in an earlier chunk. Each line is looked at even so, but perhaps for another request.
  const line = findLine(request, chunk, from) ?? (from > 0 ? findLine(request, chunk, 0) : undefined);
  if (line?.isWrong) wrong.add(request);
  return line?.end ?? 0;
}

/**
 * Whether the request asks for another protocol, and Node's parser drops what follows it in the chunk. The answer to a later request would be
 * taken for that to a dropped one. To be called as the function above. A body that ends in a later chunk is not looked at.
 */
export function isFollowedAfterUpgrade(request: IncomingMessage): boolean {
  if (request.headers.upgrade === undefined) return false;
  const chunk = currentChunk(request);
  if (chunk === undefined || request.headers['transfer-encoding'] !== undefined) return true;
  const end = findLine(request, chunk, 0)?.end ?? 0;
  return chunk.length > chunk.indexOf('\r\n\r\n', end) + 4 + Number(request.headers['content-length'] ?? 0);
}

function currentChunk({ socket }: IncomingMessage): Buffer | undefined {
  const chunk = (socket as ParsedSocket).parser?.getCurrentBuffer?.();
  return Buffer.isBuffer(chunk) ? chunk : undefined;
}

export function hasWrongLine(request: IncomingMessage): boolean {
  return wrong.has(request);
}

const space = 0x20;
const firstOfProtocol = 'H'.charCodeAt(0);

/** Returns 0 if the chunk does not begin with the line of the request, written with single spaces. Four bytes decide, since nearly all do. */
function endOfFirstLine(chunk: Buffer, { method, url }: IncomingMessage): number {
  const target = method!.length + 1;
  const end = target + url!.length;
  const isFirst =
    chunk[target - 1] === space &&
    chunk[target] === url!.charCodeAt(0) &&
    chunk[end] === space &&
    chunk[end + 1] === firstOfProtocol;
  return isFirst ? end + ' HTTP/'.length : 0;
}

/** The parser accepts requests of these protocols, too. */
const otherProtocols = ['RTSP', 'ICE'];

/**
 * Returns the first line at `from` or later that is the request's and is followed by its first header. A body before it could
 * hold the line as well, but hardly with the same header behind it.
 */
function findLine(request: IncomingMessage, chunk: Buffer, from: number) {
  const { httpVersion, rawHeaders } = request;
  const [method, url] = [request.method!, request.url!];
  const next = rawHeaders.length === 0 ? '\r\n' : `${rawHeaders[0]}:`;
  const end = `/${httpVersion}\r\n${next}`;
  const isAt = (text: string, at: number): boolean =>
    at >= 0 && chunk.toString('latin1', at, at + text.length) === text;
  for (let at = chunk.indexOf(end, from, 'latin1'); at >= 0; at = chunk.indexOf(end, at + 1, 'latin1')) {
    const protocol = ['HTTP', ...otherProtocols].find((name) => isAt(` ${name}`, at - name.length - 1));
    if (protocol === undefined) continue;
    const protocolAt = at - protocol.length;
    const targetEnd = beforeSpaces(chunk, protocolAt);
    const target = targetEnd - url.length;
    const methodEnd = beforeSpaces(chunk, target);
    const spaces = target - methodEnd;
    if (spaces === 0 || !isAt(url, target) || !isAt(method, methodEnd - method.length)) continue;
    return { end: at + 1, isWrong: spaces > 1 || protocolAt - targetEnd > 1 || protocol !== 'HTTP' };
  }
  return undefined;
}

function beforeSpaces(chunk: Buffer, end: number): number {
  let at = end;
  while (chunk[at - 1] === space) at -= 1;
  return at;
}
