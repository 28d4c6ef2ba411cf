/** Answers a request by the record of an earlier one with its key. */
import type { AnyRequest } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type {
  OperationHandler,
  PendingOutcome,
  RecordAlias,
  RemoteHandler,
  RequestHasher,
  StoredOutcome,
  StoredRecord,
} from './ports.ts';
import { type Outcome, openOutcome, parseOutcome } from './stored-outcome.ts';

/** A request, and what executes it. */
export interface Execution<H> {
  readonly request: AnyRequest;
  readonly handler: H;
}

/** An execution with an Idempotency-Key. */
export interface KeyedExecution<H> extends Execution<H> {
  readonly recordKey: string;
  readonly requestHash: string;
  /** Of the index key of the record. */
  readonly hasher: RequestHasher;
  /** During a rotation of the index key, where no record is stored under the other key. */
  readonly alias?: RecordAlias | undefined;
}

/** Without a record only `outcome`. With a record `stored`, and also `outcome` where this request had the effect. */
export interface TransactionResult {
  /** What the record holds. */
  readonly stored?: StoredOutcome;
  /** Present where this request had the effect. */
  readonly outcome?: Outcome;
}

/** What `handler` may be, where only its kind matters. */
type AnyHandler<R, C> = OperationHandler<R, C> | RemoteHandler<C>;

/** Throws keyReused for a record of another request. */
export function replay<H>({ requestHash, outcome }: StoredOutcome, execution: KeyedExecution<H>): Outcome {
  if (requestHash !== execution.requestHash) throw new Problem('keyReused');
  return parseOutcome(openOutcome(outcome, execution.hasher), execution.request.service);
}

/** Returns a record that has its outcome, and throws the problem of any other. */
export function requireOutcome<R, C>(stored: StoredRecord, execution: KeyedExecution<AnyHandler<R, C>>): StoredOutcome {
  if ('pending' in stored) throw unsettled(stored, execution);
  return stored;
}

/** What a request is refused with while another server has not answered the earlier one. */
export function unsettled<R, C>(
  { requestHash, pending: { state } }: PendingOutcome,
  execution: KeyedExecution<AnyHandler<R, C>>,
): Problem {
  // The request in flight may never arrive, and then the key belongs to another one.
  if (state === 'inFlight') return new Problem('inProgress');
  if (requestHash !== execution.requestHash) return new Problem('keyReused');
  const { handler } = execution;
  const mayAskAgain = state === 'repeatable' && 'forward' in handler && handler.deduplicates;
  return new Problem(mayAskAgain ? 'inProgress' : 'outcomeUnknown');
}
