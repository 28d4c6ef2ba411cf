/** Answers a request by the record of an earlier one with its key. */
import { type AnyRequest, Problem } from '../contract/index.ts';
import type { OwnedRecord, PendingOutcome, RecordAlias, StoredOutcome, StoredRecord } from './ports.ts';
import { type Outcome, openOutcome, parseOutcome } from './stored-outcome.ts';

/** A request, and what identifies its record where it has an Idempotency-Key. */
export interface Execution {
  readonly request: AnyRequest;
  readonly record?: RecordIdentity | undefined;
}

/** What identifies the record of a request with an Idempotency-Key. */
export interface RecordIdentity extends OwnedRecord {
  readonly requestHash: string;
  /** During a rotation of the index key, where no record is stored under the other key. */
  readonly alias?: RecordAlias | undefined;
}

export interface ExecutionResult extends Outcome {
  /** An earlier request had the effect. */
  readonly replayed: boolean;
}

/** Without a record only `outcome`. With a record `stored`, and also `outcome` where this request had the effect. */
export interface TransactionResult {
  /** What the record holds. */
  readonly stored?: StoredOutcome;
  /** Present where this request had the effect. */
  readonly outcome?: Outcome;
}

/** Throws keyReused for a record of another request. */
export function replay(
  { requestHash, outcome, aliasOf }: StoredOutcome,
  { service, operation }: AnyRequest,
  record: RecordIdentity,
): ExecutionResult {
  if (requestHash !== record.requestHash) throw new Problem('keyReused');
  const { hasher, recordKey } = record;
  const text = openOutcome(outcome, operation.name, { hasher, recordKey: aliasOf ?? recordKey });
  return { ...parseOutcome(text, service), replayed: true };
}

/** Returns a record that has its outcome, and throws the problem of any other. `deduplicates`: as of the executor. */
export function requireOutcome(stored: StoredRecord, requestHash: string, deduplicates: boolean): StoredOutcome {
  if ('pending' in stored) throw unsettled(stored, requestHash, deduplicates);
  return stored;
}

/** What a request is refused with while another server has not answered the earlier one. */
export function unsettled(earlier: PendingOutcome, requestHash: string, deduplicates: boolean): Problem {
  const { state } = earlier.pending;
  // The request in flight may never arrive, and then the key belongs to another one.
  if (state === 'inFlight') return new Problem('inProgress');
  if (earlier.requestHash !== requestHash) return new Problem('keyReused');
  return new Problem(state === 'repeatable' && deduplicates ? 'inProgress' : 'outcomeUnknown');
}
