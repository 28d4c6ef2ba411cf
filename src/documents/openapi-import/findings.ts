/** Collects what an import leaves out or says in another way, each with its place in the documents. */
import { escapeUnprintable } from '../../lib/escape-unprintable.ts';
import type { FindingKind } from '../wsdl/findings.ts';
import { headings } from '../wsdl/import-wsdl.ts';
import type { Node, OpenApiDocuments } from './documents.ts';
import { Refused } from './documents.ts';

export interface OpenApiFinding {
  readonly kind: FindingKind;
  /** `petstore.yaml#/paths/~1pets/get` */
  readonly place: string;
  readonly text: string;
}

/** Findings of each kind. */
const findingsMax = 2_000;

export class OpenApiFindings {
  readonly #all = new Map<string, OpenApiFinding>();
  readonly #counts: Record<FindingKind, number> = { refused: 0, changed: 0, check: 0 };
  readonly #documents: OpenApiDocuments;

  constructor(documents: OpenApiDocuments) {
    this.#documents = documents;
    documents.onLost = ({ node, message }) => this.add('refused', node, `${message}; it is left out`);
  }

  add(kind: FindingKind, node: Node, text: string): void {
    const place = this.#documents.placeOf(node);
    const key = `${kind} ${place} ${text}`;
    if (this.#all.has(key) || this.#counts[kind] > findingsMax) return;
    this.#counts[kind] += 1;
    const isLast = this.#counts[kind] > findingsMax;
    const reason = isLast ? `more than ${findingsMax} findings; this one and others are not listed` : text;
    this.#all.set(key, { kind, place, text: reason });
  }

  /** Returns what `read` returns, or undefined with a finding where it is refused. `lost`: what is left out then. */
  attempt<T>(lost: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      this.add('refused', thrown.node, `${thrown.message}; ${lost}`);
      return undefined;
    }
  }

  all(): readonly OpenApiFinding[] {
    return [...this.#all.values()];
  }
}

/** `petstore.yaml#/paths/~1pets/get: the reason`, on one line whatever the documents hold. */
export function printOpenApiFinding({ place, text }: OpenApiFinding): string {
  return escapeUnprintable(`${place}: ${text}`);
}

/** The findings of each kind below its heading. */
export function findingLines(findings: readonly OpenApiFinding[]): readonly string[] {
  return (Object.keys(headings) as FindingKind[]).flatMap((kind) => {
    const lines = findings.filter((each) => each.kind === kind).map((each) => `  ${printOpenApiFinding(each)}`);
    return lines.length === 0 ? [] : [`${headings[kind]}:`, ...lines];
  });
}
