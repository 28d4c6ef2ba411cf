/** The model of stored details: what each request is answered, and what it changes. */
import { updaterCheck } from '../../src/payments/recurring/account-updater/job-kinds.ts';
import { eventText, jobText } from '../simulation/effect-text.ts';
import type { Step } from '../simulation/expected.ts';
import type { Model } from '../simulation/model.ts';
import { company, type Execution } from '../simulation/request.ts';
import { vault } from '../simulation/vault.ts';

export const merchantAccount = 'DemoMerchant';
export const visa = '4111111111111111';
export const mastercard = '5555444433331111';
/** The updater reports this card as closed by its issuer. */
export const closedCard = mastercard;

export type Contract = 'ONECLICK' | 'RECURRING' | 'PAYOUT';

/** `anna` has both cards, `bert` has none. */
export const firstDetails = [
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

/** A permit of the first detail. */
export const firstPermit = { token: 'PERMIT0000000001', reference: firstDetails[0].reference } as const;

interface ModelPermit {
  readonly token: string;
  /** Its detail. */
  readonly reference: string;
  disabled: boolean;
}

export const createPermits = (): ModelPermit[] => [];

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

export const createDetails = (): ModelDetail[] => [];

const activeDetails = (model: Model, shopper: string): readonly ModelDetail[] =>
  model.state(createDetails).filter((detail) => detail.shopper === shopper && !detail.disabled);

export const contractsText = (contracts: readonly Contract[]): string => contracts.toSorted().join('+');
export const savedText = (shopper: string, reference: string, contracts: readonly Contract[]): string =>
  `save ${shopper} ${reference} ${contractsText(contracts)}`;
export const changedText = (reference: string, outcome: string): string => `change ${reference} ${outcome}`;
export const disabledText = (shopper: string, reference: string): string => `disable ${shopper} ${reference}`;
export const notifiedText = (shopper: string, pspReference: string): string => `notify ${shopper} ${pspReference}`;
export const permitText = (token: string): string => `permit ${token}`;
export const disabledPermitText = (token: string): string => `disable permit ${token}`;

interface Storing {
  readonly shopper: string;
  readonly card: string;
  readonly contracts: readonly Contract[];
}

export function applyStore(model: Model, execution: Execution, { shopper, card, contracts }: Storing): Step {
  const { pspReference } = execution;
  const twin = activeDetails(model, shopper).find((detail) => detail.card === card);
  const detail = twin ?? addDetail(model, execution, shopper, card);
  const isChanged = !detail.hasSentExpiry || contracts.some((each) => !detail.contracts.includes(each));
  const kind = twin === undefined ? 'created' : isChanged ? 'updated' : 'alreadyExisting';
  detail.hasSentExpiry = true;
  detail.contracts = [...new Set([...detail.contracts, ...contracts])];
  const { reference } = detail;
  const alias = { alias: vault.alias(company, card), aliasType: 'Default' };
  const output = {
    ...alias,
    pspReference,
    rechargeReference: pspReference,
    recurringDetailReference: reference,
    result: 'Success',
  };
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

export function applyCheck(model: Model, execution: Execution, shopper: string, card: string): Step {
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

export function applyDisable(
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

/** `disable` by its name in version 1, whose answer has the reference of the request. */
export function applyDeactivate(model: Model, execution: Execution, shopper: string): Step {
  const { expected, effects } = applyDisable(model, execution, shopper, undefined);
  if (expected.outcome !== 'ok') return { expected, effects };
  const { pspReference } = execution;
  return { expected: { outcome: 'ok', output: { ...expected.output, pspReference } }, effects };
}

/** The reference of the announcement is the gateway's to choose. */
export function applyNotify(model: Model, execution: Execution, shopper: string, reference: string): Step {
  const { pspReference, entries } = execution;
  if (!activeDetails(model, shopper).some((detail) => detail.reference === reference))
    return { expected: { outcome: 'tokenNotFound', message: 'This token not found' }, effects: [] };
  const saved = entries.find(({ statement }) => statement.name === 'save-notification');
  const { shopperNotificationReference } = JSON.parse(String(saved?.parameters[5] ?? '{}'));
  const output = {
    displayedReference: 'notice',
    message: 'Request Processed Successfully',
    pspReference,
    reference: 'notice',
    resultCode: 'Success',
    shopperNotificationReference,
    storedPaymentMethodId: reference,
  };
  return { expected: { outcome: 'ok', output }, effects: [notifiedText(shopper, pspReference)] };
}

/** The token is the gateway's to choose. */
export function applyPermit(
  model: Model,
  { pspReference, entries }: Execution,
  shopper: string,
  reference: string,
): Step {
  if (!activeDetails(model, shopper).some((detail) => detail.reference === reference))
    return { expected: { outcome: 'detailNotFound', message: 'PaymentDetail not found' }, effects: [] };
  const token = String(entries.find(({ statement }) => statement.name === 'save-permit')?.parameters[1]);
  const permits = model.state(createPermits);
  if (permits.some((permit) => permit.token === token)) throw new Error(`a new permit has the token ${token}`);
  permits.push({ token, reference, disabled: false });
  const output = { permitResultList: [{ resultKey: 'permit', token }], pspReference };
  const event = eventText('permitCreated', shopper, reference, pspReference);
  return { expected: { outcome: 'ok', output }, effects: [permitText(token), event] };
}

/** A permit ends with its detail. */
export function applyDisablePermit(model: Model, { pspReference }: Execution, shopper: string, token: string): Step {
  const permit = model.state(createPermits).find((each) => each.token === token && !each.disabled);
  if (permit === undefined || !activeDetails(model, shopper).some(({ reference }) => reference === permit.reference))
    return { expected: { outcome: 'permitNotFound', message: 'Permit not found' }, effects: [] };
  permit.disabled = true;
  const event = eventText('permitDisabled', shopper, permit.reference, pspReference);
  const output = { pspReference, status: 'disabled' };
  return { expected: { outcome: 'ok', output }, effects: [disabledPermitText(token), event] };
}
