/** Collects what an import leaves out, says in another way, or has guessed, each with its place in the documents. */
import { escapeUnprintable } from '../../lib/escape-unprintable.ts';
import type { LocatedElement } from '../../lib/xml/located.ts';

/** `refused`: left out of the contract. `changed`: the contract says it in another way. `check`: a guess. */
export type FindingKind = 'refused' | 'changed' | 'check';

export interface Finding {
  readonly kind: FindingKind;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Like an XPath: `/definitions/portType[@name="Orders"]`. */
  readonly path: string;
  readonly text: string;
}

/** Findings of each kind. */
const findingsMax = 5_000;

export class FindingCollector {
  readonly #all = new Map<string, Finding>();
  readonly #once = new Set<string>();
  readonly #counts: Record<FindingKind, number> = { refused: 0, changed: 0, check: 0 };
  readonly #fileOf: (element: LocatedElement) => string;

  constructor(fileOf: (element: LocatedElement) => string) {
    this.#fileOf = fileOf;
  }

  /** A collector with the findings so far, for an attempt. */
  branch(): FindingCollector {
    const branch = new FindingCollector(this.#fileOf);
    branch.take(this);
    return branch;
  }

  /** Adds the findings of a branch of this collector. */
  take(branch: FindingCollector): void {
    for (const [key, finding] of branch.#all) this.#all.set(key, finding);
    for (const text of branch.#once) this.#once.add(text);
    Object.assign(this.#counts, branch.#counts);
  }

  add(kind: FindingKind, element: LocatedElement, text: string): void {
    const { line, column } = element.position;
    const file = this.#fileOf(element);
    // Types that several operations use are read once for each.
    const key = `${kind} ${file} ${line} ${column} ${text}`;
    if (this.#all.has(key) || this.#counts[kind] > findingsMax) return;
    this.#counts[kind] += 1;
    const isLast = this.#counts[kind] > findingsMax;
    const reason = isLast ? `more than ${findingsMax} findings; this one and others are not listed` : text;
    this.#all.set(key, { kind, file, line, column, path: pathOf(element), text: reason });
  }

  /** At its first place only. */
  addOnce(kind: FindingKind, element: LocatedElement, text: string): void {
    if (this.#once.has(text)) return;
    this.#once.add(text);
    this.add(kind, element, `${text}; here first`);
  }

  /** Returns what `read` returns, or undefined with a finding where it is refused. */
  readOperation<T>(name: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof Refused || thrown instanceof TooManyParts)) throw thrown;
      this.add('refused', thrown.element, `${thrown.message}; the operation ${name} is left out`);
      return undefined;
    }
  }

  /** In the order in which they were found. */
  all(): readonly Finding[] {
    return [...this.#all.values()];
  }
}

/** `service.wsdl:12:5 /definitions/types/...: the reason`, on one line whatever the documents hold. */
export function printFinding({ file, line, column, path, text }: Finding): string {
  return escapeUnprintable(`${file}:${line}:${column} ${path}: ${text}`);
}

function pathOf(element: LocatedElement): string {
  const steps: string[] = [];
  for (let each: LocatedElement | undefined = element; each !== undefined; each = each.parent) steps.push(stepOf(each));
  return `/${steps.reverse().join('/')}`;
}

function stepOf(element: LocatedElement): string {
  const { local, attributes, parent } = element;
  for (const name of ['name', 'ref', 'targetNamespace', 'base', 'namespace']) {
    const value = parent === undefined ? undefined : attributes.get(name);
    if (value !== undefined) return `${local}[@${name}="${value}"]`;
  }
  const number = parent && numbersIn(parent).get(element);
  return number === undefined ? local : `${local}[${number}]`;
}

const numbers = new WeakMap<LocatedElement, ReadonlyMap<LocatedElement, number>>();

/** The numbers of the children whose name is not the only one, from 1. */
function numbersIn(parent: LocatedElement): ReadonlyMap<LocatedElement, number> {
  const known = numbers.get(parent);
  if (known !== undefined) return known;
  const alike = Map.groupBy(parent.children, keyOf);
  const numbered = [...alike.values()].flatMap((each) =>
    each.length > 1 ? each.map((child, at) => [child, at + 1] as const) : [],
  );
  const found = new Map(numbered);
  numbers.set(parent, found);
  return found;
}

function keyOf({ namespace, local }: LocatedElement): string {
  return `{${namespace}}${local}`;
}

/** Something that the contract language cannot say. The nearest part that can do without it is left out. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly element: LocatedElement;

  constructor(element: LocatedElement, message: string) {
    super(message);
    this.element = element;
  }
}

/** The bound of the whole import is reached: no member is left out for it, but the operation, and those after it that need more. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
  readonly element: LocatedElement;

  constructor(element: LocatedElement, message: string) {
    super(message);
    this.element = element;
  }
}
