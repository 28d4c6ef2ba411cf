/** Joins small pieces of a message while it arrives: each object takes more than a hundred bytes. */
import { Buffer } from 'node:buffer';

const joinedBytes = 16_384;
const none = Buffer.alloc(0);

/** The small pieces of one message that are not read yet. */
export class JoinedPieces {
  #held: Buffer = none;
  /** What is held is its beginning, unless that is a single piece. */
  #block: Buffer | undefined;

  /** Returns what is to be read now; undefined for a small piece, which is held. */
  add(piece: Buffer): Buffer | undefined {
    const held = this.#held;
    const length = held.length + piece.length;
    if (length >= joinedBytes) {
      this.end();
      return held.length === 0 ? piece : Buffer.concat([held, piece]);
    }
    if (held.length === 0) this.#held = piece;
    else {
      this.#block ??= blockWith(held);
      piece.copy(this.#block, held.length);
      this.#held = this.#block.subarray(0, length);
    }
    return undefined;
  }

  /** Returns what is held, and forgets it. */
  end(): Buffer {
    const held = this.#held;
    this.#held = none;
    this.#block = undefined;
    return held;
  }
}

function blockWith(start: Buffer): Buffer {
  const block = Buffer.allocUnsafeSlow(joinedBytes);
  start.copy(block);
  return block;
}
