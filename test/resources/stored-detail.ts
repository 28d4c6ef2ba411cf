/** Stored payment details: what clients ask of them, and what is there at first. */
import { announcementOf } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import { CardChangeRepository } from '../../src/payments/recurring/account-updater/store/card-changes.ts';
import { PermitRepository } from '../../src/payments/recurring/permits/store.ts';
import { saveDetail } from '../../src/payments/recurring/save-detail.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { eventText } from '../simulation/effect-text.ts';
import { company, type SimulatedRequest } from '../simulation/request.ts';
import { vault } from '../simulation/vault.ts';
import { findOperation } from './operations.ts';
import type { TestResource } from './resource.ts';
import {
  applyCheck,
  applyDeactivate,
  applyDisable,
  applyDisablePermit,
  applyNotify,
  applyPermit,
  applyStore,
  type Contract,
  changedText,
  closedCard,
  contractsText,
  createDetails,
  createPermits,
  disabledPermitText,
  disabledText,
  firstDetails,
  firstPermit,
  mastercard,
  merchantAccount,
  notifiedText,
  permitText,
  savedText,
  visa,
} from './stored-detail-model.ts';
import { storedDetailTrack } from './stored-detail-track.ts';

const cardInput = (number: string): object => ({
  number,
  expiryMonth: '8',
  expiryYear: '2031',
  holderName: 'Anna van Dijk',
});

function detailRequest(
  operation: string,
  shopper: string,
  { words, input, apply }: { words: readonly string[]; input: object; apply: SimulatedRequest['apply'] },
): SimulatedRequest {
  return {
    ...findOperation(operation),
    text: [operation, shopper, ...words].join(' '),
    input: { merchantAccount, shopperReference: shopper, ...input },
    apply,
  };
}

const store = (shopper: string, card: string, contracts: readonly Contract[]) =>
  detailRequest('storeToken', shopper, {
    words: [card.slice(0, 4), contracts.join('+')],
    input: { card: cardInput(card), recurring: { contract: contracts } },
    apply: (model, execution) => applyStore(model, execution, { shopper, card, contracts }),
  });

/** Is in the way of no crash case: it shares a group with their requests. */
export const otherMember = store('carl', visa, ['RECURRING']);

/** Names the card and the shopper, whose detail follows the outcome. */
const check = (shopper: string, card: string) =>
  detailRequest('scheduleAccountUpdater', shopper, {
    words: [card.slice(0, 4)],
    input: { card: cardInput(card), reference: 'check' },
    apply: (model, execution) => applyCheck(model, execution, shopper, card),
  });

/** Without contracts: all of them. */
const disable = (shopper: string, contracts?: readonly Contract[]) =>
  detailRequest('disable', shopper, {
    words: [contracts?.join('+') ?? 'all'],
    input: contracts === undefined ? {} : { contract: contracts },
    apply: (model, execution) => applyDisable(model, execution, shopper, contracts),
  });

/** Disables all details of a shopper, as callers of version 1 do. */
const deactivate = (shopper: string) =>
  detailRequest('deactivateRecurring', shopper, {
    words: [],
    input: {},
    apply: (model, execution) => applyDeactivate(model, execution, shopper),
  });

/** Announces a payment with a detail. */
const notify = (shopper: string, reference: string) =>
  detailRequest('notifyShopper', shopper, {
    words: [reference],
    input: { amount: { currency: 'INR', value: 1000 }, reference: 'notice', storedPaymentMethodId: reference },
    apply: (model, execution) => applyNotify(model, execution, shopper, reference),
  });

/** Creates one permit of a detail. */
const permit = (shopper: string, reference: string) =>
  detailRequest('createPermit', shopper, {
    words: [reference],
    input: { permits: [{ resultKey: 'permit' }], recurringDetailReference: reference },
    apply: (model, execution) => applyPermit(model, execution, shopper, reference),
  });

/** The request names no shopper; the one whose permit it is stands in the event. */
const disablePermit = (shopper: string, token: string): SimulatedRequest => ({
  ...findOperation('disablePermit'),
  text: `disablePermit ${token}`,
  input: { merchantAccount, token },
  apply: (model, execution) => applyDisablePermit(model, execution, shopper, token),
});

const [first, second] = firstDetails;

const checkClosedCard = {
  request: check('anna', mastercard),
  otherRequest: check('anna', visa),
  outcome: 'ok',
} as const;

export const storedDetail: TestResource = {
  faultTrack: storedDetailTrack,
  tables: ['shopper', 'stored_detail', 'permit', 'detail_change', 'shopper_notification'],
  workload: [
    store('anna', visa, ['PAYOUT']),
    store('bert', visa, ['ONECLICK', 'RECURRING']),
    store('bert', mastercard, ['RECURRING']),
    check('anna', mastercard),
    check('bert', mastercard),
    disable('anna'),
    disable('anna', ['RECURRING']),
    disable('bert'),
    deactivate('anna'),
    notify('anna', first.reference),
    permit('anna', first.reference),
    disablePermit('anna', firstPermit.token),
  ].map((request) => ({ pool: 'details', request })),
  crashCases: [
    {
      request: store('bert', visa, ['ONECLICK', 'RECURRING']),
      otherRequest: store('bert', mastercard, ['ONECLICK', 'RECURRING']),
      outcome: 'ok',
    },
    // Merges the contracts of a card that the shopper has.
    { request: store('anna', visa, ['PAYOUT']), otherRequest: store('anna', mastercard, ['PAYOUT']), outcome: 'ok' },
    { request: disable('anna'), otherRequest: disable('anna', ['RECURRING']), outcome: 'ok' },
    { request: deactivate('anna'), otherRequest: deactivate('bert'), outcome: 'ok' },
    { request: notify('anna', first.reference), otherRequest: notify('anna', second.reference), outcome: 'ok' },
    { request: permit('anna', first.reference), otherRequest: permit('anna', second.reference), outcome: 'ok' },
    {
      request: disablePermit('anna', firstPermit.token),
      otherRequest: disablePermit('anna', 'unknown'),
      outcome: 'ok',
    },
    checkClosedCard,
    { ...checkClosedCard, asksUpdater: true, points: ['updater', 'save-job'] },
    { request: disable('bert'), otherRequest: store('bert', visa, ['RECURRING']), outcome: 'contractNotFound' },
  ],
  refusals: ['contractNotFound', 'detailNotFound', 'tokenNotFound', 'permitNotFound'],
  statements: [
    'find-shopper',
    'find-same-detail',
    'add-shopper',
    'save-detail',
    'save-same-detail',
    'disable-detail',
    'find-announcement',
    'save-change',
    'save-notification',
    'save-permit',
    'disable-permit',
  ],
  async seed(transaction, context) {
    const closed = announcementOf({ number: closedCard, status: 'closed' }, company, vault);
    await transaction.repository(CardChangeRepository).saveAnnouncement(company, closed, context.clock.now());
    for (const { shopper, card: number, contracts, firstPspReference, reference } of firstDetails)
      await saveDetail(
        { company, merchantAccount, shopperReference: shopper },
        {
          card: { number, expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
          contracts,
          firstPspReference,
          also: {},
          recurringDetailReference: reference,
        },
        transaction.repository(DetailRepository),
        context,
      );
    const { token, reference } = firstPermit;
    await transaction.repository(PermitRepository).add(
      { company, merchantAccount },
      {
        ...{ token, shopperReference: first.shopper, recurringDetailReference: reference },
        createdAt: context.clock.now(),
        content: { resultKey: 'first' },
      },
    );
  },
  seedModel(model) {
    const details = model.state(createDetails);
    for (const detail of firstDetails) details.push({ ...detail, hasSentExpiry: false, disabled: false });
    model.state(createPermits).push({ ...firstPermit, disabled: false });
  },
  effectsOf({ statement, parameters }) {
    const [, , shopper, reference, , contracts] = parameters.map(String);
    switch (statement.name) {
      case 'save-detail':
      case 'save-same-detail':
        return [savedText(shopper!, reference!, contracts!.split(',') as Contract[])];
      case 'disable-detail':
        return [disabledText(shopper!, reference!)];
      case 'save-change':
        return [changedText(String(parameters[1]), String(parameters[5]))];
      case 'save-notification':
        return [notifiedText(shopper!, String(parameters[3]))];
      case 'save-permit':
        return [permitText(String(parameters[1]))];
      case 'disable-permit':
        return [disabledPermitText(String(parameters[2]))];
      default:
        return [];
    }
  },
  eventTextOf({ kind, shopperReference, recurringDetailReference, requestReference: pspReference }) {
    if (shopperReference === undefined || recurringDetailReference === undefined) return undefined;
    return eventText(kind, shopperReference, recurringDetailReference, pspReference);
  },
  /** Disabled details and permits have a line, too. */
  storedLines: (database) =>
    [
      ...database
        .rows(
          `select shopper_reference as shopper, recurring_detail_reference as reference, contracts, disabled_at,
                  json_extract(public_data, '$.firstPspReference') as psp from stored_detail`,
        )
        .map(({ shopper, reference, contracts, disabled_at, psp }) => {
          const active = contractsText(String(contracts).split(',') as Contract[]);
          return [shopper, reference, disabled_at === null ? active : 'disabled', psp].join(' ');
        }),
      ...database
        .rows('select token, recurring_detail_reference as reference, disabled_at from permit')
        .map(({ token, reference, disabled_at }) => permitLine(token, reference, disabled_at !== null)),
    ].toSorted(),
  modelLines: (model) =>
    [
      ...model
        .state(createDetails)
        .map(({ shopper, reference, contracts, firstPspReference, disabled }) =>
          [shopper, reference, disabled ? 'disabled' : contractsText(contracts), firstPspReference].join(' '),
        ),
      ...model.state(createPermits).map(({ token, reference, disabled }) => permitLine(token, reference, disabled)),
    ].toSorted(),
};

function permitLine(token: unknown, reference: unknown, isDisabled: boolean): string {
  return ['permit', token, reference, isDisabled ? 'disabled' : 'active'].join(' ');
}
