/** Work that one process at a time does, and indexes that find what is stored for too long. */
import type { Migration } from '../migration.ts';

export const retention: Migration = Object.freeze<Migration>({
  number: 22,
  name: 'retention',
  statements: Object.freeze([
    `create table lease (
       name text not null primary key,
       owner text not null,
       expires_at bigint not null
     )`,
    'create index stored_detail_disabled on stored_detail (disabled_at) where disabled_at is not null',
    'create index detail_change_by_time on detail_change (changed_at)',
    'create index shopper_notification_by_time on shopper_notification (notified_at)',
    'create index announced_change_by_time on announced_change (announced_at)',
    'create index job_dead_by_time on job (dead_since) where dead_since is not null',
  ]),
});
