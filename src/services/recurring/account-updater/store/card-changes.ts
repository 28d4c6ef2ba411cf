/** Announced card changes, and the history of the stored details that were updated. */

import { statement } from '../../../../store/sql/engine.ts';
import { isRowRight, type RowOf, signRow, verifyRow } from '../../../../store/table.ts';
import type { ReadTransaction, Transaction } from '../../../../store/transaction.ts';
import { TableReader } from '../../../table-reader.ts';
import type { CardSnapshot, DetailChange, ShopperKey, StoredDetail } from '../../details.ts';
import { shopperColumns } from '../../store/repository.ts';
import type { PublicRow } from '../../store/statements.ts';
import { announcedChanges, type detailChanges, storedDetails } from '../../tables.ts';
import type { Announcement } from '../updater.ts';

type AnnouncedRow = Omit<RowOf<typeof announcedChanges>, 'company' | 'fingerprint' | 'announced_at'>;
type ChangeRow = Omit<RowOf<typeof detailChanges>, 'company'>;
type KnownRow = PublicRow & Pick<RowOf<typeof storedDetails>, 'disabled_at'>;

const findAnnouncement = statement<AnnouncedRow>(
  'find-announcement',
  `select status, expiry_month, expiry_year, key_id, data_key, sealed_number, row_mac
     from announced_change where company = $1 and fingerprint = $2`,
);

const saveAnnouncement = statement(
  'save-announcement',
  `insert into announced_change
     (company, fingerprint, status, expiry_month, expiry_year, key_id, data_key, sealed_number, announced_at, row_mac)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (company, fingerprint)
   do update set status = excluded.status, expiry_month = excluded.expiry_month, expiry_year = excluded.expiry_year,
     key_id = excluded.key_id, data_key = excluded.data_key, sealed_number = excluded.sealed_number,
     announced_at = excluded.announced_at, row_mac = excluded.row_mac`,
);

const insertChange = statement(
  'save-change',
  `insert into detail_change
     (company, recurring_detail_reference, psp_reference, changed_at, changed_by, outcome, card_before, card_after)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

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

export interface ShopperHistory {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Oldest first. */
  readonly details: readonly DetailHistory[];
}

const announcementOf = (row: AnnouncedRow, fingerprint: string): Announcement => {
  const { status, expiry_month, expiry_year, key_id, data_key, sealed_number } = row;
  return {
    fingerprint,
    status: status as Announcement['status'],
    expiry:
      expiry_month === null || expiry_year === null
        ? undefined
        : { expiryMonth: expiry_month, expiryYear: expiry_year },
    sealed:
      key_id === null || data_key === null
        ? undefined
        : { keyId: key_id, dataKey: data_key, number: sealed_number ?? undefined },
  };
};

const changeOf = (row: ChangeRow): DetailChange => ({
  recurringDetailReference: row.recurring_detail_reference,
  changedAt: row.changed_at,
  changedBy: row.changed_by,
  pspReference: row.psp_reference,
  outcome: row.outcome,
  before: JSON.parse(row.card_before) as CardSnapshot,
  after: row.card_after === null ? undefined : (JSON.parse(row.card_after) as CardSnapshot),
});

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
    const dates = [expiry?.expiryMonth ?? null, expiry?.expiryYear ?? null];
    const secrets = [sealed?.keyId ?? null, sealed?.dataKey ?? null, sealed?.number ?? null];
    const mac = this.#sign(company, announcement);
    await this.tx.execute(saveAnnouncement, [company, fingerprint, status, ...dates, ...secrets, at, mac]);
  }

  #sign(company: string, { fingerprint, status, expiry }: Announcement): string | null {
    const [expiry_month, expiry_year] = [expiry?.expiryMonth, expiry?.expiryYear];
    return signRow(this.integrity, announcedChanges, { company, fingerprint, status, expiry_month, expiry_year });
  }

  /** Adds to the history of the detail; one request changes a detail once. */
  async saveChange(company: string, change: DetailChange): Promise<void> {
    const { recurringDetailReference, pspReference, changedAt, changedBy, outcome, before, after } = change;
    await this.tx.execute(insertChange, [
      company,
      recurringDetailReference,
      pspReference,
      changedAt,
      changedBy,
      outcome,
      JSON.stringify(before),
      after === undefined ? null : JSON.stringify(after),
    ]);
  }
}
