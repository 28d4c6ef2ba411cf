/** The kind of payment instruments; their parent is a balance account. */
import { balanceAccounts } from '../balance-accounts/kind.ts';
import { resourceKind } from '../resource.ts';
import { instrumentTransitions, type PaymentInstrument } from './contract.ts';
import { isKnownTo, numberReindexing } from './secrets.ts';

export const paymentInstruments = resourceKind<PaymentInstrument>({
  name: 'paymentInstrument',
  lifecycle: instrumentTransitions,
  table: 'payment_instrument',
  tableOptions: { isFoundByStatus: true, reindexing: numberReindexing },
  parent: { kind: balanceAccounts, idOf: ({ balanceAccountId }) => balanceAccountId },
  sealed: { isKnownTo },
});
