/** What was announced of cards, and the history of the stored details that followed. */
import type { Migration } from '../migration.ts';

export const cardChanges: Migration = Object.freeze<Migration>({
  number: 5,
  name: 'card-changes',
  statements: Object.freeze([
    `create table announced_change (
       company text not null,
       fingerprint text not null,
       status text not null,
       expiry_month text,
       expiry_year text,
       key_id text,
       data_key text,
       sealed_number text,
       announced_at bigint not null,
       primary key (company, fingerprint)
     )`,
    // Never holds more of a card than an answer shows.
    `create table detail_change (
       company text not null,
       recurring_detail_reference text not null,
       psp_reference text not null,
       changed_at bigint not null,
       changed_by text not null,
       outcome text not null,
       before_part text not null,
       after_part text,
       primary key (company, recurring_detail_reference, psp_reference),
       foreign key (company, recurring_detail_reference)
         references stored_detail (company, recurring_detail_reference)
     )`,
  ]),
  tables: [
    {
      name: 'announced_change',
      key: ['company', 'fingerprint'],
      sealedRecord: (fingerprint) => `announced ${fingerprint}`,
    },
    { name: 'detail_change', key: ['company', 'recurring_detail_reference', 'psp_reference'] },
  ],
});
