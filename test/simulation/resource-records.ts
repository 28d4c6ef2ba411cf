/** How the records of resources look, and which there are at first. */
import type { MadeCard } from './expected.ts';
import {
  balancePlatform,
  firstAccountId,
  firstHolderId,
  firstInstrumentId,
  issuedCard,
  legalEntityId,
  secondAccountId,
  secondHolderId,
} from './resource-body.ts';

/** The time zone of the platform. */
export const timeZone = 'Europe/Amsterdam';
const open = { status: 'active', timeZone } as const;

interface Named {
  readonly id: string;
  readonly reference: string;
}

export const holderRecord = (named: Named) => ({ ...named, ...open, balancePlatform, legalEntityId });

const defaultCurrencyCode = 'EUR';
const balances = [{ available: 0, balance: 0, currency: defaultCurrencyCode, reserved: 0 }] as const;

export const accountRecord = (named: Named & { readonly accountHolderId: string }) => ({
  ...named,
  ...open,
  balances,
  defaultCurrencyCode,
});

/** Visa debit cards are numbered in one range. */
export const instrumentRecord = (
  named: Named & { readonly balanceAccountId: string; readonly status: 'active' | 'inactive' },
  { lastFour, expiration }: MadeCard,
) => ({
  ...named,
  card: { ...issuedCard, bin: '400005', expiration, lastFour, number: `************${lastFour}` },
  issuingCountryCode: 'NL',
  type: 'card' as const,
});

export const firstCard: MadeCard = {
  lastFour: '9996',
  expiration: { month: '01', year: '2030' },
  fingerprint: 'of the first one',
};

const reference = 'first';
const accountHolderId = firstHolderId;
const primaryBalanceAccount = secondAccountId;
const firstHolder = { ...holderRecord({ id: firstHolderId, reference }), primaryBalanceAccount };
const secondHolder = holderRecord({ id: secondHolderId, reference: 'second' });
const firstAccount = accountRecord({ id: firstAccountId, accountHolderId, reference });
const secondAccount = {
  ...accountRecord({ id: secondAccountId, accountHolderId, reference: 'second' }),
  status: 'inactive' as const,
};
const firstInstrument = instrumentRecord(
  { id: firstInstrumentId, balanceAccountId: firstAccountId, status: 'inactive', reference },
  firstCard,
);

/** Each after its parent. */
export const firstResources = [
  { kind: 'accountHolder', revision: 1, record: firstHolder },
  { kind: 'accountHolder', revision: 1, record: secondHolder },
  { kind: 'balanceAccount', revision: 1, record: firstAccount },
  { kind: 'balanceAccount', revision: 1, record: secondAccount },
  { kind: 'paymentInstrument', revision: 1, record: firstInstrument },
] as const;
