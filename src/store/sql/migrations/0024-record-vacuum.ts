/** PostgreSQL vacuums the idempotency records about once a day, whatever their number. */
import type { Migration } from '../migration.ts';

export const recordVacuum: Migration = Object.freeze<Migration>({
  number: 24,
  name: 'record-vacuum',
  statements: Object.freeze([]),
  perEngine: Object.freeze({
    sqlite: [],
    // Of records that are stored for 31 days, a day deletes 3.2 %, and leaves as many first versions of new ones.
    postgres: ['alter table idempotency_record set (autovacuum_vacuum_scale_factor = 0.05)'],
  }),
});
