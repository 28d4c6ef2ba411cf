/** The fingerprints and aliases of stored details under each index key. */

import type { Vault } from '../../core/vault/index.ts';
import type { Reindexing } from '../../stores/index.ts';
import type { PublicDetail, SecretDetail } from './details.ts';
import { cardIdentity, identityOf } from './instrument.ts';

interface SealedDetail {
  readonly company: string;
  readonly recurring_detail_reference: string;
  readonly fingerprint: string;
  readonly public_data: string;
  readonly key_id: string;
  readonly data_key: string;
  readonly sealed_number: string | null;
  readonly sealed_payload: string | null;
  readonly disabled_at: number | null;
}

/** How a stored detail changes with the index key. */
export const detailReindexing: Reindexing<SealedDetail> = {
  fingerprint: 'fingerprint',
  fingerprints(row, vault) {
    const number = numberOf(row, vault);
    if (number !== undefined) return vault.fingerprints(row.company, cardIdentity(number));
    const payload = open(row, 'payload', vault);
    const { bank, elv }: SecretDetail = payload === undefined ? {} : JSON.parse(payload);
    const { tokenDetails }: PublicDetail = JSON.parse(row.public_data);
    // Nothing is left of the detail where its secrets were destroyed.
    if (bank === undefined && elv === undefined && tokenDetails === undefined) return undefined;
    return vault.fingerprints(row.company, identityOf({ bank, elv, tokenDetails }));
  },
  // A disabled detail is found by nothing.
  isFound: (row) => row.disabled_at === null,
  other: {
    column: 'public_data',
    value(row, vault) {
      const publicData: PublicDetail = JSON.parse(row.public_data);
      const number = publicData.alias === undefined ? undefined : numberOf(row, vault);
      if (number === undefined) return row.public_data;
      const alias = vault.alias(row.company, number);
      return alias === publicData.alias ? row.public_data : JSON.stringify({ ...publicData, alias });
    },
  },
};

function numberOf(row: SealedDetail, vault: Vault): string | undefined {
  return open(row, 'number', vault);
}

function open(row: SealedDetail, part: 'number' | 'payload', vault: Vault): string | undefined {
  const { key_id: keyId, data_key: dataKey, sealed_number, sealed_payload } = row;
  const sealed = { keyId, dataKey, number: sealed_number ?? undefined, payload: sealed_payload ?? undefined };
  const scope = { tenant: row.company, record: row.recurring_detail_reference };
  return sealed[part] === undefined ? undefined : vault.open(scope, sealed, part);
}
