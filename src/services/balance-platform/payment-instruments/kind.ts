/** The kind of payment instruments; their parent is a balance account. */
import { balanceAccounts } from '../balance-accounts/kind.ts';
import { resourceKind } from '../resource.ts';
import type { PaymentInstrument } from './contract.ts';
import { isKnownTo } from './secrets.ts';

export const paymentInstruments = resourceKind<PaymentInstrument>({
  name: 'paymentInstrument',
  lifecycle: {
    inactive: ['active', 'suspended', 'closed'],
    active: ['suspended', 'closed'],
    suspended: ['active', 'closed'],
    closed: [],
  },
  table: 'payment_instrument',
  parent: { kind: balanceAccounts, column: 'balance_account_id', idOf: ({ balanceAccountId }) => balanceAccountId },
  sealed: { isKnownTo },
});
