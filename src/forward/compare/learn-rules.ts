/** Learns what is generated: members that differ between two answers of one server to one request, and how they differ. */
import type { Difference } from './compare-values.ts';
import { type RuleTexts, shapeOf } from './rules.ts';

interface Seen {
  readonly pairs: (readonly [left: unknown, right: unknown])[];
  /** Differences that are no other value: something is missing, added or in another order. */
  others: number;
}

/** Pairs of a path that are looked at. */
const pairsMax = 1_000;
const secondMs = 1_000;

/** Collects the differences between a recording and the answers of the server that was recorded. */
export class RuleLearner {
  readonly #paths = new Map<string, Seen>();

  /** Adds the differences of one answer. */
  add(operation: string, differences: readonly Difference[]): void {
    for (const { kind, path, left, right } of differences) {
      const name = `${operation}:${path}`;
      const seen = this.#paths.get(name) ?? { pairs: [], others: 0 };
      this.#paths.set(name, seen);
      if (kind !== 'value') seen.others += 1;
      else if (seen.pairs.length < pairsMax) seen.pairs.push([left, right]);
    }
  }

  /**
   * Returns the rules by which none of what was added is a difference: the narrowest one for each path. A reference that is always
   * the same other one is `mapId`, what is as long with digits and letters in the same places `sameShape`, and moments are `within`
   * twice the longest time between them.
   */
  rules(): RuleTexts {
    const ignore: string[] = [];
    const sameShape: string[] = [];
    const mapId: string[] = [];
    const within: Record<string, string> = {};
    for (const [path, { pairs, others }] of [...this.#paths].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const apartMs = others > 0 ? Number.NaN : longestTime(pairs);
      if (others > 0) ignore.push(path);
      else if (!Number.isNaN(apartMs)) within[path] = `${Math.max(1, Math.ceil((2 * apartMs) / secondMs))} s`;
      else if (!pairs.every(([left, right]) => shapeOf(left) === shapeOf(right))) ignore.push(path);
      else if (isOneToOne(pairs)) mapId.push(path);
      else sameShape.push(path);
    }
    return { ignore, sameShape, mapId, within };
  }
}

/** Milliseconds; NaN where a pair is no pair of moments. */
function longestTime(pairs: Seen['pairs']): number {
  const times = pairs.map(([left, right]) => Math.abs(momentOf(left) - momentOf(right)));
  return times.reduce((one, other) => Math.max(one, other), 0);
}

function momentOf(value: unknown): number {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
}

function isOneToOne(pairs: Seen['pairs']): boolean {
  const rights = new Map(pairs.map(([left, right]) => [String(left), String(right)]));
  const isSame = pairs.every(([left, right]) => rights.get(String(left)) === String(right));
  return isSame && new Set(rights.values()).size === rights.size;
}
