/** Collects what an import leaves out or says in another way, each with its place in the documents. */
import { escapeUnprintable } from '../../core/lib/index.ts';
import { type FindingKind, Findings, findingLines, type PartRefused } from '../findings.ts';
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

export class OpenApiFindings extends Findings<Node, OpenApiFinding> {
  readonly #documents: OpenApiDocuments;

  constructor(documents: OpenApiDocuments) {
    super(findingsMax);
    this.#documents = documents;
    documents.onLost = ({ place, message }) => this.add('refused', place, `${message}; it is left out`);
  }

  protected override keyOf(node: Node): string {
    return this.#documents.placeOf(node);
  }

  protected override finding(kind: FindingKind, node: Node, text: string): OpenApiFinding {
    return { kind, place: this.#documents.placeOf(node), text };
  }

  protected override isRefusal(thrown: unknown): thrown is PartRefused<Node> {
    return thrown instanceof Refused;
  }
}

/** `petstore.yaml#/paths/~1pets/get: the reason`, on one line whatever the documents hold. */
function printOpenApiFinding({ place, text }: OpenApiFinding): string {
  return escapeUnprintable(`${place}: ${text}`);
}

/** The findings of each kind below its heading. */
export function openApiFindingLines(findings: readonly OpenApiFinding[]): readonly string[] {
  return findingLines(findings, printOpenApiFinding);
}
