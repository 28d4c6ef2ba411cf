/** Payment instruments: their model, what clients ask of them, and what is there at first. */
import type { Execution, SimulatedRequest } from '../simulation/request.ts';
import { refusedUnderAccount } from './balance-account.ts';
import {
  firstAccountId,
  newIdIn,
  PlatformModel,
  platformRequest,
  platformResource,
  refusedChange,
  type Status,
  secondAccountId,
} from './platform.ts';
import type { SimulatedResource } from './resource.ts';

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
  return { lastFour: card.lastFour, expiration: card.expiration, fingerprint: String(added.parameters[6]) };
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

const instrument = platformResource({
  kind: 'paymentInstrument',
  table: 'payment_instrument',
  parent: { column: 'balance_account_id', member: 'balanceAccountId' },
  first: [
    recordOf({ id: firstInstrumentId, balanceAccountId: firstAccountId, reference: 'first' }, 'inactive', firstCard),
  ],
  sealed: { fingerprint: firstCard.fingerprint, sealed: { keyId: 'k-test', dataKey: 'never opened' } },
  workload: [
    { pool: 'first holder', request: create(firstAccountId, 'one') },
    { pool: 'first holder', request: create(secondAccountId, 'another') },
    { pool: 'first holder', request: update(firstInstrumentId, 'active') },
    { pool: 'first holder', request: update(firstInstrumentId, 'suspended') },
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
      outcome: 'illegalMove',
    },
    { request: cancel(firstInstrumentId), otherRequest: update(firstInstrumentId, 'active'), outcome: 'ok' },
  ],
  refusals: ['illegalMove', 'finallyClosed', 'accountNotActive', 'accountClosed'],
  statements: ['find-open-payment_instrument'],
});

export const paymentInstrument: SimulatedResource = {
  ...instrument,
  seedModel(model) {
    instrument.seedModel(model);
    model.state(PlatformModel.create).issueNumber(firstCard.fingerprint);
  },
};
