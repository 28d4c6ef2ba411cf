/**
 * Executes operations that another server answers. No transaction is open while it is asked.
 *
 * A transaction before the question reserves the record and adds a pending request; one after the answer stores the outcome and
 * removes the pending request. What a crash leaves in between is asked again under the same key, where the other server
 * deduplicates. Where it does not, the outcome is unknown until the other server is asked for it, or an operator settles it.
 */
import { randomUUID } from 'node:crypto';
import { type AnyRequest, maskSensitive, Problem } from '../contract/index.ts';
import { describeTokens } from '../spool/index.ts';
import { type LookupEvent, lookUpOutcome } from './outcome-lookup.ts';
import {
  ApplicationError,
  type IdempotentTransaction,
  type NewPendingRequest,
  NotSent,
  OutcomeUnknown,
  type PendingOutcome,
  type ReadingTransaction,
  type RemoteHandler,
  type RequestHasher,
  type StoredOutcome,
  type StoredRecord,
} from './ports.ts';
import type {
  Asking,
  KeyedExecution,
  RemoteDependencies,
  RemoteExecution,
  RemoteOptions,
} from './remote-dependencies.ts';
import { finish, leave, withdraw } from './remote-outcome.ts';
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

/** Longer inputs are not shown to operators. */
const inputLengthMax = 16_384;
/** Between the reservation and the question; a request that is later is not sent. */
export const marginMs = 5_000;
/** Where the other server deduplicates, a retry asks again after this time: the process that asked may have died. */
const takeOverMs = 2_000;
const keyMsDefault = 24 * 60 * 60 * 1000;
/** Where the other server can be asked for an outcome, callers are asked to come again for so long. Operators learn of it then. */
const askableMs = 60 * 60 * 1000;
/** Locks isolate these transactions: they touch the two rows of their request. */
const readCommitted = { isolation: 'readCommitted' } as const;

/** The server of a reservation: a retry asks the one that was asked first. */
interface Reservation<C> {
  readonly asking: Asking;
  readonly handler: RemoteHandler<C>;
  /** That the server gets. */
  readonly key: string | undefined;
}

/** An earlier request whose server can be asked what became of it. */
interface UnknownRequest<C> {
  readonly unknown: PendingOutcome;
  readonly handler: RemoteHandler<C>;
}

/** Throws the refusals of the other server, `unavailable` and `badAnswer`. */
export async function readRemotely<C>(
  handler: RemoteHandler<C>,
  request: AnyRequest,
  context: C,
): Promise<ExecutionResult> {
  const chosen = chooseSide(handler, request);
  try {
    return { ...(await ask({ request, handler: chosen }, context, undefined)), replayed: false };
  } catch (thrown) {
    const other = chosen.instead?.(thrown);
    if (other !== undefined) return readRemotely(other, request, context);
    if (thrown instanceof NotSent) throw unavailable(thrown);
    throw thrown instanceof OutcomeUnknown ? badAnswer(thrown) : thrown;
  }
}

/** A request without a key leaves nothing behind: no retry of it is known as one. Throws inProgress, keyReused and outcomeUnknown, and what is thrown where no outcome is stored. */
export async function executeRemotely<R extends ReadingTransaction, C>(
  given: RemoteHandler<C>,
  { request, record }: Execution,
  dependencies: RemoteDependencies<R, C>,
): Promise<TransactionResult> {
  const { context, remote: { monotonicMs = () => performance.now() } = {} } = dependencies;
  const side = chooseSide(given, request);
  if (record === undefined) return { outcome: await askUnkeyed({ request, handler: side }, context) };
  const chosen = { request, record, handler: side };
  let startedAt = monotonicMs();
  let reserved = await reserve(dependencies, chosen, given);
  if ('unknown' in reserved) {
    const asked = { request, record, handler: reserved.handler };
    await lookUpForRetry(dependencies, asked, reserved.unknown, keyFor(asked));
    startedAt = monotonicMs();
    reserved = await reserve(dependencies, chosen, given);
    // Another request has reserved the key meanwhile, and has no outcome either.
    if ('unknown' in reserved) throw new Problem('inProgress');
  }
  if ('stored' in reserved) return reserved;
  const { asking, handler, key } = reserved;
  const execution = { request, record, handler };
  let outcome: Outcome;
  try {
    // This process was suspended. Others may have called the outcome unknown since, and it may be settled.
    if (monotonicMs() - startedAt > marginMs) throw new NotSent('too late after the reservation');
    outcome = await ask(execution, context, key);
  } catch (thrown) {
    const other = asking.isRepeat ? undefined : handler.instead?.(thrown);
    if (other !== undefined) {
      await withdraw(dependencies, execution, asking);
      return executeRemotely(instead(given, other), { request, record }, dependencies);
    }
    outcome = await outcomeOfFailure(dependencies, execution, asking, thrown);
  }
  return await finish(dependencies, execution, asking, outcome);
}

/** A request without a key of its caller has a random one: it lets the client of the other server try its connection again. */
function keyFor<C>({ record, handler: { deduplicates, lookup } }: RemoteExecution<C>): string | undefined {
  if (!deduplicates && !lookup?.sendsKey) return undefined;
  return record === undefined ? randomUUID() : record.hasher.upstreamKey(record.recordKey);
}

async function ask<C>({ request, handler }: RemoteExecution<C>, context: C, key?: string): Promise<Outcome> {
  const { output, extras, requestReference } = await handler.forward(request, context, key);
  const reference = requestReference !== undefined && isReference(requestReference) ? requestReference : undefined;
  return { requestReference: reference ?? request.requestReference, output, ...(extras !== undefined && { extras }) };
}

async function askUnkeyed<C>(execution: RemoteExecution<C>, context: C): Promise<Outcome> {
  try {
    return await ask(execution, context, keyFor(execution));
  } catch (thrown) {
    const other = execution.handler.instead?.(thrown);
    if (other !== undefined) return askUnkeyed({ ...execution, handler: other }, context);
    if (thrown instanceof NotSent) throw unavailable(thrown);
    if (thrown instanceof ApplicationError) throw thrown.problem;
    throw isRefusal(thrown) ? thrown : outcomeUnknown(thrown);
  }
}

function chooseSide<C>(handler: RemoteHandler<C>, request: AnyRequest): RemoteHandler<C> {
  return handler.sides?.choose(request) ?? handler;
}

/** The same servers, of which the other one is asked. A retry that came meanwhile still finds both. */
function instead<C>({ sides, ...given }: RemoteHandler<C>, other: RemoteHandler<C>): RemoteHandler<C> {
  return sides === undefined ? other : { ...given, sides: { ...sides, choose: () => other } };
}

/** The handler of the server that an earlier request has asked; undefined where it is none of this operation any more. */
function findSide<C>(handler: RemoteHandler<C>, upstream: string): RemoteHandler<C> | undefined {
  if (handler.sides !== undefined) return handler.sides.named(upstream);
  return handler.upstream === upstream ? handler : undefined;
}

/** Commits what makes the request known to every process before it is sent. `given`: the handler before a side was chosen. */
async function reserve<R extends ReadingTransaction, C>(
  { store, hasher, remote }: RemoteDependencies<R, C>,
  execution: KeyedExecution<C>,
  given: RemoteHandler<C>,
): Promise<Reservation<C> | UnknownRequest<C> | { readonly stored: StoredOutcome }> {
  const { request, record, handler } = execution;
  const { caller, requestReference } = request;
  let isCounted = false;
  const key = keyFor(execution);
  const pending = newPendingRequest(execution, hasher, key, remote);
  const { id, recordKey } = pending;
  const own: Reservation<C> = { asking: { id, recordKey, attempt: id, isRepeat: false }, handler, key };
  const reserved = store.write(async (tx) => {
    const earlier = await reserveRecord(tx, request, record);
    if (earlier === undefined) {
      // The transaction may run twice.
      if (!isCounted) remote?.pendingLimit?.add(caller);
      isCounted = true;
      await tx.pendingRequests.add(pending);
      return own;
    }
    if (!('pending' in earlier)) return { stored: earlier };
    const { id: earlierId, state, upstream } = earlier.pending;
    // Another server does not know the key, and would have the effect once more.
    const asked = findSide(given, upstream);
    const isSame = earlier.requestHash === record.requestHash;
    const repeated = asked && { request, record, handler: asked };
    const repeatedKey = repeated && keyFor(repeated);
    // During a rotation of the index key, the other server may know it by the other key.
    if (isSame && state !== 'inFlight' && repeated !== undefined && earlier.aliasOf === undefined)
      if (newPendingRequest(repeated, hasher, repeatedKey, remote).question !== undefined)
        return { unknown: earlier, handler: repeated.handler };
    const mayAskAgain = asked?.deduplicates === true && state === 'repeatable' && isSame;
    if (!mayAskAgain || !(await tx.pendingRequests.takeOver(earlier.pending, requestReference, takeOverMs)))
      throw unsettled(earlier, record.requestHash, asked?.deduplicates === true);
    const asking = { id: earlierId, recordKey, attempt: requestReference, isRepeat: true };
    return { asking, handler: asked, key: repeatedKey };
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

/** Asks the other server for the outcome, with the credential of the caller. Throws where it is still unknown. */
async function lookUpForRetry<R extends ReadingTransaction, C>(
  { store, context, remote }: RemoteDependencies<R, C>,
  { request, record, handler }: KeyedExecution<C>,
  earlier: PendingOutcome,
  key: string | undefined,
): Promise<void> {
  const { lookup, upstream } = handler;
  const { pending } = earlier;
  const question = lookup?.questionOf(request, key);
  const unknown = unsettled(earlier, earlier.requestHash, lookup !== undefined);
  if (lookup === undefined || question === undefined) throw unknown;
  const pace = remote?.lookupPace;
  if (pace?.tryAsk(pending.id, { byRetry: true }) === false) throw unknown;
  const { id } = pending;
  const idleMs = Math.min(pending.idleMs, pace?.idleMs(id, handler.msMax + marginMs) ?? pending.idleMs);
  const outcomeOf = (output: unknown): string =>
    sealOutcome({ requestReference: id, output }, request.operation, record);
  const subject = { id, recordKey: record.recordKey, idleMs, upstream, lookup, question, outcomeOf };
  const report = (event: LookupEvent): void => remote?.report?.(event);
  const result = await lookUpOutcome({ store, context, report }, subject, request);
  if (result === 'tooEarly' || result === 'unknown') throw unknown;
  pace?.forget(id);
  if (result !== 'settled') remote?.pendingLimit?.remove(request.caller);
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
  execution: KeyedExecution<C>,
  hasher: Pick<RequestHasher, 'seal'>,
  key: string | undefined,
  { process = '', mask = maskSensitive }: Partial<RemoteOptions> = {},
): NewPendingRequest {
  const { request, record, handler } = execution;
  const { requestReference, service, operation, caller } = request;
  const { upstream, deduplicates, msMax, keyMsMax = keyMsDefault, lookup } = handler;
  const input = describeTokens(JSON.stringify(mask(operation.input, request.input)));
  const question = lookup?.questionOf(request, key);
  return {
    id: requestReference,
    recordKey: record.recordKey,
    upstream,
    service: service.name,
    operation: operation.name,
    tenant: caller.tenant,
    credential: caller.credential,
    process,
    input: input.length > inputLengthMax ? undefined : input,
    ...(question !== undefined && {
      question: hasher.seal(question, {
        part: 'question',
        record: record?.recordKey ?? requestReference,
        operation: operation.name,
      }),
    }),
    inFlightMs: deduplicates ? takeOverMs : msMax + marginMs,
    repeatableMs: deduplicates ? keyMsMax : question === undefined ? 0 : askableMs,
  };
}

/** Returns what is stored as the outcome: a refusal, or an error of the application. Throws the problem of any other failure. */
async function outcomeOfFailure<R extends ReadingTransaction, C>(
  dependencies: RemoteDependencies<R, C>,
  execution: KeyedExecution<C>,
  asking: Asking,
  thrown: unknown,
): Promise<Outcome> {
  const { request, handler } = execution;
  const refusal = refusalOf(thrown);
  const stored =
    thrown instanceof ApplicationError && !handler.deduplicates
      ? thrown.problem
      : refusal !== undefined && isStorableRefusal(refusal)
        ? refusal
        : undefined;
  if (stored !== undefined)
    return { requestReference: stored.requestReference ?? request.requestReference, problem: stored };
  const hadNoEffect = thrown instanceof NotSent || isRefusal(thrown);
  if (hadNoEffect && !asking.isRepeat && !(handler.deduplicates && isOfOtherRequest(thrown)))
    await withdraw(dependencies, execution, asking);
  else await leave(dependencies, execution, asking, thrown);
  if (thrown instanceof NotSent) throw unavailable(thrown);
  // The other server decides under the key what a retry gets, as long as it knows the key.
  if (thrown instanceof ApplicationError) throw mayBeSentAgain(thrown.problem);
  if (hadNoEffect && !asking.isRepeat) throw thrown;
  if (canAskFor(execution)) throw badAnswer(thrown);
  if (!handler.deduplicates) throw outcomeUnknown(thrown);
  // An earlier attempt may have had the effect, so the refusal of a later one is not final.
  if (refusal !== undefined) throw mayBeSentAgain(refusal);
  throw thrown instanceof OutcomeUnknown ? badAnswer(thrown) : thrown;
}

/** Whether a retry may learn the outcome from the other server. */
function canAskFor<C>(execution: KeyedExecution<C>): boolean {
  return execution.handler.lookup?.questionOf(execution.request, keyFor(execution)) !== undefined;
}
