/** The stored details of all companies in the order of their key, for a rotation of the index key. */

import { rowsPerPage } from '../../../store/reindex.ts';
import { statement } from '../../../store/sql/engine.ts';
import type { ReadTransaction, Transaction } from '../../../store/transaction.ts';
import type { StoredDetail } from '../details.ts';
import { detailOf } from './repository.ts';
import type { DetailRow } from './statements.ts';

type PageRow = DetailRow & { readonly company: string };

const columns = `company, recurring_detail_reference, created_at, contracts, fingerprint, public_data, key_id, data_key,
  sealed_number, sealed_payload`;

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
  `update stored_detail set fingerprint = $5, public_data = $6
    where company = $1 and recurring_detail_reference = $2 and fingerprint = $3 and public_data = $4`,
);

export interface PagedDetail {
  readonly company: string;
  readonly detail: StoredDetail;
  /** The public data as it is stored. */
  readonly publicText: string;
}

export async function findDetailPage(
  tx: ReadTransaction,
  after: readonly string[] | undefined,
): Promise<readonly PagedDetail[]> {
  const rows = await (after === undefined ? tx.query(firstPage, []) : tx.query(nextPage, after));
  return rows.map((row) => ({ company: row.company, detail: detailOf(row), publicText: row.public_data }));
}

/** Returns false where the detail was changed meanwhile. */
export async function saveFingerprintOf(
  tx: Transaction,
  { company, detail, publicText }: PagedDetail,
  { fingerprint, publicData }: Pick<StoredDetail, 'fingerprint' | 'publicData'>,
): Promise<boolean> {
  const key = [company, detail.recurringDetailReference, detail.fingerprint, publicText];
  return (await tx.execute(saveFingerprint, [...key, fingerprint, JSON.stringify(publicData)])) > 0;
}
