/** What the execution of operations of another server is given, and what it reports. */
import type { MaskSecrets } from '../contract/index.ts';
import type { LookupEvent, LookupPace } from './outcome-lookup.ts';
import type { PendingLimit } from './pending-limit.ts';
import type { IdempotentStore, PendingName, RemoteHandler, RequestHasher } from './ports.ts';
import type { Execution, RecordIdentity } from './replay.ts';

export interface RemoteDependencies<R, C> {
  readonly store: IdempotentStore<R>;
  readonly hasher: RequestHasher;
  readonly context: C;
  /** Resolves after this time. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly remote?: RemoteOptions | undefined;
}

/** What only operations of other servers need. */
export interface RemoteOptions {
  /** Host and number of this process, for operators. */
  readonly process: string;
  /** Reports what an operator must know of. */
  readonly report?: (event: RemoteEvent) => void;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs?: () => number;
  /** Without it, any number of requests may be pending. */
  readonly pendingLimit?: PendingLimit;
  /** Masks the inputs that operators see; by default what the contract calls sensitive. */
  readonly mask?: MaskSecrets;
  /** Bounds how often another server is asked for one outcome. */
  readonly lookupPace?: LookupPace;
}

export type RemoteEvent =
  | LookupEvent
  /** The other server has answered or failed, and the store did not take that. */
  | { readonly kind: 'notStored'; readonly requestReference: string; readonly cause: unknown }
  /** The answer came after an operator had settled the request. */
  | { readonly kind: 'answeredAfterSettling'; readonly requestReference: string };

/** An execution by a handler. */
export interface RemoteExecution<C> extends Execution {
  readonly handler: RemoteHandler<C>;
}

/** An execution of a request with an Idempotency-Key. */
export interface KeyedExecution<C> extends RemoteExecution<C> {
  readonly record: RecordIdentity;
}

/** The pending request of an execution. */
export interface Asking extends PendingName {
  readonly attempt: string;
  /** An earlier request has asked, and may have had the effect. */
  readonly isRepeat: boolean;
}
