/** Idempotent execution: keys, request hashes, stored outcomes. */
export * from './execute-idempotently.ts';
export { marginMs } from './execute-remotely.ts';
export * from './executor.ts';
export * from './idempotency-key.ts';
export * from './outcome-lookup.ts';
export { type PendingCount, PendingLimit } from './pending-limit.ts';
export {
  ApplicationError,
  type BoundHandler,
  type CacheReservation,
  type IdempotencyCache,
  type IdempotencyRecordReader,
  type IdempotencyRecords,
  type IdempotentStore,
  type IdempotentTransaction,
  LockTimeout,
  type LookedUp,
  type NewPendingRequest,
  type NewRecord,
  NotSent,
  type OutcomeLookup,
  OutcomeUnknown,
  type PendingName,
  type PendingRequest,
  type PendingRequests,
  type ReadingTransaction,
  RecordStored,
  type RemoteAnswer,
  type RemoteHandler,
  type RequestHasher,
  type StoredRecord,
} from './ports.ts';
export type { RemoteEvent } from './remote-dependencies.ts';
export { isRefusal, mayBeSentAgain } from './remote-problems.ts';
export * from './request-hash.ts';
export { isReference, isStorableProblem, type Outcome, openOutcome, sealOutcome } from './stored-outcome.ts';
