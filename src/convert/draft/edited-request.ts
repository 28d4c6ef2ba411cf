/** A request that is being edited, and its text in one format. */
import type { Issue, Operation, Service } from '../../core/contract/index.ts';
import type { ProtocolName } from '../../core/formats/index.ts';
import type { FoundCoercion } from '../coercions.ts';
import type { Locate, MessagePlace } from '../locate.ts';
import type { DraftObject } from './draft.ts';

/** A request that is being edited, in no format. */
export interface EditedRequest {
  readonly service: Service;
  readonly operation: Operation;
  readonly draft: DraftObject;
  /** Canonical, if there are no issues. */
  readonly input: unknown;
  readonly issues: readonly Issue[];
}

/** A request that was read from a text. */
export interface EditedText extends EditedRequest {
  readonly format: ProtocolName;
  readonly coercions: readonly FoundCoercion[];
  readonly locate: Locate;
}

/** A request in one format. */
export interface WrittenRequest {
  readonly format: ProtocolName;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  /** The body, indented; with an HTTP head before it where that has fields. */
  readonly text: string;
  readonly issues: readonly PlacedIssue[];
}

export interface PlacedIssue extends Issue {
  /** In the coordinates of the format. */
  readonly at: string;
  readonly place: MessagePlace | undefined;
}
