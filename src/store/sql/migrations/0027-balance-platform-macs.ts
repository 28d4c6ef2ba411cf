/** MACs of balance platforms and their resources. */
import type { Migration } from '../migration.ts';

const signed = ['balance_platform', 'account_holder', 'balance_account', 'payment_instrument'];

export const balancePlatformMacs: Migration = Object.freeze<Migration>({
  number: 27,
  name: 'balance-platform-macs',
  statements: Object.freeze(signed.map((table) => `alter table ${table} add column row_mac text`)),
  signed,
});
