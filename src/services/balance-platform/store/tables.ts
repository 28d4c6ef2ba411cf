/** The tables of the balance platform. */
import type { StoredTable } from '../../../store/sql/tables.ts';
import { resourceTables } from './statements.ts';

const { accountHolder, balanceAccount, paymentInstrument } = resourceTables;
const key = ['balance_platform', 'id'];

export const balancePlatformTables: readonly StoredTable[] = Object.freeze([
  { name: 'balance_platform', key: ['balance_platform'] },
  { name: accountHolder.name, key },
  { name: balanceAccount.name, key },
  { name: paymentInstrument.name, key, sealedRecord: (id) => `paymentInstrument ${id}` },
]);
