/** Balance accounts of one account holder: one is opened, labelled, and perhaps labelled once more. */
import { described, describedOwner, describing, elsewhere, holder, onPlatform, operation } from './platform.ts';
import type { Track } from './track.ts';

export const rightCurrency = 'EUR';
const opening = (defaultCurrencyCode: string, said = described('open')): object => ({
  accountHolderId: holder,
  defaultCurrencyCode,
  ...said,
});

const keys = {
  open: {
    operation: operation('createBalanceAccount'),
    bodies: {
      right: opening(rightCurrency),
      'other currency': opening('USD'),
      'other time zone': opening(rightCurrency, elsewhere('open')),
    },
  },
  label: describing('updateBalanceAccount', 'label'),
  relabel: describing('updateBalanceAccount', 'relabel'),
} as const satisfies Track['keys'];

export const balanceAccountTrack = Object.freeze({
  ...onPlatform,
  keys,
  table: 'balance_account',
  columns: ['record'],
  ownerOf(row) {
    const record = JSON.parse(row.record!);
    const isRight = record.defaultCurrencyCode === rightCurrency && record.accountHolderId === holder;
    return isRight ? describedOwner(keys, record) : undefined;
  },
} as const satisfies Track);
