/** Reads streams within a limit. */
import { Buffer } from 'node:buffer';

/** Returns all bytes; undefined where there are more than `bytesMax`. The rest is not read then, and a stream is destroyed. */
export async function readAtMost(stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > bytesMax) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
