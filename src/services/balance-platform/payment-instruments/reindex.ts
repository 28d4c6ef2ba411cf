/** Computes the fingerprints of issued numbers under the current index key. */

import {
  isFingerprintOf,
  type ReindexedPage,
  type Reindexer,
  rowsPerPage,
  type VerifiedPage,
} from '../../../store/reindex.ts';
import { statement } from '../../../store/sql/engine.ts';
import type { Store } from '../../../store/store.ts';
import type { SealScope, Vault } from '../../../vault/ports.ts';
import { knownFingerprints } from './secrets.ts';

type NumberRow = {
  readonly balance_platform: string;
  readonly id: string;
  readonly number_fingerprint: string;
  readonly key_id: string;
  readonly data_key: string;
  readonly sealed_number: string | null;
  readonly sealed_payload: string | null;
};

const columns = 'balance_platform, id, number_fingerprint, key_id, data_key, sealed_number, sealed_payload';

const firstPage = statement<NumberRow>(
  'first-numbers-to-reindex',
  `select ${columns} from payment_instrument order by balance_platform, id limit ${rowsPerPage}`,
);

const nextPage = statement<NumberRow>(
  'next-numbers-to-reindex',
  `select ${columns} from payment_instrument where (balance_platform, id) > ($1, $2)
    order by balance_platform, id limit ${rowsPerPage}`,
);

const saveFingerprint = statement(
  'save-number-fingerprint',
  `update payment_instrument set number_fingerprint = $4
    where balance_platform = $1 and id = $2 and number_fingerprint = $3`,
);

interface Change {
  readonly row: NumberRow;
  readonly fingerprint: string;
}

export function createNumberReindexer(vault: Vault): Reindexer {
  return Object.freeze<Reindexer>({
    reindexPage: (store, after) => reindexPage(store, vault, after),
    verifyPage: (store, after) => verifyPage(store, vault, after),
  });
}

async function verifyPage(store: Store, vault: Vault, after: readonly string[] | undefined): Promise<VerifiedPage> {
  const rows = await findPage(store, after);
  const last = rows.at(-1);
  return {
    rows: rows.length,
    wrong: rows
      .filter((row) => !isFingerprintOf(row.number_fingerprint, () => fingerprintsOf(row, vault)))
      .map((row) => ({ table: 'payment_instrument', tenant: row.balance_platform, id: row.id })),
    last: last && [last.balance_platform, last.id],
  };
}

function findPage(store: Store, after: readonly string[] | undefined): Promise<readonly NumberRow[]> {
  return store.read((tx) => (after === undefined ? tx.query(firstPage, []) : tx.query(nextPage, after)));
}

async function reindexPage(store: Store, vault: Vault, after: readonly string[] | undefined): Promise<ReindexedPage> {
  const rows = await findPage(store, after);
  const broken: SealScope[] = [];
  const changes = rows.flatMap((row): readonly Change[] => {
    try {
      const [fingerprint = ''] = fingerprintsOf(row, vault);
      return fingerprint === row.number_fingerprint ? [] : [{ row, fingerprint }];
    } catch {
      // The operator is shown the record; the other records are changed.
      broken.push({ tenant: row.balance_platform, record: `paymentInstrument ${row.id}` });
      return [];
    }
  });
  const last = rows.at(-1);
  return {
    rows: rows.length,
    changed: changes.length === 0 ? 0 : await save(store, changes),
    broken,
    last: last && [last.balance_platform, last.id],
  };
}

function fingerprintsOf(row: NumberRow, vault: Vault): readonly string[] {
  const { balance_platform: platform, id, key_id: keyId, data_key: dataKey, sealed_number, sealed_payload } = row;
  const sealed = { keyId, dataKey, number: sealed_number ?? undefined, payload: sealed_payload ?? undefined };
  return knownFingerprints(platform, id, sealed, vault);
}

function save(store: Store, changes: readonly Change[]): Promise<number> {
  return store.write(async (tx) => {
    let saved = 0;
    for (const { row, fingerprint } of changes) {
      const key = [row.balance_platform, row.id, row.number_fingerprint];
      saved += await tx.execute(saveFingerprint, [...key, fingerprint]);
    }
    return saved;
  });
}
