/** Bounds what large bodies need together: a request needs a multiple of its body until it is answered. */
import { Problem } from '../core/contract/index.ts';

/** Smaller bodies do not count: connections and turns bound them. */
const countedFrom = 65_536;

export class LargeBodies {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Counts a body until the returned function is called. One alone is always admitted. Throws `overloaded`. */
  admit(bytes: number): () => void {
    if (bytes <= countedFrom) return () => {};
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax)
      throw new Problem('overloaded', undefined, { reason: 'largeBodies' });
    this.#bytes += bytes;
    let isCounted = true;
    return () => {
      if (isCounted) this.#bytes -= bytes;
      isCounted = false;
    };
  }
}
