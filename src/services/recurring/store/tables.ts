/** The tables of the recurring service. */
import type { StoredTable } from '../../../store/sql/tables.ts';

export const recurringTables: readonly StoredTable[] = Object.freeze([
  { name: 'merchant_account', key: ['company', 'code'] },
  { name: 'shopper', key: ['company', 'merchant_account', 'shopper_reference'] },
  {
    name: 'stored_detail',
    key: ['company', 'recurring_detail_reference'],
    sealedRecord: (recurringDetailReference) => recurringDetailReference,
  },
  { name: 'detail_change', key: ['company', 'recurring_detail_reference', 'psp_reference'] },
  {
    name: 'announced_change',
    key: ['company', 'fingerprint'],
    sealedRecord: (fingerprint) => `announced ${fingerprint}`,
  },
]);
