/** Executors: how the handler of an operation executes a request. One for each kind of handler, chosen at composition. */
import type { AnyRequest, CanonicalRequest } from '../contract/index.ts';
import { executeRemotely, readRemotely } from './execute-remotely.ts';
import type { BoundHandler, IdempotentTransaction, LocalHandler, LookupHandler, ReadingTransaction } from './ports.ts';
import type { RemoteDependencies } from './remote-dependencies.ts';
import type { Execution, ExecutionResult, TransactionResult } from './replay.ts';
import { isStorableProblem, type Outcome, sealOutcome } from './stored-outcome.ts';

export interface Executor<R, C> {
  /** Whether another server executes the operation. It gets the head of the request. */
  readonly isRemote: boolean;
  /** Whether another system is asked before the transaction. A retry must not ask it again, so the record is read first. */
  readonly hasLookup: boolean;
  /** Whether a retry may ask another server again: it has the effect of one key once, or can be asked for the outcome. */
  readonly deduplicates: boolean;
  /** Executes an operation that reads. */
  read(request: AnyRequest, dependencies: RemoteDependencies<R, C>): Promise<ExecutionResult>;
  /** Executes an operation that writes, in one transaction with its record. Throws `RecordStored` where there is one already. */
  write(execution: Execution, dependencies: RemoteDependencies<R, C>): Promise<TransactionResult>;
}

/** Returns the executor of a handler. */
export function executorOf<R extends ReadingTransaction, C>(handler: BoundHandler<R, C>): Executor<R, C> {
  const { kind } = handler;
  switch (kind) {
    case 'plain':
      return localExecutor(handler);
    case 'twoPhase':
      return localExecutor(handler, handler.lookup);
    case 'remote':
      return Object.freeze<Executor<R, C>>({
        isRemote: true,
        hasLookup: false,
        deduplicates: (handler.sides?.deduplicates ?? handler.deduplicates) || handler.lookup !== undefined,
        read: (request, { context }) => readRemotely(handler, request, context),
        write: (execution, dependencies) => executeRemotely(handler, execution, dependencies),
      });
    default:
      return kind satisfies never;
  }
}

/** Returns an executor that waits before it begins: requests with the same key find it in flight. */
export function executorAfter<R extends ReadingTransaction, C>(
  wait: () => Promise<void>,
  executor: Executor<R, C>,
): Executor<R, C> {
  return {
    ...executor,
    async read(...given) {
      await wait();
      return await executor.read(...given);
    },
    async write(...given) {
      await wait();
      return await executor.write(...given);
    },
  };
}

/** Runs the lookup of the operation, if it has one, then the handler and the idempotency record in one transaction. */
function localExecutor<R extends ReadingTransaction, C>(
  handler: LocalHandler<R, C>,
  lookup?: LookupHandler<R, C>['lookup'],
): Executor<R, C> {
  return Object.freeze<Executor<R, C>>({
    isRemote: false,
    hasLookup: lookup !== undefined,
    deduplicates: false,
    async read(request, { store, context }) {
      requireRights(request);
      const output = await store.read((tx) => handler.handle(request, tx, context));
      return { requestReference: request.requestReference, output, replayed: false };
    },
    async write({ request, record }, { store, context }) {
      requireRights(request);
      const { operation, requestReference } = request;
      const lookupResult = await lookup?.(request, store, context, record?.recordKey ?? requestReference);
      return await store.write(async (tx) => {
        const handle = () => handler.handle(request, tx, context, lookupResult);
        if (record === undefined) return { outcome: { requestReference, output: await handle() } };
        const { recordKey, requestHash, alias } = record;
        const { idempotencyRecords: records } = tx;
        const added = { requestHash, operation: operation.name, requestReference, alias };
        await records.reserve(recordKey, added);
        const outcome = await storableOutcome(request, tx, handle);
        await records.complete(recordKey, sealOutcome(outcome, operation, record));
        return { outcome };
      });
    },
  });
}

/** Handlers of this program decide by the rights of the caller. Throws TypeError where only another server knows them. */
function requireRights(request: AnyRequest): asserts request is CanonicalRequest {
  if ('rights' in request.caller)
    throw new TypeError(`the rights of the caller of ${request.operation.name} are not known here`);
}

/** A refusal by the handler rolls back to the savepoint and becomes the outcome; the record is committed with it. */
async function storableOutcome(
  { requestReference }: CanonicalRequest,
  tx: IdempotentTransaction,
  handle: () => Promise<unknown>,
): Promise<Outcome> {
  try {
    return { requestReference, output: await tx.savepoint(handle) };
  } catch (thrown) {
    if (isStorableProblem(thrown)) return { requestReference, problem: thrown };
    throw thrown;
  }
}
