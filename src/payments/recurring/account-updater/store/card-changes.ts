/** Announced card changes, and the history of the stored details that were updated. */

import {
  fieldsOf,
  isRowRight,
  prepareInsert,
  prepareUpsert,
  type ReadTransaction,
  type RowOf,
  statement,
  type Transaction,
  verifyRow,
} from '../../../../stores/index.ts';
import { TableReader } from '../../../table-reader.ts';
import type { CardSnapshot, DetailChange, ShopperKey, StoredDetail } from '../../details.ts';
import { shopperColumns } from '../../store/repository.ts';
import type { PublicRow } from '../../store/statements.ts';
import { announcedChanges, detailChanges, storedDetails } from '../../tables.ts';
import type { Announcement } from '../updater.ts';

type AnnouncedRow = Omit<RowOf<typeof announcedChanges>, 'company' | 'fingerprint' | 'announced_at'>;
type ChangeRow = Omit<RowOf<typeof detailChanges>, 'company'>;
type KnownRow = PublicRow & Pick<RowOf<typeof storedDetails>, 'disabled_at'>;

const findAnnouncement = statement<AnnouncedRow>(
  'find-announcement',
  `select status, expiry_month, expiry_year, key_id, data_key, sealed_number, row_mac
     from announced_change where company = $1 and fingerprint = $2`,
);

const saveAnnouncement = prepareUpsert('save-announcement', announcedChanges);

const addChange = prepareInsert('save-change', detailChanges);

/** The histories of all details of a shopper. */
const findChanges = statement<ChangeRow>(
  'find-changes',
  `select c.recurring_detail_reference, c.psp_reference, c.changed_at, c.changed_by, c.outcome, c.card_before, c.card_after
     from stored_detail d
     join detail_change c on c.company = d.company and c.recurring_detail_reference = d.recurring_detail_reference
    where d.company = $1 and d.merchant_account = $2 and d.shopper_reference = $3
    order by c.changed_at, c.psp_reference`,
);

const findKnownDetails = statement<KnownRow>(
  'find-known-details',
  `select recurring_detail_reference, created_at, contracts, public_data, disabled_at, row_mac from stored_detail
    where company = $1 and merchant_account = $2 and shopper_reference = $3
    order by created_at, recurring_detail_reference`,
);

const findSince = statement<{ readonly created_at: number }>(
  'find-known-since',
  'select created_at from shopper where company = $1 and merchant_account = $2 and shopper_reference = $3',
);

/** A detail without its sealed parts, with its history. */
export interface DetailHistory extends Pick<StoredDetail, 'recurringDetailReference' | 'createdAt' | 'publicData'> {
  readonly contracts: readonly string[];
  /** Milliseconds since the epoch. */
  readonly disabledAt: number | undefined;
  /** Present where the row was changed outside of the gateway, which refuses it. */
  readonly altered?: true;
  /** Oldest first. */
  readonly changes: readonly DetailChange[];
}

interface ShopperHistory {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Oldest first. */
  readonly details: readonly DetailHistory[];
}

function announcementOf(row: AnnouncedRow, fingerprint: string): Announcement {
  const { status, expiryMonth, expiryYear, keyId, dataKey, sealedNumber: number } = fieldsOf(row);
  return {
    fingerprint,
    status: status as Announcement['status'],
    expiry: expiryMonth === undefined || expiryYear === undefined ? undefined : { expiryMonth, expiryYear },
    sealed: keyId === undefined || dataKey === undefined ? undefined : { keyId, dataKey, number },
  };
}

function changeOf(row: ChangeRow): DetailChange {
  const { cardBefore, cardAfter, ...change } = fieldsOf(row);
  return {
    ...change,
    before: JSON.parse(cardBefore) as CardSnapshot,
    after: cardAfter === undefined ? undefined : (JSON.parse(cardAfter) as CardSnapshot),
  };
}

export class CardChangeReader<T extends ReadTransaction = ReadTransaction> extends TableReader<T> {
  /** Throws `RowAltered`. */
  async findAnnouncement(company: string, fingerprint: string): Promise<Announcement | undefined> {
    const [row] = await this.tx.query(findAnnouncement, [company, fingerprint]);
    if (row === undefined) return undefined;
    return announcementOf(verifyRow(this.integrity, announcedChanges, row, { company, fingerprint }), fingerprint);
  }

  /** The shopper with all details, disabled ones too, and their histories; undefined for an unknown shopper. */
  async findHistory(shopper: ShopperKey): Promise<ShopperHistory | undefined> {
    const key = [shopper.company, shopper.merchantAccount, shopper.shopperReference];
    const [known] = await this.tx.query(findSince, key);
    if (known === undefined) return undefined;
    const rows = await this.tx.query(findKnownDetails, key);
    const changes = Map.groupBy(
      (await this.tx.query(findChanges, key)).map(changeOf),
      ({ recurringDetailReference }) => recurringDetailReference,
    );
    const details = rows.map((row) => ({
      recurringDetailReference: row.recurring_detail_reference,
      createdAt: row.created_at,
      contracts: row.contracts.split(','),
      publicData: JSON.parse(row.public_data) as StoredDetail['publicData'],
      disabledAt: row.disabled_at ?? undefined,
      ...(this.#isAltered(shopper, row) && { altered: true as const }),
      changes: changes.get(row.recurring_detail_reference) ?? [],
    }));
    return { createdAt: known.created_at, details };
  }

  /** A disabled detail has no MAC. */
  #isAltered(shopper: ShopperKey, row: KnownRow): boolean {
    return row.disabled_at === null && !isRowRight(this.integrity, storedDetails, row, shopperColumns(shopper));
  }
}

export class CardChangeRepository extends CardChangeReader<Transaction> {
  /** Adds the announcement, or replaces the earlier one for the same card. */
  async saveAnnouncement(company: string, announcement: Announcement, at: number): Promise<void> {
    const { fingerprint, status, expiry, sealed } = announcement;
    const fields = { company, fingerprint, status, ...expiry, announcedAt: at };
    const sealedFields = { keyId: sealed?.keyId, dataKey: sealed?.dataKey, sealedNumber: sealed?.number };
    await saveAnnouncement(this.tx, { ...fields, ...sealedFields }, this.integrity);
  }

  /** Adds to the history of the detail; one request changes a detail once. */
  async saveChange(company: string, { before, after, ...change }: DetailChange): Promise<void> {
    const cardAfter = after && JSON.stringify(after);
    await addChange(this.tx, { ...change, company, cardBefore: JSON.stringify(before), cardAfter });
  }
}
