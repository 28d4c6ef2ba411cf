/** The announcements of payments to shoppers. */
import {
  fieldsOf,
  prepareInsert,
  type ReadTransaction,
  type RowOf,
  statement,
  type Transaction,
} from '../../../stores/index.ts';
import { TableReader } from '../../table-reader.ts';
import type { ShopperKey } from '../details.ts';
import { shopperNotifications } from '../tables.ts';

interface ShopperNotification extends NotificationContent {
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

const addNotification = prepareInsert('save-notification', shopperNotifications);

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
    return rows.map((row) => {
      const { content, ...fields } = fieldsOf(row);
      return { ...fields, ...(JSON.parse(content) as NotificationContent) };
    });
  }
}

export class NotificationRepository extends NotificationReader<Transaction> {
  async save(key: ShopperKey, { pspReference, notifiedAt, ...content }: ShopperNotification): Promise<void> {
    const { company, merchantAccount, shopperReference } = key;
    const fields = { company, merchantAccount, shopperReference, pspReference, notifiedAt };
    await addNotification(this.tx, { ...fields, content: JSON.stringify(content) });
  }
}
