/** Collects what an import leaves out, says in another way, or has guessed, each with its place in the documents. */
import { escapeUnprintable } from '../lib/escape-unprintable.ts';
import type { LocatedElement } from '../xml/located.ts';

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

export class FindingCollector {
  readonly #all = new Map<string, Finding>();
  readonly #fileOf: (element: LocatedElement) => string;

  constructor(fileOf: (element: LocatedElement) => string) {
    this.#fileOf = fileOf;
  }

  add(kind: FindingKind, element: LocatedElement, text: string): void {
    const { line, column } = element.position;
    const file = this.#fileOf(element);
    // Types that several operations use are read once for each.
    const key = `${kind} ${file} ${line} ${column} ${text}`;
    if (!this.#all.has(key)) this.#all.set(key, { kind, file, line, column, path: pathOf(element), text });
  }

  /** At its first place only. */
  addOnce(kind: FindingKind, element: LocatedElement, text: string): void {
    const here = `${text}; here first`;
    if (this.all().every((each) => each.text !== here)) this.add(kind, element, here);
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
  const { local, attributes, parent, namespace } = element;
  for (const name of ['name', 'ref', 'targetNamespace', 'base', 'namespace']) {
    const value = parent === undefined ? undefined : attributes.get(name);
    if (value !== undefined) return `${local}[@${name}="${value}"]`;
  }
  const alike = parent?.children.filter((each) => each.local === local && each.namespace === namespace) ?? [];
  return alike.length > 1 ? `${local}[${alike.indexOf(element) + 1}]` : local;
}
