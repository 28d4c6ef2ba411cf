/** Gateways that forward with one defect each, and servers that are not what they are said to be. */
import { Problem, problems } from '../../src/core/contract/problem.ts';
import { ApplicationError, type OutcomeLookup } from '../../src/core/idempotency/ports.ts';
import { override } from '../support/override.ts';
import { overrideRecords } from '../support/remembering-store.ts';
import type { ForwardingParts, ForwardingTransaction, ForwardingVariant } from './forwarding.ts';

export interface ForwardingDefect {
  /** The kind of server that shows it. */
  readonly deduplicates: boolean;
  /** The server can be asked for outcomes. */
  readonly canBeAsked?: boolean;
  readonly believesClock?: boolean;
  readonly variant: ForwardingVariant;
  /** What the model reports. */
  readonly symptom: RegExp;
}

const ignore = async (): Promise<void> => {};

/** Changes each writing transaction. */
const changing =
  (change: (tx: ForwardingTransaction) => ForwardingTransaction): ForwardingVariant =>
  ({ store }) => ({
    store: { ...store, write: (work, options) => store.write((tx) => work(change(tx)), options) },
  });

const changingHandler =
  (change: (handler: ForwardingParts['handler']) => Partial<ForwardingParts['handler']>): ForwardingVariant =>
  ({ handler }) => ({ handler: { ...handler, ...change(handler) } });

const withPending = (
  tx: ForwardingTransaction,
  members: Partial<ForwardingTransaction['pendingRequests']>,
): ForwardingTransaction =>
  override<ForwardingTransaction>(tx, { pendingRequests: override(tx.pendingRequests, members) });

/** The record is written with the answer. */
const withoutIntent: ForwardingVariant = (parts) => {
  const hashes = new Map<string, string>();
  return changing((tx) => {
    const { idempotencyRecords: records } = tx;
    const changed = overrideRecords(tx, {
      reservePending: (recordKey, { requestHash }) => {
        hashes.set(recordKey, requestHash);
        return records.find(recordKey);
      },
      completePending: async (recordKey, outcome) => {
        const entry = { requestHash: hashes.get(recordKey)!, operation: 'disable', requestReference: recordKey };
        if ((await records.find(recordKey)) !== undefined) return;
        await records.reserve(recordKey, entry);
        await records.complete(recordKey, outcome);
      },
      removePending: ignore,
    });
    return withPending(changed, { add: ignore, remove: async () => true, leave: ignore });
  })(parts);
};

const outcomeDropped = changing((tx) =>
  overrideRecords(tx, { completePending: (recordKey) => tx.idempotencyRecords.removePending(recordKey) }),
);

/** A request that was left is removed with its record, where its failure is one of these. */
const released = (failures: RegExp): ForwardingVariant =>
  changing((tx) =>
    withPending(tx, {
      leave: async (name, attempt, failure) => {
        if (!failures.test(failure)) return await tx.pendingRequests.leave(name, attempt, failure);
        await tx.pendingRequests.remove(name);
        if (name.recordKey !== undefined) await tx.idempotencyRecords.removePending(name.recordKey);
      },
    }),
  );

const expiring = changing((tx) =>
  overrideRecords(tx, {
    async reservePending(recordKey, record) {
      const stored = await tx.idempotencyRecords.find(recordKey);
      if (stored === undefined) await tx.idempotencyRecords.reserve(recordKey, record);
      return stored;
    },
  }),
);

const keyOfFormat = changingHandler(({ forward }) => ({
  forward: (request, context, key) => forward(request, context, key && key + request.head?.headers['content-type']),
}));

const changingLookup = (change: Partial<OutcomeLookup<object>>): ForwardingVariant =>
  changingHandler(({ lookup }) => ({ lookup: lookup && { ...lookup, ...change } }));

const doubled = /has \d effects/;
const refusedWithEffect = /is refused for good, and has its effect/;

export const forwardingDefects: Readonly<Record<string, ForwardingDefect>> = Object.freeze({
  'nothing is committed before the question': { deduplicates: false, variant: withoutIntent, symptom: doubled },
  'the outcome is dropped': { deduplicates: false, variant: outcomeDropped, symptom: doubled },
  'the key depends on the format': { deduplicates: true, variant: keyOfFormat, symptom: doubled },
  'a reservation is released where the outcome is unknown': {
    deduplicates: false,
    variant: released(/^OutcomeUnknown/),
    symptom: doubled,
  },
  'a key that the other server knows is given to another request': {
    deduplicates: true,
    variant: released(/^OutcomeUnknown/),
    symptom: /gets one key for/,
  },
  'a repeat that was not sent frees the key': {
    deduplicates: true,
    variant: released(/^NotSent/),
    symptom: /gets one key for|has \d effects/,
  },
  'the request hash is not compared': {
    deduplicates: true,
    variant: ({ hasher }) => ({ hasher: override(hasher, { requestHash: () => 'x'.repeat(43) }) }),
    symptom: /which it did not cause|gets one key for/,
  },
  'reservations expire': { deduplicates: false, variant: expiring, symptom: /gets no final answer|has \d effects/ },
  'a process that was suspended asks late': {
    deduplicates: false,
    variant: () => ({ monotonicMs: () => 0 }),
    symptom: doubled,
  },
  'a key is used for longer than the other server knows it': {
    deduplicates: true,
    variant: changingHandler(() => ({ keyMsMax: Number.MAX_SAFE_INTEGER / 8 })),
    symptom: doubled,
  },
  'a failure of the other server is taken for a refusal': {
    deduplicates: true,
    variant: changingHandler(({ forward }) => ({
      forward: async (...parameters) => {
        try {
          return await forward(...parameters);
        } catch (thrown) {
          if (!(thrown instanceof ApplicationError)) throw thrown;
          throw new Problem(problems.notAllowed);
        }
      },
    })),
    symptom: refusedWithEffect,
  },
  'an attempt without an answer is forgotten': {
    deduplicates: true,
    variant: released(/^OutcomeUnknown/),
    symptom: refusedWithEffect,
  },
  'a look-up finds nothing, whatever is there': {
    deduplicates: false,
    canBeAsked: true,
    variant: changingLookup({ ask: async () => ({ kind: 'notFound' }) }),
    symptom: doubled,
  },
  'a look-up finds an effect, whatever is there': {
    deduplicates: false,
    canBeAsked: true,
    variant: changingLookup({ ask: async () => ({ kind: 'done', output: { response: 'effect 0' } }) }),
    symptom: /which it did not cause/,
  },
  'the clock of the store alone says when a request can no longer arrive': {
    deduplicates: false,
    canBeAsked: true,
    believesClock: true,
    variant: () => ({}),
    symptom: doubled,
  },
  'a request that may still arrive is taken for lost': {
    deduplicates: false,
    canBeAsked: true,
    variant: changingLookup({ arrivesWithinMs: 0 }),
    symptom: doubled,
  },
  'the other server does not deduplicate, and is said to': {
    deduplicates: false,
    variant: changingHandler(() => ({ deduplicates: true })),
    symptom: doubled,
  },
});
