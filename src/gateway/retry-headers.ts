/** The headers that say whether a refused request may be sent again (wire practice). */
import { type Problem, problems } from '../contract/problem.ts';
import { transientHeader } from '../contract/retry.ts';

/** Returns none where neither answer is certain. `isHarmless`: the request reads, or has a key by which a retry finds it. */
export function retryHeaders(
  { kind, retryAfterSeconds }: Problem,
  isHarmless: boolean,
): Readonly<Record<string, string>> {
  // What failed in an unforeseen way may have had its effect: with a key the retry finds it, and without one it repeats it.
  const isUnforeseen = kind === problems.internal || kind === problems.badAnswer;
  const transient = isUnforeseen && isHarmless ? true : kind.transient;
  if (transient === undefined) return {};
  return transient
    ? { [transientHeader]: 'true', 'Retry-After': String(retryAfterSeconds) }
    : { [transientHeader]: 'false' };
}
