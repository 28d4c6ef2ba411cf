/** Suggests the name that a misspelt one stands for. */
import { closest } from './unknown-variables.ts';

/** Returns `did you mean settings?`, or `there are a, b` with all names where none of several is close. */
export function didYouMean(given: string, known: readonly string[]): string {
  const names = new Map(known.map((name) => [name.toUpperCase(), name]));
  // `closest` leaves out short names in another case, since variables with these names may be those of other programs.
  const same = names.get(given.toUpperCase());
  const found = closest(given, new Set(names.keys()));
  const suggestion = same ?? (found === undefined ? undefined : names.get(found));
  if (suggestion === undefined && names.size !== 1) return `there are ${[...names.values()].join(', ') || 'none'}`;
  return `did you mean ${suggestion ?? known[0]}?`;
}
