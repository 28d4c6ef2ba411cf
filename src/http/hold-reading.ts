/** Stops reading a connection, also where Node resumes it meanwhile. */
import { Duplex } from 'node:stream';

/** How often each connection is held now. */
const holds = new WeakMap<Duplex, number>();

/** Until `releaseReading` was called as often. */
export function holdReading(socket: Duplex): void {
  const count = holds.get(socket);
  // Node resumes reading when a response is written, or when a request wants its body.
  if (count === undefined) socket.on('resume', () => holds.get(socket)! > 0 && socket.pause());
  holds.set(socket, (count ?? 0) + 1);
  socket.pause();
}

export function releaseReading(socket: Duplex): void {
  const count = holds.get(socket)! - 1;
  holds.set(socket, count);
  if (count === 0 && !socket.destroyed) socket.resume();
}

/** For so many milliseconds. Ignores what stands for the socket of a request that came without a connection. */
export function holdReadingFor(socket: object, ms: number): void {
  if (!(socket instanceof Duplex)) return;
  holdReading(socket);
  setTimeout(releaseReading, ms, socket).unref();
}
