/** What an import leaves out, says in another way, or has guessed: counted, bounded, and each once. */
import { escapeUnprintable } from '../core/lib/index.ts';

/** `refused`: left out of the contract. `changed`: the contract says it in another way. `check`: a guess. */
export type FindingKind = 'refused' | 'changed' | 'check';

/** A part of a document that the contract language cannot say, with its place. The nearest part that can do without it is left out. */
export abstract class PartRefused<P> extends Error {
  readonly place: P;

  constructor(place: P, message: string) {
    // A hostile document has many, and their stacks cost more than the reading.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.place = place;
  }
}

/** The findings of one import. `P`: a place in its documents. `F`: a finding as it is reported. */
export abstract class Findings<P, F> {
  readonly #all = new Map<string, F>();
  readonly #counts: Record<FindingKind, number> = { refused: 0, changed: 0, check: 0 };
  readonly #max: number;

  /** `max`: findings of each kind. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Two places with one key are one. */
  protected abstract keyOf(place: P): string;
  protected abstract finding(kind: FindingKind, place: P, text: string): F;
  /** Whether an attempt ends with what was thrown. */
  protected abstract isRefusal(thrown: unknown): thrown is PartRefused<P>;

  /** Adds a finding, unless the same one is there, or too many of its kind are. */
  add(kind: FindingKind, place: P, text: string): void {
    // A type may be read again, where another one turns out to be refused.
    const key = `${kind} ${this.keyOf(place)} ${text}`;
    if (this.#all.has(key) || this.#counts[kind] > this.#max) return;
    this.#counts[kind] += 1;
    const isLast = this.#counts[kind] > this.#max;
    const reason = isLast ? `more than ${this.#max} findings; this one and others are not listed` : text;
    this.#all.set(key, this.finding(kind, place, reason));
  }

  /** Returns what `read` returns, or undefined with a finding where it is refused. `lost`: what is left out then. */
  attempt<T>(lost: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!this.isRefusal(thrown)) throw thrown;
      this.add('refused', thrown.place, `${thrown.message}; ${lost}`);
      return undefined;
    }
  }

  /** In the order in which they were found. */
  all(): readonly F[] {
    return [...this.#all.values()];
  }
}

/** What each kind of finding means, for the report and the comments. */
const headings: Readonly<Record<FindingKind, string>> = Object.freeze({
  refused: 'Left out, since the contract language cannot say it',
  changed: 'Said in another way',
  check: 'To be checked',
});

/** `Said in another way:` with the findings of that kind below it, for each kind that there is. */
export function findingLines<F extends { readonly kind: FindingKind }>(
  findings: readonly F[],
  print: (finding: F) => string,
): readonly string[] {
  return (Object.keys(headings) as FindingKind[]).flatMap((kind) => {
    const lines = findings.filter((each) => each.kind === kind).map((each) => `  ${print(each)}`);
    return lines.length === 0 ? [] : [`${headings[kind]}:`, ...lines];
  });
}

/** The lines of findings as comments of a contract, each on one line whatever the documents hold. */
export function findingComments(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.startsWith('  ') ? [escapeUnprintable(`// - ${line.trim()}`)] : ['//', `// ${line}`],
  );
}
