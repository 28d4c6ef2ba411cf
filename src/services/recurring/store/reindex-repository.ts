/** The stored details of all companies in the order of their key, for a rotation of the index key. */

import { rowsPerPage } from '../../../store/reindex.ts';
import { RowIntegrity } from '../../../store/row-integrity.ts';
import { statement } from '../../../store/sql/engine.ts';
import type { SignedTable } from '../../../store/sql/signed-rows.ts';
import type { ReadTransaction, Transaction } from '../../../store/transaction.ts';
import type { StoredDetail } from '../details.ts';
import { detailFields, detailOf } from './repository.ts';
import type { DetailRow } from './statements.ts';

type PageRow = DetailRow & {
  readonly company: string;
  readonly merchant_account: string;
  readonly shopper_reference: string;
  readonly disabled_at: number | null;
};

const columns = `company, merchant_account, shopper_reference, recurring_detail_reference, created_at, contracts, fingerprint,
  public_data, row_mac, disabled_at, key_id, data_key, sealed_number, sealed_payload`;

const firstPage = statement<PageRow>(
  'first-details-to-reindex',
  `select ${columns} from stored_detail order by company, recurring_detail_reference limit ${rowsPerPage}`,
);

const nextPage = statement<PageRow>(
  'next-details-to-reindex',
  `select ${columns} from stored_detail where (company, recurring_detail_reference) > ($1, $2)
    order by company, recurring_detail_reference limit ${rowsPerPage}`,
);

/** Writes no row where the detail was changed meanwhile. */
const saveFingerprint = statement(
  'save-fingerprint',
  `update stored_detail set fingerprint = $5, public_data = $6, row_mac = $7
    where company = $1 and recurring_detail_reference = $2 and fingerprint = $3 and public_data = $4`,
);

/** The fields of `detailFields`. */
export const signedDetailTable: SignedTable = {
  name: 'stored_detail',
  key: ['company', 'recurring_detail_reference'],
  columns: [
    'company',
    'merchant_account',
    'shopper_reference',
    'recurring_detail_reference',
    'created_at',
    'contracts',
    'public_data',
  ],
  condition: 'disabled_at is null',
};

export interface PagedDetail {
  readonly company: string;
  readonly detail: StoredDetail;
  /** The public data as it is stored. */
  readonly publicText: string;
  readonly row: PageRow;
}

export async function findDetailPage(
  tx: ReadTransaction,
  after: readonly string[] | undefined,
): Promise<readonly PagedDetail[]> {
  const rows = await (after === undefined ? tx.query(firstPage, []) : tx.query(nextPage, after));
  return rows.map((row) => ({ company: row.company, detail: detailOf(row), publicText: row.public_data, row }));
}

/** Returns false where the detail was changed meanwhile. */
export async function saveFingerprintOf(
  tx: Transaction,
  { company, detail, publicText, row }: PagedDetail,
  { fingerprint, publicData }: Pick<StoredDetail, 'fingerprint' | 'publicData'>,
): Promise<boolean> {
  const key = [company, detail.recurringDetailReference, detail.fingerprint, publicText];
  const public_data = JSON.stringify(publicData);
  const mac = row.disabled_at === null ? signatureOf(tx, { ...row, public_data }) : null;
  return (await tx.execute(saveFingerprint, [...key, fingerprint, public_data, mac])) > 0;
}

/** Throws `RowAltered`: computing its fingerprint would sign what was altered. */
export function verifyDetail(integrity: RowIntegrity | undefined, { row }: PagedDetail): void {
  if (row.disabled_at === null)
    integrity?.verify('stored_detail', row.recurring_detail_reference, fieldsOf(row), row.row_mac);
}

function signatureOf(tx: ReadTransaction, row: PageRow): string | null {
  return tx.shared(RowIntegrity)?.sign('stored_detail', fieldsOf(row)) ?? null;
}

function fieldsOf(row: PageRow) {
  const { company, merchant_account: merchantAccount, shopper_reference: shopperReference } = row;
  return detailFields({ company, merchantAccount, shopperReference }, row);
}
