/** The announcements of payments to shoppers. */
import { statement } from '../../../store/sql/engine.ts';
import type { RowOf } from '../../../store/table.ts';
import type { ReadTransaction, Transaction } from '../../../store/transaction.ts';
import { TableReader } from '../../table-reader.ts';
import type { ShopperKey } from '../details.ts';
import type { shopperNotifications } from '../tables.ts';

export interface ShopperNotification extends NotificationContent {
  readonly pspReference: string;
  /** Milliseconds since the epoch. */
  readonly notifiedAt: number;
}

/** The part that is stored as JSON. */
interface NotificationContent {
  readonly recurringDetailReference: string;
  readonly shopperNotificationReference: string;
  readonly amount: { readonly currency: string; readonly value: number };
  readonly reference: string;
  readonly displayedReference: string;
  readonly billingDate?: string | undefined;
  readonly billingSequenceNumber?: string | undefined;
}

type NotificationRow = Pick<RowOf<typeof shopperNotifications>, 'psp_reference' | 'notified_at' | 'content'>;

const insertNotification = statement(
  'save-notification',
  `insert into shopper_notification
     (company, merchant_account, shopper_reference, psp_reference, notified_at, content)
   values ($1, $2, $3, $4, $5, $6)`,
);

const findNotifications = statement<NotificationRow>(
  'find-notifications',
  `select psp_reference, notified_at, content from shopper_notification
    where company = $1 and merchant_account = $2 and shopper_reference = $3
    order by notified_at, psp_reference`,
);

export class NotificationReader<T extends ReadTransaction = ReadTransaction> extends TableReader<T> {
  /** Oldest first. */
  async find({ company, merchantAccount, shopperReference }: ShopperKey): Promise<readonly ShopperNotification[]> {
    const rows = await this.tx.query(findNotifications, [company, merchantAccount, shopperReference]);
    return rows.map(({ psp_reference, notified_at, content }) => ({
      pspReference: psp_reference,
      notifiedAt: notified_at,
      ...(JSON.parse(content) as NotificationContent),
    }));
  }
}

export class NotificationRepository extends NotificationReader<Transaction> {
  async save(
    { company, merchantAccount, shopperReference }: ShopperKey,
    { pspReference, notifiedAt, ...content }: ShopperNotification,
  ): Promise<void> {
    await this.tx.execute(insertNotification, [
      company,
      merchantAccount,
      shopperReference,
      pspReference,
      notifiedAt,
      JSON.stringify(content),
    ]);
  }
}
