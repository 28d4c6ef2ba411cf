/** The result of handling a request: the message for the caller, and the entry for the log and the metrics. */
import type { Problem } from '../contract/problem.ts';
import type { Decoded } from '../formats/protocol.ts';
import type { Message } from '../formats/wire.ts';

/** Names and numbers only: never a body, a field's text or a secret. */
export interface LogEntry {
  readonly protocol: string;
  /** The path as a template: names in braces stand for fields, and `*` for what no address of this server has. */
  readonly path?: string | undefined;
  /** Absent where the request did not get far enough to tell. */
  readonly service?: string | undefined;
  /** The version in the path, as served: the contract's. */
  readonly version?: number | undefined;
  /** As the caller wrote it in the path; absent where the path has none. */
  readonly requestedVersion?: number | undefined;
  readonly operation?: string | undefined;
  readonly credential?: string | undefined;
  readonly tenant?: string | undefined;
  /** The first field of a valid input whose value a grant must hold. The value is text of the caller. */
  readonly account?: { readonly field: string; readonly value: string } | undefined;
  /** What the client calls itself, in few printable characters. */
  readonly client?: string | undefined;
  readonly requestReference: string;
  /** The X-Request-Id of the caller, or the reference that this request had before it turned out to repeat another. */
  readonly requestId?: string | undefined;
  /** The answer was an earlier request's, found by its Idempotency-Key. */
  readonly replayed?: boolean | undefined;
  /** The Idempotency-Key is so short that another caller may choose the same. */
  readonly weakKey?: boolean | undefined;
  /** `ok`, or the name of the problem. */
  readonly outcome: string;
  readonly problem?: Problem | undefined;
  /** The call is deprecated: its caller was informed, was refused, or is exempt. */
  readonly deprecation?: 'announced' | 'refused' | 'exempt' | undefined;
}

export interface Answer {
  readonly message: Message;
  readonly entry: LogEntry;
  /** The request in canonical form; absent where it did not get that far. */
  readonly decoded?: Decoded | undefined;
  /** The connection is closed instead of a response, as a test has asked. */
  readonly dropsConnection?: true;
}
