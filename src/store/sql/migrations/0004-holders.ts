/** Finds who holds a card or an account without looking at anybody else's. */
import type { Migration } from '../migration.ts';

export const holders: Migration = Object.freeze({
  number: 4,
  name: 'holders',
  statements: Object.freeze([
    // In the order of the answer, as far as it is shown.
    `create index stored_detail_holders on stored_detail
       (company, fingerprint, merchant_account, created_at, shopper_reference)
       where disabled_at is null`,
  ]),
});
