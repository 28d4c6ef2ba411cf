/** The announcements of payments to shoppers. */
import type { Migration } from '../migration.ts';

export const shopperNotifications: Migration = Object.freeze<Migration>({
  number: 14,
  name: 'shopper-notifications',
  statements: Object.freeze([
    // `content` is JSON without secrets.
    `create table shopper_notification (
       company text not null,
       merchant_account text not null,
       shopper_reference text not null,
       psp_reference text not null,
       notified_at bigint not null,
       content text not null,
       primary key (company, psp_reference)
     )`,
    `create index shopper_notification_of_shopper
       on shopper_notification (company, merchant_account, shopper_reference, notified_at)`,
  ]),
  tables: [{ name: 'shopper_notification', key: ['company', 'psp_reference'] }],
});
