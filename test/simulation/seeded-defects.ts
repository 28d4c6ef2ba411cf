/** Gateways with a defect each, and what gives it away: the simulation has to find them, or it would prove nothing. */
import { Problem } from '../../src/contract/problem.ts';
import type { IdempotentStore, IdempotentTransaction, NewRecord } from '../../src/idempotency/ports.ts';
import type { EventBatch } from '../../src/webhooks/event.ts';
import type { Variant } from './process.ts';
import type { Control } from './simulate.ts';

type Work<T> = (page: IdempotentTransaction) => Promise<T>;

/** Whatever came of a unit, nothing of it may be kept. */
class Undo<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('undone on purpose');
    this.value = value;
  }
}

/** Undoes the unit where that is wanted, and gives what came of it all the same. */
const undoing = async <T>(store: IdempotentStore, work: Work<T>, isWanted: () => boolean): Promise<T> => {
  try {
    return await store.write(async (page) => {
      const value = await work(page);
      if (isWanted()) throw new Undo(value);
      return value;
    });
  } catch (thrown) {
    if (thrown instanceof Undo) return thrown.value;
    throw thrown;
  }
};

const storing =
  (write: (store: IdempotentStore) => IdempotentStore['write']): Variant =>
  (parts) => ({ ...parts, store: { ...parts.store, write: write(parts.store) } });

const isFree = async () => undefined;
const forget = async () => {};

const withoutJournal = storing(
  (store) => (work) => store.write((page) => work({ ...page, reserve: isFree, complete: forget })),
);

/** Looked up before, written after. */
const journalAfterwards = storing((store) => async <T>(work: Work<T>) => {
  let row: readonly [string, NewRecord] | undefined;
  let outcome = '';
  const lookedUp = await undoing(
    store,
    (page) =>
      work({
        ...page,
        reserve: async (scope, entry) => {
          const before = await page.reserve(scope, entry);
          row = before === undefined ? [scope, entry] : undefined;
          return before;
        },
      }),
    () => row !== undefined,
  );
  if (row === undefined) return lookedUp;
  const [scope, entry] = row;
  const settle = async (_: string, text: string) => {
    outcome = text;
  };
  const result = await store.write((page) => work({ ...page, reserve: isFree, complete: settle }));
  await store.write(async (page) => {
    if ((await page.reserve(scope, entry)) === undefined) await page.complete(scope, outcome);
  });
  return result;
});

const withoutFingerprint: Variant = (parts) => ({
  ...parts,
  marks: { recordKey: (company, key) => parts.marks.recordKey(company, key), requestHash: () => 'x'.repeat(43) },
});

/** Where the gate granted a claim, what the journal says is passed over; and claims are given up whoever holds them. */
const trustingGate: Variant = (parts, records) => {
  const granted = new Set<string>();
  const { gate } = parts;
  const store = storing((inner) => (work) => {
    return inner.write((page) =>
      work({
        ...page,
        reserve: async (scope, entry) => {
          const before = await page.reserve(scope, entry);
          return granted.delete(scope) ? undefined : before;
        },
      }),
    );
  })(parts, records);
  return {
    ...store,
    gate: {
      ...gate,
      reserve: async (scope, fingerprint) => {
        const claim = await gate.reserve(scope, fingerprint);
        if (claim.kind === 'granted') granted.add(scope);
        return claim;
      },
      release: async (scope) => records.remove(scope),
    },
  };
};

const settledTooSoon: Variant = (parts, records) => {
  const fingerprints = new Map<string, string>();
  const write = (store: IdempotentStore): IdempotentStore['write'] => {
    return (work) =>
      store.write((page) =>
        work({
          ...page,
          reserve: (scope, entry) => {
            fingerprints.set(scope, entry.requestHash);
            return page.reserve(scope, entry);
          },
          complete: async (scope, outcome) => {
            await page.complete(scope, outcome);
            await parts.gate.complete(scope, { requestHash: fingerprints.get(scope)!, outcome });
          },
        }),
      );
  };
  return storing(write)(parts, records);
};

const answeredTooSoon = storing(
  (store) =>
    <T>(work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        store
          .write(async (page) => {
            const result = await work(page);
            resolve(result);
            return result;
          })
          .catch(reject);
      }),
);

const refusalsForgotten = storing((store) => async (work) => {
  let isRefusal = false;
  const watched = (page: IdempotentTransaction): IdempotentTransaction => ({
    ...page,
    complete: (scope, outcome) => {
      isRefusal = outcome.includes('"problem"');
      return page.complete(scope, outcome);
    },
  });
  return undoing(
    store,
    (page) => work(watched(page)),
    () => isRefusal,
  );
});

/** Told after it is done: who dies in between tells nobody. */
const toldTooLate = storing((store) => async (work) => {
  const tellings: EventBatch[] = [];
  const result = await store.write((page) => {
    tellings.length = 0;
    return work({
      ...page,
      enqueueEvents: async (telling) => {
        tellings.push(telling);
      },
    });
  });
  for (const telling of tellings) await store.write((page) => page.enqueueEvents(telling));
  return result;
});

/** Told of what was asked for; what followed by itself is done, and nobody hears of it. */
const toldOfOneAlone = storing(
  (store) => (work) =>
    store.write((page) =>
      work({
        ...page,
        enqueueEvents: (telling) => page.enqueueEvents({ ...telling, events: telling.events.slice(0, 1) }),
      }),
    ),
);

/** A request in flight is taken for what the key stands for, though nothing may come of it. */
const claimsBelieved: Variant = (parts) => ({
  ...parts,
  gate: {
    ...parts.gate,
    reserve: async (scope, fingerprint) => {
      const claim = await parts.gate.reserve(scope, fingerprint);
      if (claim.kind === 'running' && claim.fingerprint !== fingerprint) throw new Problem('keyReused');
      return claim;
    },
  },
});

export interface Defect extends Control {
  /** What the auditor says of it. */
  readonly givenAwayBy: RegExp;
}

const doubled = /is done, after .* under the same key/;
const untold = /wrote .* instead of .*tell /;
const followUntold = /wrote .*change account_holder .* instead of .*tell accountHolder /;
/** Two units that have not seen each other: a holder is closed, say, while an account comes to be below it. */
const overtaken = /wrote (add|change) (account_holder|balance_account|payment_instrument) .* instead of /;
const lost = /is answered \w+ for what was never done/;

export const defects: Readonly<Record<string, Defect>> = Object.freeze({
  'no journal, only the gate': { variant: withoutJournal, givenAwayBy: doubled },
  'the row of the journal in a unit of its own, after the effect': { variant: journalAfterwards, givenAwayBy: doubled },
  'the fingerprint is not compared': { variant: withoutFingerprint, givenAwayBy: /has the answer of/ },
  'the gate is trusted, and claims of others are given up': { variant: trustingGate, givenAwayBy: doubled },
  'the gate remembers before the commit': { variant: settledTooSoon, givenAwayBy: lost },
  'answered before the commit': { variant: answeredTooSoon, givenAwayBy: lost },
  'refusals are not kept': { variant: refusalsForgotten, givenAwayBy: lost },
  'a claim in flight decides whose the key is': { variant: claimsBelieved, givenAwayBy: /it was for this one/ },
  'told in a unit of its own, after the effect': { variant: toldTooLate, givenAwayBy: untold },
  'what follows by itself is not told': { variant: toldOfOneAlone, givenAwayBy: followUntold },
  'a database that does not keep units apart': { unvalidated: true, givenAwayBy: doubled },
  'a database that lets a resource be written on what no longer holds': { unvalidated: true, givenAwayBy: overtaken },
});
