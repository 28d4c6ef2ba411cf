/** What ought to become of payment instruments: their lifecycle said once more, and their records as answers show them. */
import { balanceAccountId, firstInstrumentId, type InstrumentBody, type InstrumentStatus, issuedCard } from './body.ts';
import type { Step } from './model.ts';

/** What is the gateway's to choose of a new one. */
export interface MadeInstrument {
  readonly id: string;
  readonly lastFour: string;
  readonly expiration: { readonly month: string; readonly year: string };
  /** Of its number. */
  readonly fingerprint: string;
}

interface Instrument {
  readonly id: string;
  readonly shown: object;
  status: InstrumentStatus;
  revision: number;
}

const moves: Readonly<Record<InstrumentStatus, readonly InstrumentStatus[]>> = {
  inactive: ['active', 'closed'],
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

export const firstMade: MadeInstrument = {
  id: firstInstrumentId,
  lastFour: '9996',
  expiration: { month: '01', year: '2030' },
  fingerprint: 'of the first one',
};

export const addedText = (id: string, status: string): string => `add ${id} ${status}`;
export const movedText = (id: string, status: string, revision: string): string => `move ${id} ${status} ${revision}`;

/** Visa debit cards are numbered in one range. */
const shownOf = ({ id, lastFour, expiration }: MadeInstrument, reference: string): object => ({
  balanceAccountId,
  card: { ...issuedCard, bin: '400005', expiration, lastFour, number: `************${lastFour}` },
  id,
  issuingCountryCode: 'NL',
  reference,
  type: 'card',
});

const refused = (outcome: 'finallyClosed' | 'illegalMove', words: string): Step => ({
  expected: { outcome, words },
  effects: [],
});

const answered = ({ shown, status }: Instrument, effects: readonly string[]): Step => ({
  expected: { outcome: 'ok', output: { ...shown, status } },
  effects,
});

export class Instruments {
  readonly #all = new Map<string, Instrument>([
    [firstMade.id, { id: firstMade.id, shown: shownOf(firstMade, 'first'), status: 'inactive', revision: 1 }],
  ]);
  /** Numbers that were given out. */
  readonly #numbers = new Set([firstMade.fingerprint]);

  apply(body: InstrumentBody, made: MadeInstrument | undefined): Step {
    switch (body.operation) {
      case 'createPaymentInstrument':
        return this.#create(body.reference, made);
      case 'updatePaymentInstrument':
        return this.#move(body.id, body.status);
      case 'cancelPaymentInstrument':
        return this.#move(body.id, 'closed');
      default:
        return body satisfies never;
    }
  }

  lines(): readonly string[] {
    return [...this.#all.values()].map(({ id, status, revision }) => [id, status, revision].join(' ')).toSorted();
  }

  #create(reference: string, made: MadeInstrument | undefined): Step {
    if (made === undefined || this.#all.has(made.id)) throw new Error(`a new card has the id ${made?.id}`);
    if (this.#numbers.has(made.fingerprint)) throw new Error(`${made.id} has a number that was given out`);
    this.#numbers.add(made.fingerprint);
    const instrument: Instrument = {
      id: made.id,
      shown: shownOf(made, reference),
      status: 'active',
      revision: 1,
    };
    this.#all.set(made.id, instrument);
    return answered(instrument, [addedText(made.id, 'active')]);
  }

  #move(id: string, status: InstrumentStatus): Step {
    const instrument = this.#all.get(id)!;
    const from = instrument.status;
    if (from === 'closed') return refused('finallyClosed', 'What is closed cannot be changed any more');
    if (from === status) return answered(instrument, []);
    if (!moves[from].includes(status)) return refused('illegalMove', `The status cannot go from ${from} to ${status}`);
    instrument.status = status;
    instrument.revision += 1;
    return answered(instrument, [movedText(id, status, String(instrument.revision))]);
  }
}
