/** Caches unwrapped data keys for a bounded time and number of uses, so that most openings decrypt one ciphertext instead of two. */
import { BoundedMap } from '../lib/index.ts';
import { type DataKey, dataKeyBytes } from './data-key.ts';
import type { WrappedKey } from './ports.ts';

export interface DataKeyCacheLimits {
  /** How many keys are cached. */
  readonly keysMax: number;
  /** Milliseconds after which a key is removed, used or not. */
  readonly ageMax: number;
  /** How often a key is used before it is unwrapped again. */
  readonly usesMax: number;
}

/** 50,000 keys take about 5 MB. */
export const dataKeyCacheLimits: DataKeyCacheLimits = { keysMax: 50_000, ageMax: 5 * 60_000, usesMax: 10_000 };

/** A slot is one line of the processor's cache: the key, its expiry, the uses left and the index of its ids. */
const slotBytes = 64;
const [expiryAt, usesAt, idsAt] = [dataKeyBytes / 8, dataKeyBytes / 4 + 2, dataKeyBytes / 4 + 3];

/** The cache does not compare records: the ciphertexts under a data key are bound to theirs. */
export class DataKeyCache {
  /** The slots by wrapped data key, in the order of their expiry. */
  readonly #slotOf: BoundedMap<string, number>;
  #slots: Slots | undefined;
  readonly #unused: number[] = [];
  readonly #ids: Pick<WrappedKey & DataKey, 'keyId' | 'sealedUnder'>[] = [];
  readonly #limits: DataKeyCacheLimits;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: DataKeyCacheLimits, now: () => number) {
    this.#limits = limits;
    this.#slotOf = new BoundedMap(limits.keysMax, {
      removed: (slot) => {
        keyIn(this.#slots!, slot).fill(0);
        this.#unused.push(slot);
      },
    });
    this.#now = now;
  }

  /** Returns undefined for a key that is not cached, has expired, is used up or was wrapped under another key. */
  find({ keyId, dataKey }: WrappedKey): DataKey | undefined {
    const slot = this.#slotOf.get(dataKey);
    if (slot === undefined) return undefined;
    const slots = this.#slots!;
    const ids = this.#ids[slots.words[wordOf(slot) + idsAt]!]!;
    if (ids.keyId !== keyId) return undefined;
    const uses = slots.words[wordOf(slot) + usesAt]!;
    if (expiryIn(slots, slot) <= this.#now() || uses === 0) {
      this.#slotOf.delete(dataKey);
      return undefined;
    }
    slots.words[wordOf(slot) + usesAt] = uses - 1;
    return { key: keyIn(slots, slot), sealedUnder: ids.sealedUnder };
  }

  /** Copies the key; the caller goes on to own and wipe its own. */
  add({ keyId, dataKey }: WrappedKey, { key, sealedUnder }: DataKey): void {
    const { ageMax, usesMax, keysMax } = this.#limits;
    this.#slots ??= createSlots(keysMax + 1);
    // The slots in use and the unused ones together are those handed out so far. A new key takes its slot before the oldest goes.
    const slot = this.#unused.pop() ?? this.#slotOf.size;
    key.copy(keyIn(this.#slots, slot));
    this.#slots.numbers[slot * (slotBytes / 8) + expiryAt] = this.#now() + ageMax;
    this.#slots.words[wordOf(slot) + usesAt] = usesMax;
    this.#slots.words[wordOf(slot) + idsAt] = this.#indexOfIds(keyId, sealedUnder);
    this.#slotOf.set(dataKey, slot);
    this.#timer ??= setInterval(() => this.#removeExpired(), ageMax / 10).unref();
  }

  /** The number of cached keys. */
  get size(): number {
    return this.#slotOf.size;
  }

  #removeExpired(): void {
    const now = this.#now();
    for (const [dataKey, slot] of this.#slotOf) {
      if (expiryIn(this.#slots!, slot) > now) break;
      this.#slotOf.delete(dataKey);
    }
    if (this.#slotOf.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** There are as many pairs as wrapping keys, and more after a rotation. */
  #indexOfIds(keyId: string, sealedUnder: string): number {
    const known = this.#ids.findIndex((ids) => ids.keyId === keyId && ids.sealedUnder === sealedUnder);
    return known < 0 ? this.#ids.push({ keyId, sealedUnder }) - 1 : known;
  }
}

/** The same memory as bytes, words and numbers. */
interface Slots {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
}

function createSlots(count: number): Slots {
  const memory = new ArrayBuffer(count * slotBytes);
  return { bytes: Buffer.from(memory), words: new Uint32Array(memory), numbers: new Float64Array(memory) };
}

function wordOf(slot: number): number {
  return slot * (slotBytes / 4);
}

function keyIn({ bytes }: Slots, slot: number): Buffer {
  return bytes.subarray(slot * slotBytes, slot * slotBytes + dataKeyBytes);
}

function expiryIn({ numbers }: Slots, slot: number): number {
  return numbers[slot * (slotBytes / 8) + expiryAt]!;
}
