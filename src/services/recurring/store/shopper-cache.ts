/** Remembers what listing a shopper found, for a store that one process serves alone: exact, bounded, and never stale. */
import type { ListedDetail, Shopper, ShopperKey } from '../details.ts';

type Listed = Shopper<ListedDetail>;

export interface ShopperCache {
  /** What is remembered of the shopper, frozen; else what `read` finds, which is remembered unless something was committed meanwhile. */
  find(key: ShopperKey, read: () => Promise<Listed | undefined>): Promise<Listed | undefined>;
  /** Forgets shoppers that a unit wrote; to be called before anyone hears that it was committed. */
  forget(keys: readonly ShopperKey[]): void;
}

interface Kept {
  readonly shopper: Listed;
  readonly bytes: number;
}

/** About what V8 takes for an object or a list, beside what is in it. */
const objectBytes = 64;

/** Freezes a value with all that is in it, and tells about how much memory it takes. */
const freeze = (value: unknown): number => {
  if (typeof value === 'string') return objectBytes / 2 + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = objectBytes;
  for (const each of Object.values(Object.freeze(value))) bytes += freeze(each);
  return bytes;
};

/** The lengths keep apart what would read the same in one line. */
const nameOf = ({ company, merchantAccount, shopperReference }: ShopperKey): string =>
  `${company.length} ${merchantAccount.length} ${company}${merchantAccount}${shopperReference}`;

/** `bytesMax`: beyond it the oldest go. `foreignCommits`: as the engine has it (`Engine.foreignCommits`). */
export const createShopperCache = (bytesMax: number, foreignCommits: () => number): ShopperCache => {
  const kept = new Map<string, Kept>();
  let bytes = 0;
  /** Counts what was forgotten, so that a read which began before it is not remembered after it. */
  let generation = 0;
  let seen = foreignCommits();
  /** Asking the database costs as much as the rest of a find: the requests of one turn of the event loop share an answer. */
  let asked = false;
  const askAgain = () => {
    asked = false;
  };
  const drop = (name: string) => {
    bytes -= kept.get(name)?.bytes ?? 0;
    kept.delete(name);
  };
  const noticeOthers = () => {
    if (asked) return;
    const now = foreignCommits();
    asked = true;
    setImmediate(askAgain);
    if (now === seen) return;
    seen = now;
    generation++;
    kept.clear();
    bytes = 0;
  };
  const remember = (name: string, shopper: Listed) => {
    drop(name);
    const size = objectBytes + name.length + freeze(shopper);
    kept.set(name, { shopper, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (bytes <= bytesMax) break;
      drop(oldest);
    }
  };
  return Object.freeze<ShopperCache>({
    async find(key, read) {
      noticeOthers();
      const name = nameOf(key);
      const known = kept.get(name);
      if (known !== undefined) return known.shopper;
      const before = generation;
      const found = await read();
      // Strangers are not remembered: there is no end to them.
      if (found !== undefined && generation === before) remember(name, found);
      return found;
    },
    forget(keys) {
      if (keys.length > 0) generation++;
      for (const key of keys) drop(nameOf(key));
    },
  });
};
