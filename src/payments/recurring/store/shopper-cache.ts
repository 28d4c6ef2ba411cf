/** Caches listed shoppers for a store that only this process writes to: exact, bounded, never stale. */
import { BoundedMap } from '../../../core/lib/index.ts';
import type { Engine } from '../../../stores/index.ts';
import type { ListedDetail, Shopper, ShopperKey } from '../details.ts';

type ListedShopper = Shopper<ListedDetail>;

interface Entry {
  readonly shopper: ListedShopper;
  readonly bytes: number;
}

/** About what V8 needs for an object or an array, without its contents. */
const objectBytes = 64;

/** An engine without `foreignCommits` is shared with other processes, whose commits the cache would not notice. */
export function createShopperCache(engine: Engine, bytesMax: number): ShopperCache | undefined {
  if (bytesMax === 0 || engine.foreignCommits === undefined) return undefined;
  return new ShopperCache(bytesMax, () => engine.foreignCommits!());
}

export class ShopperCache {
  readonly #foreignCommits: () => number;
  readonly #entries: BoundedMap<string, Entry>;
  /** Counts invalidations: a read that began before one must not be stored after it. */
  #generation = 0;
  #seenCommits: number;
  /** One turn of the event loop asks the database once: the question costs as much as the rest of a lookup. */
  #isChecked = false;

  /** `bytesMax`: of all entries. `foreignCommits`: see `Engine.foreignCommits`. */
  constructor(bytesMax: number, foreignCommits: () => number) {
    this.#entries = new BoundedMap(bytesMax, { sizeOf: ({ bytes }) => bytes });
    this.#foreignCommits = foreignCommits;
    this.#seenCommits = foreignCommits();
  }

  /** The cached shopper, frozen; or what `read` finds, which is cached unless something was committed meanwhile. */
  async find(key: ShopperKey, read: () => Promise<ListedShopper | undefined>): Promise<ListedShopper | undefined> {
    this.#checkForeignCommits();
    const name = nameOf(key);
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry.shopper;
    const generation = this.#generation;
    const found = await read();
    // An unknown shopper is not cached: their number has no bound.
    if (found !== undefined && generation === this.#generation)
      this.#entries.set(name, { shopper: found, bytes: objectBytes + name.length + freeze(found) });
    return found;
  }

  /** Drops shoppers that a transaction has changed; must run before its caller continues. */
  forget(keys: readonly ShopperKey[]): void {
    if (keys.length > 0) this.#generation++;
    for (const key of keys) this.#entries.delete(nameOf(key));
  }

  #checkForeignCommits(): void {
    if (this.#isChecked) return;
    const commits = this.#foreignCommits();
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
    if (commits === this.#seenCommits) return;
    this.#seenCommits = commits;
    this.#generation++;
    this.#entries.clear();
  }
}

/** The lengths separate names that would otherwise read the same. */
function nameOf({ company, merchantAccount, shopperReference }: ShopperKey): string {
  return `${company.length} ${merchantAccount.length} ${company}${merchantAccount}${shopperReference}`;
}

/** Freezes a value with its contents, and returns about how many bytes it needs. */
function freeze(value: unknown): number {
  if (typeof value === 'string') return objectBytes / 2 + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = objectBytes;
  for (const each of Object.values(Object.freeze(value))) bytes += freeze(each);
  return bytes;
}
