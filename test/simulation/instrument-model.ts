/** What ought to become of payment instruments: none comes to be or works with an account that does not. */
import type { Expected, Made } from './expected.ts';
import { refusedBelowHolder } from './holder-model.ts';
import type { InstrumentBody, Status } from './resource-body.ts';
import { type Resources, refused, refusedMove } from './resource-model.ts';
import { firstCard, instrumentRecord } from './resource-records.ts';

type Creation = Extract<InstrumentBody, { operation: 'createPaymentInstrument' }>;

/** Undefined where something may come to be or to work with the account. */
const refusedWithAccount = (id: string, resources: Resources): Expected | undefined => {
  const { status, accountHolderId } = resources.get(id).record;
  if (status === 'closed') return refused('accountClosed');
  return status === 'active' ? refusedBelowHolder(accountHolderId!, resources) : refused('accountNotActive');
};

export class Instruments {
  readonly #resources: Resources;
  /** Numbers that were given out. */
  readonly #numbers = new Set([firstCard.fingerprint]);

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  apply(body: InstrumentBody, made: Made): Expected {
    switch (body.operation) {
      case 'createPaymentInstrument':
        return refusedWithAccount(body.balanceAccountId, this.#resources) ?? this.#create(body, made);
      case 'updatePaymentInstrument':
        return this.#move(body.id, body.status);
      case 'cancelPaymentInstrument':
        return this.#move(body.id, 'closed');
      default:
        return body satisfies never;
    }
  }

  #create({ balanceAccountId, reference }: Creation, { id, card }: Made): Expected {
    if (id === undefined || card === undefined) throw new Error('a new card has no id');
    if (this.#numbers.has(card.fingerprint)) throw new Error(`${id} has a number that was given out`);
    this.#numbers.add(card.fingerprint);
    return this.#resources.add(
      'paymentInstrument',
      instrumentRecord({ id, balanceAccountId, reference, status: 'active' }, card),
    );
  }

  #move(id: string, status: Status): Expected {
    const before = this.#resources.get(id);
    const begins = status === 'active' && before.record.status !== 'active';
    return (
      refusedMove(before, status) ??
      (begins ? refusedWithAccount(before.record.balanceAccountId!, this.#resources) : undefined) ??
      this.#resources.change(id, { status })
    );
  }
}
