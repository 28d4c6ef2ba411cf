/** How long stored details, their histories and what belongs to them are stored. */
import type { RetentionRule } from '../../store/retention.ts';
import { statement } from '../../store/sql/engine.ts';
import { retentionRule } from '../../store/sql/retention-rules.ts';
import { memoize, placeholders } from '../../store/sql/row-values.ts';
import type { Transaction } from '../../store/transaction.ts';

export interface RecurringRetention {
  /** After they were disabled. */
  readonly disabledDetailMs: number | undefined;
  readonly detailHistoryMs: number | undefined;
  readonly notificationMs: number | undefined;
  readonly announcedChangeMs: number | undefined;
}

export function recurringRetention(ms: RecurringRetention): readonly RetentionRule[] {
  return [
    { subject: 'disabledDetail', ms: ms.disabledDetailMs, destroy: destroyDisabled },
    retentionRule('detailHistory', ms.detailHistoryMs, destroyHistory),
    retentionRule('shopperNotification', ms.notificationMs, destroyNotifications),
    retentionRule('announcedChange', ms.announcedChangeMs, destroyAnnouncements),
  ];
}

type DetailKey = { readonly company: string; readonly recurring_detail_reference: string };

const findDisabled = statement<DetailKey>(
  'find-disabled-details',
  `select company, recurring_detail_reference from stored_detail
    where disabled_at is not null and disabled_at < $1 order by disabled_at limit $2`,
);

const destroyChanges = memoize((count: number) =>
  statement(
    `destroy-changes-of-${count}-details`,
    `delete from detail_change where (company, recurring_detail_reference) in (values ${placeholders(count, ['', ''])})`,
  ),
);

const destroyDetails = memoize((count: number) =>
  statement(
    `destroy-${count}-details`,
    `delete from stored_detail where (company, recurring_detail_reference) in (values ${placeholders(count, ['', ''])})`,
  ),
);

const destroyHistory = statement(
  'destroy-detail-history',
  `delete from detail_change where (company, recurring_detail_reference, psp_reference) in
     (select company, recurring_detail_reference, psp_reference from detail_change
       where changed_at < $1 order by changed_at limit $2)`,
);

const destroyNotifications = statement(
  'destroy-notifications',
  `delete from shopper_notification where (company, psp_reference) in
     (select company, psp_reference from shopper_notification where notified_at < $1 order by notified_at limit $2)`,
);

const destroyAnnouncements = statement(
  'destroy-announcements',
  `delete from announced_change where (company, fingerprint) in
     (select company, fingerprint from announced_change where announced_at < $1 order by announced_at limit $2)`,
);

/** With their histories, which reference them. */
async function destroyDisabled(tx: Transaction, before: number, max: number): Promise<number> {
  const rows = await tx.query(findDisabled, [before, max]);
  if (rows.length === 0) return 0;
  const keys = rows.flatMap((row) => [row.company, row.recurring_detail_reference]);
  await tx.execute(destroyChanges(rows.length), keys);
  return tx.execute(destroyDetails(rows.length), keys);
}
