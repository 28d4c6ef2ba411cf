/** Slows down the answers to an address that sends request after request without a credential. */
import { addressGroup, BoundedMap } from '../../core/lib/index.ts';

interface AnswerPaceOptions {
  /** Answers to one address in a second before the further ones wait; 0 is unlimited. */
  readonly perSecond: number;
  readonly onSlowed?: () => void;
  /** Milliseconds. By default the monotonic clock of the process. */
  readonly now?: () => number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** Returns how many milliseconds an answer to the address has to wait; 0 for most. */
export type AnswerPace = (address: string) => number;

/** Long enough that a thousand connections cost little, short enough for a person. */
const waitMs = 1_000;
/** More addresses than this are not counted side by side: the one without an answer for the longest time is forgotten. */
const addressesMax = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each address. An answer without a token waits: its connection sends nothing meanwhile. */
export function createAnswerPace(options: AnswerPaceOptions): AnswerPace {
  const { perSecond, onSlowed = () => {}, now = () => performance.now(), random = Math.random } = options;
  const buckets = new BoundedMap<string, Bucket>(addressesMax);
  return (address) => {
    if (perSecond === 0) return 0;
    const group = addressGroup(address);
    const at = now();
    const bucket = buckets.get(group) ?? { tokens: perSecond, filledAt: at };
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((at - bucket.filledAt) * perSecond) / 1_000);
    bucket.filledAt = at;
    buckets.set(group, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    onSlowed();
    // Callers that were slowed down together do not come back at the same moment.
    return waitMs * (0.75 + random() / 2);
  };
}
