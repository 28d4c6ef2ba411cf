/** Payment instruments: their model, what clients ask of them, and what is there at first. */
import { paymentInstruments } from '../../src/payments/balance-platform/payment-instruments/kind.ts';
import type { Execution, SimulatedRequest } from '../simulation/request.ts';
import { refusedUnderAccount } from './balance-account.ts';
import {
  firstAccountId,
  newIdIn,
  PlatformModel,
  type PlatformTestResource,
  platformRequest,
  platformResource,
  refusedChange,
  type Status,
  secondAccountId,
} from './platform.ts';
import type { PlatformApi } from './platform-api.ts';
import { addressing, trackAccounts } from './platform-track.ts';
import type { FaultTrack, KeyUse } from './resource.ts';

/** Inactive at first, with the first account. */
const firstInstrumentId = 'PIFIRST000000000000000000';

const issuedCard = {
  brand: 'visa',
  brandVariant: 'visadebit',
  cardholderName: 'Anna van Dijk',
  formFactor: 'virtual',
} as const;
const constantInput = { type: 'card', issuingCountryCode: 'NL', card: issuedCard } as const;

/** What the gateway chooses for a new card. */
interface ChosenCard {
  readonly lastFour: string;
  readonly expiration: { readonly month: string; readonly year: string };
  /** Of its number. */
  readonly fingerprint: string;
}

/** The test range of Visa debit cards. */
const bin = '400005';

const recordOf = (
  named: { readonly id: string; readonly balanceAccountId: string; readonly reference: string },
  status: 'active' | 'inactive',
  { lastFour, expiration }: ChosenCard,
) => ({
  ...named,
  ...constantInput,
  status,
  card: { ...issuedCard, bin, expiration, lastFour, number: `************${lastFour}` },
});

const firstCard: ChosenCard = {
  lastFour: '9996',
  expiration: { month: '01', year: '2030' },
  fingerprint: 'of the first one',
};

/** The card in the statement that adds an instrument. */
function chosenCardIn({ entries }: Execution): ChosenCard {
  const added = entries.find(({ statement }) => statement.name === 'add-payment_instrument');
  if (added === undefined) throw new Error('a new instrument has no card');
  const { card } = JSON.parse(String(added.parameters[5]));
  return { lastFour: card.lastFour, expiration: card.expiration, fingerprint: String(added.parameters[7]) };
}

const create = (balanceAccountId: string, reference: string): SimulatedRequest =>
  platformRequest(
    'createPaymentInstrument',
    { balanceAccountId, reference },
    (platform, execution) => {
      const refusal = refusedUnderAccount(balanceAccountId, platform);
      if (refusal !== undefined) return refusal;
      const card = chosenCardIn(execution);
      platform.issueNumber(card.fingerprint);
      const record = recordOf({ id: newIdIn(execution), balanceAccountId, reference }, 'active', card);
      return platform.add(instrument.created(record));
    },
    constantInput,
  );

const setStatus = (id: string, status: Status) => (platform: PlatformModel) => {
  const before = platform.get(id);
  const isActivated = status === 'active' && before.record.status !== 'active';
  return (
    refusedChange(before, status) ??
    (isActivated ? refusedUnderAccount(before.record.balanceAccountId!, platform) : undefined) ??
    platform.change(id, { status })
  );
};

const update = (id: string, status: Status) =>
  platformRequest('updatePaymentInstrument', { id, status }, setStatus(id, status));
const cancel = (id: string) => platformRequest('cancelPaymentInstrument', { id }, setStatus(id, 'closed'));

/** The comment names the key that a state is the effect of; the reason shows whether it has the right body. */
const because = (key: string, statusReason = 'other') => ({ statusReason, statusComment: key });

const creating = (brandVariant: string, balanceAccountId: string): object => ({
  type: 'card',
  issuingCountryCode: 'NL',
  balanceAccountId,
  card: { brand: 'visa', brandVariant, formFactor: 'virtual', cardholderName: 'Anna van Dijk' },
  status: 'inactive',
  ...because('create'),
});

/** A change that undoes a later one where it is executed twice. */
const settingStatus = (key: string, status: string): KeyUse => ({
  operation: 'updatePaymentInstrument',
  bodies: {
    right: { status, ...because(key) },
    'other status': { status: 'closed', ...because(key) },
    'other reason': { status, ...because(key, 'damaged') },
  },
});

/** The status that each key leads to. */
const statusByKey: Readonly<Record<string, string>> = {
  create: 'inactive',
  activate: 'active',
  suspend: 'suspended',
  cancel: 'closed',
};

/** Each shopper's card is created, activated, suspended, and perhaps cancelled. */
const faultTrack: FaultTrack = {
  keys: {
    create: {
      operation: 'createPaymentInstrument',
      bodies: {
        right: creating('visadebit', trackAccounts.right),
        'other card': creating('visaprepaid', trackAccounts.right),
        'other account': creating('visadebit', trackAccounts.other),
      },
    },
    activate: settingStatus('activate', 'active'),
    suspend: settingStatus('suspend', 'suspended'),
    cancel: {
      operation: 'cancelPaymentInstrument',
      bodies: { right: because('cancel'), 'other reason': because('cancel', 'lost') },
    },
  },
  addressing,
  table: 'payment_instrument',
  columns: ['id', 'status', 'record', 'number_fingerprint'],
  ownerOf({ status, record }) {
    const { reference, statusComment: key, statusReason, balanceAccountId, card } = JSON.parse(record!);
    const isRight =
      statusByKey[key] === status &&
      statusReason === 'other' &&
      balanceAccountId === trackAccounts.right &&
      card?.brandVariant === 'visadebit';
    return isRight ? { shopper: reference, key } : undefined;
  },
  issuedIn: ({ id, number_fingerprint }) => ({ number: number_fingerprint!, to: id! }),
};

const api: Omit<PlatformApi, 'kind'> = {
  path: '/paymentInstruments',
  unknownId: 'PI3227C223222H5J4DCLW9VBV',
  fields: ['replacementOfId'],
  writes: {
    createPaymentInstrument(balanceAccountId) {
      const body = { ...constantInput, card: { ...issuedCard, usage: 'singleUse' }, balanceAccountId };
      return { body, other: { ...body, reference: 'x' } };
    },
    updatePaymentInstrument: () => ({ body: { statusReason: 'damaged' }, other: { statusReason: 'lost' } }),
    cancelPaymentInstrument: () => ({ body: {}, other: { statusReason: 'lost' } }),
  },
  changeable: { status: 'inactive' },
  ids: [
    'createPaymentInstrument balanceAccountId',
    'createPaymentInstrument replacementOfId',
    'getPaymentInstrument id',
    'updatePaymentInstrument balanceAccountId',
    'updatePaymentInstrument id',
    'cancelPaymentInstrument id',
    'listPaymentInstruments id',
  ],
  moves: {
    inactive: { inactive: 'stays', active: 'moves', suspended: 'moves', closed: 'moves' },
    active: { inactive: '30_201', active: 'stays', suspended: 'moves', closed: 'moves' },
    suspended: { inactive: '30_201', active: 'moves', suspended: 'stays', closed: 'moves' },
    closed: { inactive: '30_209', active: '30_209', suspended: '30_209', closed: '30_209' },
  },
  calls: [
    'post /paymentInstruments',
    'get /paymentInstruments/{id}',
    'patch /paymentInstruments/{id}',
    'post /paymentInstruments/{id}/cancel',
    'get /balanceAccounts/{id}/paymentInstruments',
  ],
};

const instrument = platformResource({
  faultTrack,
  api,
  kind: paymentInstruments,
  parent: { member: 'balanceAccountId' },
  first: [
    recordOf({ id: firstInstrumentId, balanceAccountId: firstAccountId, reference: 'first' }, 'inactive', firstCard),
  ],
  sealed: { fingerprint: firstCard.fingerprint, sealed: { keyId: 'k-test', dataKey: 'never opened' } },
  workload: [
    { pool: 'first holder', request: create(firstAccountId, 'one') },
    { pool: 'first holder', request: create(secondAccountId, 'another') },
    { pool: 'first holder', request: update(firstInstrumentId, 'active') },
    { pool: 'first holder', request: update(firstInstrumentId, 'suspended') },
    { pool: 'first holder', request: update(firstInstrumentId, 'inactive') },
    { pool: 'first holder', request: cancel(firstInstrumentId) },
  ],
  crashCases: [
    { request: create(firstAccountId, 'one'), otherRequest: create(firstAccountId, 'another'), outcome: 'ok' },
    {
      request: update(firstInstrumentId, 'active'),
      otherRequest: update(firstInstrumentId, 'closed'),
      outcome: 'ok',
    },
    {
      request: update(firstInstrumentId, 'suspended'),
      otherRequest: cancel(firstInstrumentId),
      outcome: 'ok',
    },
    { request: cancel(firstInstrumentId), otherRequest: update(firstInstrumentId, 'active'), outcome: 'ok' },
    {
      request: create(secondAccountId, 'another'),
      otherRequest: create(firstAccountId, 'another'),
      outcome: 'accountNotActive',
    },
  ],
  refusals: ['illegalMove', 'finallyClosed', 'accountNotActive', 'accountClosed'],
  statements: ['find-open-payment_instrument'],
});

export const paymentInstrument: PlatformTestResource = {
  ...instrument,
  seedModel(model) {
    instrument.seedModel(model);
    model.state(PlatformModel.create).issueNumber(firstCard.fingerprint);
  },
};
