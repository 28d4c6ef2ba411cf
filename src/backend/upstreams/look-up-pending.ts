/** Asks upstreams for unknown outcomes in the background, where the gateway may ask by itself. */
import type { HandlerContext } from '../../core/gateway/index.ts';
import {
  type IdempotentStore,
  type LookupEvent,
  type LookupPace,
  type LookupResult,
  lookUpOutcome,
  sealOutcome,
} from '../../core/idempotency/index.ts';
import type { ReadTransaction, UnsettledRequest } from '../../stores/index.ts';
import type { Backend } from '../backend.ts';
import type { OpenLookup } from './open.ts';

interface LookUpPendingParts {
  readonly backend: Pick<Backend, 'unsettled' | 'requestHasher' | 'context'>;
  readonly store: IdempotentStore<ReadTransaction>;
  readonly lookups: ReadonlyMap<string, OpenLookup>;
  readonly pace: LookupPace;
  readonly report: (event: LookupEvent) => void;
}

/** Of one run. */
const listedMax = 10_000;
const askedMax = 200;
/** At the same time. */
const concurrency = 4;

/** Returns a run, which asks about each request that is due; undefined where the gateway may not ask. */
export function createLookUpPending(
  parts: LookUpPendingParts,
): ((isStopped: () => boolean) => Promise<void>) | undefined {
  const { backend, lookups, pace } = parts;
  if ([...lookups.values()].every(({ lookup }) => lookup.needsCaller)) return undefined;
  return async (isStopped) => {
    const listed = await backend.unsettled.list(listedMax);
    const queue: UnsettledRequest[] = [];
    for (const each of listed)
      if (queue.length < askedMax && canAsk(each, lookups) && pace.tryAsk(each.id, { byRetry: false }))
        queue.push(each);
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && !isStopped(); next = queue.shift())
        await lookUpPending(parts, next);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  };
}

function canAsk(request: UnsettledRequest, lookups: LookUpPendingParts['lookups']): boolean {
  const { state, question } = request;
  if (state === 'inFlight' || question === undefined) return false;
  return lookups.get(nameOf(request))?.lookup.needsCaller === false;
}

/** Asks about one request. Throws what the store throws, and SealBroken. */
async function lookUpPending(
  { backend: { requestHasher, context }, store, lookups, pace, report }: LookUpPendingParts,
  request: UnsettledRequest,
): Promise<LookupResult | undefined> {
  const { id, recordKey, question: sealed, tenant, credential } = request;
  const found = lookups.get(nameOf(request));
  if (found === undefined || sealed === undefined) return undefined;
  const { upstream, operation, inFlightMs, lookup } = found;
  const idleMs = Math.min(request.idleMs, pace.idleMs(id, inFlightMs));
  const record = recordKey ?? id;
  const outcomeOf = (output: unknown): string =>
    sealOutcome({ requestReference: id, output }, operation, { recordKey: record, hasher: requestHasher });
  const question = requestHasher.open(sealed, { part: 'question', record, operation: operation.name });
  const subject = { id, recordKey, idleMs, upstream, lookup, question, outcomeOf };
  const caller = { tenant, credential, requiresKey: false, rights: 'upstream' } as const;
  const asker = { caller, requestReference: context.ids.requestReference() };
  const result = await lookUpOutcome<ReadTransaction, HandlerContext>({ store, context, report }, subject, asker);
  if (result !== 'unknown' && result !== 'tooEarly') pace.forget(id);
  return result;
}

function nameOf({ service, operation }: UnsettledRequest): string {
  return `${service}.${operation}`;
}
