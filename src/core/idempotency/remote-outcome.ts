/** Stores what became of a request to another server, or leaves it to a retry or an operator. */
import { redact } from '../lib/index.ts';
import type { IdempotentTransaction, ReadingTransaction } from './ports.ts';
import type { Asking, KeyedExecution, RemoteDependencies } from './remote-dependencies.ts';
import type { TransactionResult } from './replay.ts';
import { type Outcome, sealLargeOutcome, sealOutcome } from './stored-outcome.ts';

const failureLengthMax = 500;
/** Pauses between attempts to store an outcome, while the caller waits. */
const storePausesMs = [100, 400];
/** Locks isolate these transactions: they touch the two rows of their request. */
const readCommitted = { isolation: 'readCommitted' } as const;

/** Stores the outcome, unless the request was settled meanwhile. The answer counts in any case: its effect is there. */
export async function finish<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: KeyedExecution<C>,
  { id, recordKey }: Asking,
  outcome: Outcome,
): Promise<TransactionResult> {
  const { store, remote, wait } = dependencies;
  const { request, record } = execution;
  const { requestReference, operation } = request;
  const seal = request.head?.spool?.isUsed === true ? sealLargeOutcome : sealOutcome;
  const text = await seal(outcome, operation, record);
  const save = () =>
    store.write(async (tx) => {
      if (!(await tx.pendingRequests.remove({ id, recordKey }))) return false;
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
  { request, record, handler }: KeyedExecution<C>,
  outcome: Outcome,
  text: string,
): Promise<TransactionResult> {
  const { requestReference } = request;
  const found = await store.read((tx) => tx.idempotencyRecords.find(record.recordKey));
  const stored = found === undefined || 'pending' in found ? undefined : found;
  if (stored !== undefined && stored.outcome === text) return { outcome };
  // Where the other server deduplicates, another request has got the same answer under the same key.
  if (!handler.deduplicates) remote?.report?.({ kind: 'answeredAfterSettling', requestReference });
  return stored !== undefined && stored.requestHash === record.requestHash ? { stored } : { outcome };
}

/** Frees the key: the request had no effect. */
export async function withdraw<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: KeyedExecution<C>,
  { id, recordKey, attempt }: Asking,
): Promise<void> {
  const { request, record } = execution;
  let isRemoved = false;
  await change(dependencies, execution, async (tx) => {
    isRemoved = await tx.pendingRequests.remove({ id, recordKey }, attempt);
    if (isRemoved) await tx.idempotencyRecords.removePending(record.recordKey);
  });
  if (isRemoved) dependencies.remote?.pendingLimit?.remove(request.caller);
}

/** Leaves the request to a retry or to an operator: this process waits no longer. */
export function leave<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: KeyedExecution<C>,
  { id, recordKey, attempt }: Asking,
  thrown: unknown,
): Promise<void> {
  dependencies.remote?.lookupPace?.left(id);
  const failure = redact(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown);
  return change(dependencies, execution, (tx) =>
    tx.pendingRequests.leave({ id, recordKey }, attempt, failure.slice(0, failureLengthMax)),
  );
}

/** A failure of the store changes no answer: the request stays pending until its time has passed. */
async function change<R extends ReadingTransaction, C>(
  { store, remote }: RemoteDependencies<R, C>,
  { request }: KeyedExecution<C>,
  work: (tx: IdempotentTransaction) => Promise<void>,
): Promise<void> {
  try {
    await store.write(work, readCommitted);
  } catch (cause) {
    remote?.report?.({ kind: 'notStored', requestReference: request.requestReference, cause });
  }
}
