/** What is kept of a request: a line for the list, and the details of some. Plain data, so that processes can send it. */
import type { MaskedHeader } from './mask/mask-headers.ts';

/** What the Idempotency-Key of a request did. */
export type KeyResult =
  /** The request has none. */
  | 'none'
  /** The operation reads, which needs none. */
  | 'unused'
  /** The request had the effect, or a refusal was stored. */
  | 'new'
  | 'replayed'
  /** The key belongs to another request. */
  | 'conflict'
  | 'inProgress'
  /** The request was refused before it was executed, or failed. */
  | 'notStored';

/** A line of the list: names and numbers. */
export interface TrafficLine {
  /** The process, and the number of the request there: `4711-12`. */
  readonly id: string;
  /** When the answer was written, in milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** As a template. */
  readonly path?: string | undefined;
  readonly format: string;
  readonly service?: string | undefined;
  readonly version?: number | undefined;
  readonly operation?: string | undefined;
  /** The credential. */
  readonly caller?: string | undefined;
  readonly tenant?: string | undefined;
  /** `ok`, or the name of the problem. */
  readonly outcome: string;
  /** The problem is internal, and not one of the caller. */
  readonly isFailure: boolean;
  readonly status: number;
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly key: KeyResult;
  readonly reference: string;
  readonly hasDetails: boolean;
}

/** A step of a request. */
export interface TrafficStep {
  readonly name: 'receive' | 'decode' | 'authorize' | 'execute' | 'read' | 'transaction' | 'upstream' | 'answer';
  /** Since the arrival of the head. */
  readonly startMs: number;
  readonly ms: number;
  readonly isFailed: boolean;
}

/** A request that was forwarded. */
export interface UpstreamCall {
  readonly upstream: string;
  readonly operation: string;
  readonly hasKey: boolean;
  readonly startMs: number;
  readonly ms: number;
  /** `ok`, or the name of the problem or error. */
  readonly outcome: string;
  /** The reference that the upstream gave the request. */
  readonly reference?: string | undefined;
}

export interface TrafficIssue {
  /** In the words of the caller's format: an XPath, a JSON pointer, a dotted name. */
  readonly at: string;
  readonly problem: string;
  readonly code: string;
  readonly message: string;
}

/** A message as text, with secrets masked. */
export interface TrafficMessage {
  readonly headers: readonly MaskedHeader[];
  readonly body: string;
  readonly isCut: boolean;
}

export interface TrafficDetails {
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly address: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly received: TrafficMessage & {
    readonly query: string;
    /** Whether a format could read the body. If not, the text shows its structure alone. */
    readonly isReadable: boolean;
  };
  /** JSON text of the canonical input; absent where the request has issues, or did not get that far. */
  readonly canonical?: string | undefined;
  readonly issues: readonly TrafficIssue[];
  readonly problem?: { readonly name: string; readonly code: string; readonly message: string } | undefined;
  /** Of the Idempotency-Key. */
  readonly key: { readonly length?: number | undefined; readonly isWeak: boolean };
  readonly steps: readonly TrafficStep[];
  readonly upstream: readonly UpstreamCall[];
  readonly answer: TrafficMessage;
}
