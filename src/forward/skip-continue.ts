/** Skips `100 Continue` on connections to upstreams: some servers send it unasked (RFC 9110, section 15.2), and undici breaks the connection. */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

/** A longer head is left to the reader of the connection, which refuses it. */
const headBytesMax = 16_384;
const continueLine = /^HTTP\/1\.[01] 100[ \r\n]/;
const lineBytes = 'HTTP/1.1 100 '.length;

/**
 * Changes what the socket reads: each head of an answer 100 before the first other byte of an answer is left out. One request is on
 * the connection at a time, and only heads of requests are written as texts. `onHead`: called before each head of a request.
 */
export function skipContinue(socket: Socket, onHead: () => void): Socket {
  const write = socket.write.bind(socket) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const read = socket.read.bind(socket);
  let isBeforeAnswer = true;
  let held: Buffer | undefined;

  function answerIn(bytes: Buffer): Buffer | null {
    const start = bytes.toString('latin1', 0, lineBytes);
    const isOpen = bytes.length < lineBytes && 'HTTP/1.1 100 '.startsWith(start);
    if (isOpen || continueLine.test(start)) {
      const end = isOpen ? -1 : bytes.indexOf('\r\n\r\n');
      if (end >= 0) return end + 4 === bytes.length ? null : answerIn(bytes.subarray(end + 4));
      if (bytes.length <= headBytesMax) {
        held = bytes;
        return null;
      }
    }
    isBeforeAnswer = false;
    return bytes;
  }

  socket.write = ((chunk: unknown, ...rest: unknown[]) => {
    if (typeof chunk === 'string') {
      isBeforeAnswer = true;
      onHead();
    }
    return write(chunk, ...rest);
  }) as Socket['write'];
  socket.read = (size?: number): Buffer | null => {
    const bytes = read(size) as Buffer | null;
    if (!isBeforeAnswer || bytes === null) return bytes;
    const whole = held === undefined ? bytes : Buffer.concat([held, bytes]);
    held = undefined;
    return answerIn(whole);
  };
  return socket;
}
