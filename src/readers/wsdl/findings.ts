/** Collects what an import of a WSDL leaves out, says in another way, or has guessed, each with its place in the documents. */

import { escapeUnprintable, memoizeWeakly } from '../../core/lib/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { type FindingKind, Findings, PartRefused } from '../findings.ts';

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

export class FindingCollector extends Findings<LocatedElement, Finding> {
  readonly #once = new Set<string>();
  readonly #fileOf: (element: LocatedElement) => string;

  constructor(fileOf: (element: LocatedElement) => string) {
    super(findingsMax);
    this.#fileOf = fileOf;
  }

  protected override keyOf(element: LocatedElement): string {
    const { line, column } = element.position;
    return `${this.#fileOf(element)} ${line} ${column}`;
  }

  protected override finding(kind: FindingKind, element: LocatedElement, text: string): Finding {
    const { line, column } = element.position;
    return { kind, file: this.#fileOf(element), line, column, path: pathOf(element), text };
  }

  protected override isRefusal(thrown: unknown): thrown is Refused | TooManyParts {
    return thrown instanceof Refused || thrown instanceof TooManyParts;
  }

  /** At its first place only. */
  addOnce(kind: FindingKind, element: LocatedElement, text: string): void {
    if (this.#once.has(text)) return;
    this.#once.add(text);
    this.add(kind, element, `${text}; here first`);
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

/** The numbers of the children whose name is not the only one, from 1. */
const numbersIn = memoizeWeakly(({ children }: LocatedElement): ReadonlyMap<LocatedElement, number> => {
  const alike = [...Map.groupBy(children, keyOf).values()].filter((each) => each.length > 1);
  return new Map(alike.flatMap((each) => each.map((child, at) => [child, at + 1] as const)));
});

function keyOf({ namespace, local }: LocatedElement): string {
  return `{${namespace}}${local}`;
}

/** The nearest part that can do without the element is left out. */
export class Refused extends PartRefused<LocatedElement> {
  override readonly name = 'Refused';
}

/** More than a message can hold: where the part could only be left out, it is XML as text. */
export class TooLarge extends Refused {}

/** The bound of the whole import is reached: no member is left out for it, but the operation, and those after it that need more. */
export class TooManyParts extends PartRefused<LocatedElement> {
  override readonly name = 'TooManyParts';
}
