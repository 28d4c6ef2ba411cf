/**
 * Executes operations that another server answers. No transaction is open while it is asked.
 *
 * A transaction before the question reserves the record and adds a pending request; one after the answer stores the outcome and
 * removes the pending request. What a crash leaves in between is asked again under the same key, where the other server
 * deduplicates. Where it does not, the outcome is unknown until an operator settles it.
 */
import { randomUUID } from 'node:crypto';
import type { AnyRequest } from '../contract/canonical.ts';
import { type MaskSecrets, maskSensitive } from '../contract/redaction.ts';
import { redact } from '../lib/redact.ts';
import type { PendingLimit } from './pending-limit.ts';
import {
  type IdempotentStore,
  type IdempotentTransaction,
  type NewPendingRequest,
  NotSent,
  OutcomeUnknown,
  type PendingName,
  type ReadingTransaction,
  type RemoteHandler,
  type RequestHasher,
  type StoredOutcome,
  type StoredRecord,
} from './ports.ts';
import {
  badAnswer,
  isOfOtherRequest,
  isRefusal,
  isStorableRefusal,
  mayBeSentAgain,
  outcomeUnknown,
  refusalOf,
  unavailable,
} from './remote-problems.ts';
import {
  type Execution,
  type ExecutionResult,
  type RecordIdentity,
  type TransactionResult,
  unsettled,
} from './replay.ts';
import { isReference, type Outcome, sealOutcome } from './stored-outcome.ts';

export interface RemoteDependencies<R extends ReadingTransaction, C> {
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
}

export type RemoteEvent =
  /** The other server has answered or failed, and the store did not take that. */
  | { readonly kind: 'notStored'; readonly requestReference: string; readonly cause: unknown }
  /** The answer came after an operator had settled the request. */
  | { readonly kind: 'answeredAfterSettling'; readonly requestReference: string };

/** Longer inputs are not shown to operators. */
const inputLengthMax = 16_384;
const failureLengthMax = 500;
/** Between the reservation and the question; a request that is later is not sent. */
const marginMs = 5_000;
/** Where the other server deduplicates, a retry asks again after this time: the process that asked may have died. */
const takeOverMs = 2_000;
const keyMsDefault = 24 * 60 * 60 * 1000;
/** Pauses between attempts to store an outcome, while the caller waits. */
const storePausesMs = [100, 400];
/** Locks isolate these transactions: they touch the two rows of their request. */
const readCommitted = { isolation: 'readCommitted' } as const;

/** An execution by a handler. */
interface RemoteExecution<C> extends Execution {
  readonly handler: RemoteHandler<C>;
}

/** The pending request of an execution. */
interface Asking extends PendingName {
  readonly attempt: string;
  /** An earlier request has asked, and may have had the effect. */
  readonly isRepeat: boolean;
}

/** Throws the refusals of the other server, `unavailable` and `badAnswer`. */
export async function readRemotely<C>(
  handler: RemoteHandler<C>,
  request: AnyRequest,
  context: C,
): Promise<ExecutionResult> {
  try {
    return { ...(await ask({ request, handler }, context, undefined)), replayed: false };
  } catch (thrown) {
    if (thrown instanceof NotSent) throw unavailable(thrown);
    throw thrown instanceof OutcomeUnknown ? badAnswer(thrown) : thrown;
  }
}

/** Throws inProgress, keyReused and outcomeUnknown, and what is thrown where no outcome is stored. */
export async function executeRemotely<R extends ReadingTransaction, C>(
  handler: RemoteHandler<C>,
  { request, record }: Execution,
  dependencies: RemoteDependencies<R, C>,
): Promise<TransactionResult> {
  const { context, remote: { monotonicMs = () => performance.now() } = {} } = dependencies;
  const execution = { request, record, handler };
  const { deduplicates } = handler;
  // No retry can follow that is known as one. The key lets the client of the other server try its connection again.
  if (record === undefined && deduplicates) return { outcome: await askUnkeyed(execution, context) };
  const startedAt = monotonicMs();
  const reserved = await reserve(dependencies, execution);
  if ('stored' in reserved) return reserved;
  let outcome: Outcome;
  try {
    // This process was suspended. Others may have called the outcome unknown since, and it may be settled.
    if (monotonicMs() - startedAt > marginMs) throw new NotSent('too late after the reservation');
    const key = record !== undefined && deduplicates ? record.hasher.upstreamKey(record.recordKey) : undefined;
    outcome = await ask(execution, context, key);
  } catch (thrown) {
    outcome = await outcomeOfFailure(dependencies, execution, reserved, thrown);
  }
  return await finish(dependencies, execution, reserved, outcome);
}

async function ask<C>({ request, handler }: RemoteExecution<C>, context: C, key?: string): Promise<Outcome> {
  const { output, extras, requestReference } = await handler.forward(request, context, key);
  const reference = requestReference !== undefined && isReference(requestReference) ? requestReference : undefined;
  return { requestReference: reference ?? request.requestReference, output, ...(extras !== undefined && { extras }) };
}

async function askUnkeyed<C>(execution: RemoteExecution<C>, context: C): Promise<Outcome> {
  try {
    return await ask(execution, context, randomUUID());
  } catch (thrown) {
    if (thrown instanceof NotSent) throw unavailable(thrown);
    throw isRefusal(thrown) ? thrown : outcomeUnknown(thrown);
  }
}

/** Commits what makes the request known to every process before it is sent. */
async function reserve<R extends ReadingTransaction, C>(
  { store, remote }: RemoteDependencies<R, C>,
  execution: RemoteExecution<C>,
): Promise<Asking | { readonly stored: StoredOutcome }> {
  const { request, record, handler } = execution;
  const { caller, requestReference } = request;
  let isCounted = false;
  const pending = newPendingRequest(execution, remote);
  const { id, recordKey } = pending;
  const own: Asking = { id, recordKey, attempt: id, isRepeat: false };
  const reserved = store.write(async (tx) => {
    const earlier = record && (await reserveRecord(tx, request, record));
    if (record === undefined || earlier === undefined) {
      // The transaction may run twice.
      if (!isCounted) remote?.pendingLimit?.add(caller);
      isCounted = true;
      await tx.pendingRequests.add(pending);
      return own;
    }
    if (!('pending' in earlier)) return { stored: earlier };
    const { id: earlierId, state } = earlier.pending;
    const mayAskAgain = state === 'repeatable' && handler.deduplicates && earlier.requestHash === record.requestHash;
    if (!mayAskAgain || !(await tx.pendingRequests.takeOver(earlier.pending, requestReference, pending.inFlightMs)))
      throw unsettled(earlier, record.requestHash, handler.deduplicates);
    return { id: earlierId, recordKey, attempt: requestReference, isRepeat: true };
  }, readCommitted);
  try {
    const result = await reserved;
    // The transaction ran twice, and found a record at last.
    if (isCounted && result !== own) remote?.pendingLimit?.remove(caller);
    return result;
  } catch (thrown) {
    if (isCounted) remote?.pendingLimit?.remove(caller);
    throw thrown;
  }
}

function reserveRecord(
  tx: IdempotentTransaction,
  { operation, requestReference }: AnyRequest,
  { recordKey, requestHash, alias }: RecordIdentity,
): Promise<StoredRecord | undefined> {
  const added = { requestHash, operation: operation.name, requestReference, alias };
  return tx.idempotencyRecords.reservePending(recordKey, added);
}

function newPendingRequest<C>(
  execution: RemoteExecution<C>,
  { process = '', mask = maskSensitive }: Partial<RemoteOptions> = {},
): NewPendingRequest {
  const { request, record, handler } = execution;
  const { requestReference, service, operation, caller } = request;
  const { upstream, deduplicates, msMax, keyMsMax = keyMsDefault } = handler;
  const input = JSON.stringify(mask(operation.input, request.input));
  return {
    id: requestReference,
    recordKey: record?.recordKey,
    upstream,
    service: service.name,
    operation: operation.name,
    tenant: caller.tenant,
    credential: caller.credential,
    process,
    input: input.length > inputLengthMax ? undefined : input,
    inFlightMs: deduplicates ? takeOverMs : msMax + marginMs,
    repeatableMs: deduplicates ? keyMsMax : 0,
  };
}

/** Returns a refusal that is stored as the outcome, and throws the problem of any other failure. */
async function outcomeOfFailure<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: RemoteExecution<C>,
  asking: Asking,
  thrown: unknown,
): Promise<Outcome> {
  const { request, record, handler } = execution;
  const isKeyed = record !== undefined;
  const refusal = refusalOf(thrown);
  if (refusal !== undefined && isKeyed && isStorableRefusal(refusal))
    return { requestReference: refusal.requestReference ?? request.requestReference, problem: refusal };
  const hadNoEffect = thrown instanceof NotSent || isRefusal(thrown);
  if (hadNoEffect && !asking.isRepeat && !(handler.deduplicates && isOfOtherRequest(thrown)))
    await withdraw(dependencies, execution, asking);
  else await leave(dependencies, execution, asking, thrown);
  if (thrown instanceof NotSent) throw unavailable(thrown);
  if (hadNoEffect && !asking.isRepeat) throw thrown;
  if (!isKeyed || !handler.deduplicates) throw outcomeUnknown(thrown);
  // An earlier attempt may have had the effect, so the refusal of a later one is not final.
  if (refusal !== undefined) throw mayBeSentAgain(refusal);
  throw thrown instanceof OutcomeUnknown ? badAnswer(thrown) : thrown;
}

/** Stores the outcome, unless the request was settled meanwhile. The answer counts in any case: its effect is there. */
async function finish<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: RemoteExecution<C>,
  { id, recordKey }: Asking,
  outcome: Outcome,
): Promise<TransactionResult> {
  const { store, remote, wait } = dependencies;
  const { request, record } = execution;
  const { requestReference, operation } = request;
  const text = record && sealOutcome(outcome, operation, record.hasher);
  const save = () =>
    store.write(async (tx) => {
      if (!(await tx.pendingRequests.remove({ id, recordKey }))) return false;
      if (record !== undefined && text !== undefined)
        await tx.idempotencyRecords.completePending(record.recordKey, text);
      return true;
    }, readCommitted);
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (await save()) {
        remote?.pendingLimit?.remove(request.caller);
        return { outcome };
      }
      return await settledMeanwhile(dependencies, execution, outcome, text);
    } catch (cause) {
      const pauseMs = storePausesMs[attempt];
      if (pauseMs === undefined) {
        remote?.report?.({ kind: 'notStored', requestReference, cause });
        return { outcome };
      }
      await wait(pauseMs);
    }
  }
}

/** Another request with the key has stored the outcome, an operator has, or an attempt of this one whose commit was unknown. */
async function settledMeanwhile<R extends ReadingTransaction, C>(
  { store, remote }: RemoteDependencies<R, C>,
  { request, record, handler }: RemoteExecution<C>,
  outcome: Outcome,
  text: string | undefined,
): Promise<TransactionResult> {
  const { requestReference } = request;
  const found = record && (await store.read((tx) => tx.idempotencyRecords.find(record.recordKey)));
  const stored = found === undefined || 'pending' in found ? undefined : found;
  if (stored !== undefined && stored.outcome === text) return { outcome };
  // Where the other server deduplicates, another request has got the same answer under the same key.
  if (!handler.deduplicates) remote?.report?.({ kind: 'answeredAfterSettling', requestReference });
  return stored !== undefined && stored.requestHash === record?.requestHash ? { stored } : { outcome };
}

/** Frees the key: the request had no effect. */
async function withdraw<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: RemoteExecution<C>,
  { id, recordKey, attempt }: Asking,
): Promise<void> {
  const { request, record } = execution;
  let isRemoved = false;
  await change(dependencies, execution, async (tx) => {
    isRemoved = await tx.pendingRequests.remove({ id, recordKey }, attempt);
    if (isRemoved && record !== undefined) await tx.idempotencyRecords.removePending(record.recordKey);
  });
  if (isRemoved) dependencies.remote?.pendingLimit?.remove(request.caller);
}

/** Leaves the request to a retry or to an operator: this process waits no longer. */
function leave<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: RemoteExecution<C>,
  { id, recordKey, attempt }: Asking,
  thrown: unknown,
): Promise<void> {
  const failure = redact(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown);
  return change(dependencies, execution, (tx) =>
    tx.pendingRequests.leave({ id, recordKey }, attempt, failure.slice(0, failureLengthMax)),
  );
}

/** A failure of the store changes no answer: the request stays pending until its time has passed. */
async function change<R extends ReadingTransaction, C>(
  { store, remote }: RemoteDependencies<R, C>,
  { request }: RemoteExecution<C>,
  work: (tx: IdempotentTransaction) => Promise<void>,
): Promise<void> {
  try {
    await store.write(work, readCommitted);
  } catch (cause) {
    remote?.report?.({ kind: 'notStored', requestReference: request.requestReference, cause });
  }
}
