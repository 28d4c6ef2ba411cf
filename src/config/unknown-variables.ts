/** Finds misspelt settings: unknown variables that are close to the name of a setting, or start with one of our prefixes. */

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Prefixes of the engine's settings that no other program uses. */
const enginePrefixes = ['TRIGLYPH_', 'DRAIN_', 'IDEMPOTENCY_'];

/** Variables of Node and npm, whatever follows, and of OpenSSL. */
const foreign = /^(?:NODE|NPM)_|^SSL_CERT_(?:FILE|DIR)$/i;

/** Kubernetes sets these for each Service of the namespace, a Service called `triglyph` included. */
const serviceLink =
  /_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

/** Returns a line for each unknown variable that is a misspelt setting. `others`: the prefixes of services. */
export function findUnknownVariables(
  variables: Variables,
  known: ReadonlySet<string>,
  others: readonly string[],
): readonly string[] {
  const prefixes = [...enginePrefixes, ...others];
  return Object.entries(variables).flatMap(([name, value]) => {
    if (known.has(name) || isForeign(name, value)) return [];
    const suggestion = closest(name, known);
    if (suggestion !== undefined) return `${name} is not a setting: did you mean ${suggestion}?`;
    if (prefixes.some((prefix) => name.startsWith(prefix)))
      return `${name} is not a setting: remove it, or see docs/configuration.md for the right name.`;
    return [];
  });
}

function isForeign(name: string, value = ''): boolean {
  return foreign.test(name) || serviceLink.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):/.test(value));
}

/** Returns the known name that a misspelt one stands for. Known names are in capital letters. */
export function closest(name: string, known: ReadonlySet<string>): string | undefined {
  // Windows ignores the case of names; everywhere else a name in another case is another variable.
  const upper = name.toUpperCase();
  if (known.has(upper)) return process.platform === 'win32' || upper.length <= shortMax ? undefined : upper;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    if (!isCandidate(upper, candidate)) continue;
    const distance = editDistance(upper, candidate, distanceMax(candidate));
    if (distance <= distanceMax(candidate) && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { candidate, distance };
  }
  return best?.candidate;
}

const shortMax = 4;

/** PORTS, POST and HOSTS may be other programs' variables: of short names, PROT with swapped and PORTT with doubled letters are compared. */
function isCandidate(name: string, candidate: string): boolean {
  if (candidate.length > shortMax) return Math.abs(name.length - candidate.length) <= 2;
  return [...name].sort().join('') === [...candidate].sort().join('') || name.replace(/(.)\1/, '$1') === candidate;
}

const distanceMax = (candidate: string): number => (candidate.length < 10 ? 1 : 2);

/**
 * The number of letters inserted, deleted, replaced or swapped with a neighbour (optimal string alignment); infinity beyond
 * `max`, soon for names that have little in common: a start compares each variable with each setting.
 */
function editDistance(one: string, other: string, max: number): number {
  const isBeyond = (distance: number) => distance > max;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = last[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      const swapped =
        one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
          ? beforeLast[column - 2]! + 1
          : Number.POSITIVE_INFINITY;
      current[column] = Math.min(last[column]! + 1, current[column - 1]! + 1, replaced, swapped);
    }
    // Each row follows from the two before it, and no distance shrinks.
    if (current.every(isBeyond) && last.every(isBeyond)) return Number.POSITIVE_INFINITY;
    [beforeLast, last] = [last, current];
  }
  return last[other.length]!;
}
