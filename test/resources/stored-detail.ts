/** Stored payment details: their model, what clients ask of them, and what is there at first. */

import { announcementOf } from '../../src/services/recurring/account-updater/announced-changes.ts';
import { updaterCheck } from '../../src/services/recurring/account-updater/job-kinds.ts';
import { CardChangeRepository } from '../../src/services/recurring/account-updater/store/card-changes.ts';
import { saveDetail } from '../../src/services/recurring/save-detail.ts';
import { DetailRepository } from '../../src/services/recurring/store/repository.ts';
import { eventText } from '../simulation/effect-text.ts';
import type { Step } from '../simulation/expected.ts';
import type { Model } from '../simulation/model.ts';
import { company, type Execution, type SimulatedRequest } from '../simulation/request.ts';
import { vault } from '../simulation/vault.ts';
import { findOperation } from './operations.ts';
import type { FaultTrack, KeyUse, TestResource } from './resource.ts';

export const merchantAccount = 'DemoMerchant';
const visa = '4111111111111111';
const mastercard = '5555444433331111';
/** The updater reports this card as closed by its issuer. */
export const closedCard = mastercard;

type Contract = 'ONECLICK' | 'RECURRING' | 'PAYOUT';

/** `anna` has both cards, `bert` has none. */
const firstDetails = [
  {
    shopper: 'anna',
    card: visa,
    contracts: ['ONECLICK', 'RECURRING'],
    firstPspReference: '8815252013129012',
    reference: 'FIRST00000000001',
  },
  {
    shopper: 'anna',
    card: mastercard,
    contracts: ['RECURRING'],
    firstPspReference: '8815252013129013',
    reference: 'FIRST00000000002',
  },
] as const;

interface ModelDetail {
  readonly reference: string;
  readonly shopper: string;
  readonly card: string;
  readonly firstPspReference: string;
  /** Its expiry date is the one that clients send; the first details expire at another date. */
  hasSentExpiry: boolean;
  contracts: readonly Contract[];
  disabled: boolean;
}

const createDetails = (): ModelDetail[] => [];

const activeDetails = (model: Model, shopper: string): readonly ModelDetail[] =>
  model.state(createDetails).filter((detail) => detail.shopper === shopper && !detail.disabled);

const contractsText = (contracts: readonly Contract[]): string => contracts.toSorted().join('+');
const savedText = (shopper: string, reference: string, contracts: readonly Contract[]): string =>
  `save ${shopper} ${reference} ${contractsText(contracts)}`;
const changedText = (reference: string, outcome: string): string => `change ${reference} ${outcome}`;
const disabledText = (shopper: string, reference: string): string => `disable ${shopper} ${reference}`;
const jobText = (kind: string): string => `job ${kind}`;

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

interface Storing {
  readonly shopper: string;
  readonly card: string;
  readonly contracts: readonly Contract[];
}

function applyStore(model: Model, execution: Execution, { shopper, card, contracts }: Storing): Step {
  const { pspReference } = execution;
  const twin = activeDetails(model, shopper).find((detail) => detail.card === card);
  const detail = twin ?? addDetail(model, execution, shopper, card);
  const isChanged = !detail.hasSentExpiry || contracts.some((each) => !detail.contracts.includes(each));
  const kind = twin === undefined ? 'created' : isChanged ? 'updated' : 'alreadyExisting';
  detail.hasSentExpiry = true;
  detail.contracts = [...new Set([...detail.contracts, ...contracts])];
  const { reference } = detail;
  const alias = { alias: vault.alias(company, card), aliasType: 'Default' };
  const output = { ...alias, pspReference, recurringDetailReference: reference, result: 'Success' };
  const event = eventText(kind, shopper, reference, pspReference);
  return { expected: { outcome: 'ok', output }, effects: [savedText(shopper, reference, detail.contracts), event] };
}

/** The reference is the gateway's to choose; it must be a new one. */
function addDetail(model: Model, execution: Execution, shopper: string, card: string): ModelDetail {
  const saved = execution.entries.find(({ statement }) => statement.name === 'save-detail');
  const reference = saved?.parameters[3]?.toString();
  const details = model.state(createDetails);
  if (reference === undefined || details.some((each) => each.reference === reference))
    throw new Error(`a new detail has the reference ${reference}`);
  const detail: ModelDetail = {
    reference,
    shopper,
    card,
    firstPspReference: execution.pspReference,
    hasSentExpiry: true,
    contracts: [],
    disabled: false,
  };
  details.push(detail);
  return detail;
}

function applyCheck(model: Model, execution: Execution, shopper: string, card: string): Step {
  const { pspReference, updaterFailed } = execution;
  if (updaterFailed)
    return {
      expected: { outcome: 'ok', output: { pspReference, result: 'Success' } },
      effects: [jobText(updaterCheck)],
    };
  const result = card === closedCard ? 'CloseAccount' : 'NoChange';
  const expected = { outcome: 'ok', output: { pspReference, result } } as const;
  const detail = activeDetails(model, shopper).find((each) => each.card === card);
  if (detail === undefined || card !== closedCard) return { expected, effects: [] };
  detail.disabled = true;
  const { reference } = detail;
  const event = eventText('disabled', shopper, reference, pspReference);
  return { expected, effects: [disabledText(shopper, reference), changedText(reference, result), event] };
}

function applyDisable(
  model: Model,
  { pspReference }: Execution,
  shopper: string,
  contracts: readonly Contract[] | undefined,
): Step {
  const affected = activeDetails(model, shopper).filter(
    (detail) => !contracts || detail.contracts.some((each) => contracts.includes(each)),
  );
  if (affected.length === 0)
    return { expected: { outcome: 'contractNotFound', message: 'Contract not found' }, effects: [] };
  const effects = affected.flatMap((detail) => {
    const left = contracts === undefined ? [] : detail.contracts.filter((each) => !contracts.includes(each));
    if (left.length > 0) detail.contracts = left;
    else detail.disabled = true;
    const { reference } = detail;
    return left.length > 0
      ? [savedText(shopper, reference, left), eventText('updated', shopper, reference, pspReference)]
      : [disabledText(shopper, reference), eventText('disabled', shopper, reference, pspReference)];
  });
  const output = { response: '[all-details-successfully-disabled]' };
  return { expected: { outcome: 'ok', output }, effects };
}

const checkClosedCard = {
  request: check('anna', mastercard),
  otherRequest: check('anna', visa),
  outcome: 'ok',
} as const;

export const trackMerchantAccount = 'AcmeWeb';
/** The last four digits distinguish the two. */
const trackNumbers = { right: '4111111111111111', other: '5500000000000004' } as const;
export const trackLastFour = trackNumbers.right.slice(-4);
export const trackContracts: readonly string[] = ['ONECLICK', 'RECURRING'];

/** The name of the holder is the key that a stored detail is the effect of. */
function storing(key: string): KeyUse {
  const body = (number: string, contract: readonly string[]): object => ({
    card: { number, expiryMonth: '8', expiryYear: '2040', holderName: key },
    recurring: { contract },
  });
  return {
    operation: 'storeToken',
    bodies: {
      right: body(trackNumbers.right, trackContracts),
      'other card': body(trackNumbers.other, trackContracts),
      'other contract': body(trackNumbers.right, ['PAYOUT']),
    },
  };
}

/** Each shopper's detail is stored (A), disabled (B), and perhaps stored again (C). */
const faultTrack: FaultTrack = {
  keys: {
    A: storing('A'),
    B: { operation: 'disable', bodies: { right: {}, 'other contract': { contract: ['ONECLICK'] } } },
    C: storing('C'),
  },
  addressing: (shopperReference) => ({ merchantAccount: trackMerchantAccount, shopperReference }),
  table: 'stored_detail',
  columns: ['shopper_reference', 'disabled_at', 'contracts', 'public_data'],
  ownerOf({ shopper_reference, disabled_at, contracts, public_data }) {
    const { card } = JSON.parse(public_data!);
    if (contracts !== trackContracts.join() || card?.number !== trackLastFour) return undefined;
    return { shopper: shopper_reference!, key: disabled_at === null ? card.holderName : 'B' };
  },
};

export const storedDetail: TestResource = {
  faultTrack,
  tables: ['shopper', 'stored_detail', 'detail_change'],
  workload: [
    store('anna', visa, ['PAYOUT']),
    store('bert', visa, ['ONECLICK', 'RECURRING']),
    store('bert', mastercard, ['RECURRING']),
    check('anna', mastercard),
    check('bert', mastercard),
    disable('anna'),
    disable('anna', ['RECURRING']),
    disable('bert'),
  ].map((request) => ({ pool: 'details', request })),
  crashCases: [
    {
      request: store('bert', visa, ['ONECLICK', 'RECURRING']),
      otherRequest: store('bert', mastercard, ['ONECLICK', 'RECURRING']),
      outcome: 'ok',
    },
    { request: disable('anna'), otherRequest: disable('anna', ['RECURRING']), outcome: 'ok' },
    checkClosedCard,
    { ...checkClosedCard, asksUpdater: true, points: ['updater', 'save-job'] },
    { request: disable('bert'), otherRequest: store('bert', visa, ['RECURRING']), outcome: 'contractNotFound' },
  ],
  refusals: ['contractNotFound'],
  statements: ['find-shopper', 'add-shopper', 'save-detail', 'disable-detail', 'find-announcement', 'save-change'],
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
  },
  seedModel(model) {
    const details = model.state(createDetails);
    for (const detail of firstDetails) details.push({ ...detail, hasSentExpiry: false, disabled: false });
  },
  effectsOf({ statement, parameters }) {
    const [, , shopper, reference, , contracts] = parameters.map(String);
    switch (statement.name) {
      case 'save-detail':
        return [savedText(shopper!, reference!, contracts!.split(',') as Contract[])];
      case 'disable-detail':
        return [disabledText(shopper!, reference!)];
      case 'save-change':
        return [changedText(String(parameters[1]), String(parameters[5]))];
      case 'save-job':
        return [jobText(String(parameters[2]))];
      default:
        return [];
    }
  },
  eventTextOf({ kind, shopperReference, recurringDetailReference, pspReference }) {
    if (shopperReference === undefined || recurringDetailReference === undefined) return undefined;
    return eventText(kind, shopperReference, recurringDetailReference, pspReference);
  },
  /** Disabled details have a line, too. */
  storedLines: (database) =>
    database
      .rows(
        `select shopper_reference as shopper, recurring_detail_reference as reference, contracts, disabled_at,
                json_extract(public_data, '$.firstPspReference') as psp from stored_detail`,
      )
      .map(({ shopper, reference, contracts, disabled_at, psp }) => {
        const active = contractsText(String(contracts).split(',') as Contract[]);
        return [shopper, reference, disabled_at === null ? active : 'disabled', psp].join(' ');
      })
      .toSorted(),
  modelLines: (model) =>
    model
      .state(createDetails)
      .map(({ shopper, reference, contracts, firstPspReference, disabled }) =>
        [shopper, reference, disabled ? 'disabled' : contractsText(contracts), firstPspReference].join(' '),
      )
      .toSorted(),
};
