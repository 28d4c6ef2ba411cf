/** What ought to become of requests, said once more and without the code under test: shoppers, their details, outcomes. */

import { changedText, disabledText, jobText, savedText, toldText, usesText } from './effect-text.ts';
import { closedCard, firstDetails, vault } from './environment.ts';
import type { Expected, Made, Step } from './expected.ts';
import { applyToAccount, applyToHolder } from './holder-model.ts';
import { Instruments } from './instrument-model.ts';
import { type Body, company, type DetailBody, isAboutResources, type Use } from './request-body.ts';
import type { ResourceBody } from './resource-body.ts';
import { Resources } from './resource-model.ts';

interface Detail {
  readonly reference: string;
  readonly shopper: string;
  readonly card: string;
  readonly firstPsp: string;
  /** Given again, it is as it was: what is given expires otherwise than what was there at first. */
  isAsGiven: boolean;
  uses: readonly Use[];
  disabled: boolean;
}

const unknownYet = (psp: string): Step => ({
  expected: { outcome: 'ok', output: { pspReference: psp, result: 'Success' } },
  effects: [jobText('check')],
});

export class Model {
  readonly #resources = new Resources();
  readonly #instruments = new Instruments(this.#resources);
  readonly #details: Detail[] = firstDetails.map(({ psp, ...rest }) => ({
    ...rest,
    firstPsp: psp,
    isAsGiven: false,
    disabled: false,
  }));

  /**
   * The request is done. `psp`: its reference; `untold`: an updater was asked about the card, and nothing was heard.
   */
  apply(body: Body, psp: string, made: Made, untold = false): Step {
    if (!isAboutResources(body)) return this.#applyToDetails(body, psp, made, untold);
    const expected = this.#applyToResources(body, made);
    return { expected, effects: this.#resources.effects(psp) };
  }

  resourceLines(): readonly string[] {
    return this.#resources.lines();
  }

  #applyToResources(body: ResourceBody, made: Made): Expected {
    switch (body.operation) {
      case 'createAccountHolder':
      case 'updateAccountHolder':
        return applyToHolder(body, made, this.#resources);
      case 'createBalanceAccount':
      case 'updateBalanceAccount':
        return applyToAccount(body, made, this.#resources);
      case 'createPaymentInstrument':
      case 'updatePaymentInstrument':
      case 'cancelPaymentInstrument':
        return this.#instruments.apply(body, made);
      default:
        return body satisfies never;
    }
  }

  #applyToDetails(body: DetailBody, psp: string, made: Made, untold: boolean): Step {
    switch (body.operation) {
      case 'disable':
        return this.#disable(body, psp);
      case 'scheduleAccountUpdater':
        return untold ? unknownYet(psp) : this.#check(body, psp);
      case 'storeToken':
        return this.#store(body, psp, made.reference);
      default:
        return body satisfies never;
    }
  }

  /** One line for each detail, disabled ones too. */
  detailLines(): readonly string[] {
    return this.#details
      .map(({ shopper, reference, uses, firstPsp, disabled }) =>
        [shopper, reference, disabled ? 'disabled' : usesText(uses), firstPsp].join(' '),
      )
      .toSorted();
  }

  #active(shopper: string): readonly Detail[] {
    return this.#details.filter((detail) => detail.shopper === shopper && !detail.disabled);
  }

  #store({ shopper, card, uses }: Extract<Body, { operation: 'storeToken' }>, psp: string, made = 'none'): Step {
    const twin = this.#active(shopper).find((detail) => detail.card === card);
    const detail = twin ?? {
      reference: made,
      shopper,
      card,
      firstPsp: psp,
      isAsGiven: true,
      uses: [],
      disabled: false,
    };
    if (twin === undefined) {
      if (made === 'none' || this.#details.some(({ reference }) => reference === made))
        throw new Error(`a new detail has the reference ${made}`);
      this.#details.push(detail);
    }
    const isNews = !detail.isAsGiven || uses.some((use) => !detail.uses.includes(use));
    const kind = twin === undefined ? 'created' : isNews ? 'updated' : 'alreadyExisting';
    detail.isAsGiven = true;
    detail.uses = [...new Set([...detail.uses, ...uses])];
    const alias = { alias: vault.alias(company, card), aliasType: 'Default' };
    const output = { ...alias, pspReference: psp, recurringDetailReference: detail.reference, result: 'Success' };
    const told = toldText(kind, shopper, detail.reference, psp);
    return { expected: { outcome: 'ok', output }, effects: [savedText(shopper, detail.reference, detail.uses), told] };
  }

  #check({ shopper, card }: Extract<Body, { operation: 'scheduleAccountUpdater' }>, psp: string): Step {
    const result = card === closedCard ? 'CloseAccount' : 'NoChange';
    const expected = { outcome: 'ok', output: { pspReference: psp, result } } as const;
    const held = this.#active(shopper).find((detail) => detail.card === card);
    if (held === undefined || card !== closedCard) return { expected, effects: [] };
    held.disabled = true;
    const told = toldText('disabled', shopper, held.reference, psp);
    return { expected, effects: [disabledText(shopper, held.reference), changedText(held.reference, result), told] };
  }

  #disable({ shopper, uses }: Extract<Body, { operation: 'disable' }>, psp: string): Step {
    const meant = this.#active(shopper).filter((detail) => !uses || detail.uses.some((use) => uses.includes(use)));
    if (meant.length === 0)
      return { expected: { outcome: 'contractNotFound', words: 'Contract not found' }, effects: [] };
    const effects = meant.flatMap((detail) => {
      const left = uses === undefined ? [] : detail.uses.filter((use) => !uses.includes(use));
      if (left.length > 0) detail.uses = left;
      else detail.disabled = true;
      const { reference } = detail;
      return left.length > 0
        ? [savedText(shopper, reference, left), toldText('updated', shopper, reference, psp)]
        : [disabledText(shopper, reference), toldText('disabled', shopper, reference, psp)];
    });
    const output = { response: '[all-details-successfully-disabled]' };
    return { expected: { outcome: 'ok', output }, effects };
  }
}
