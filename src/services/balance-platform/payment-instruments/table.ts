/** The table of payment instruments; their parent is a balance account. */
import type { ResourceTable } from '../store/table.ts';

export const paymentInstrumentTable: ResourceTable<'paymentInstrument'> = Object.freeze<
  ResourceTable<'paymentInstrument'>
>({
  name: 'payment_instrument',
  parent: { column: 'balance_account_id', idOf: ({ balanceAccountId }) => balanceAccountId },
  sealed: true,
});
