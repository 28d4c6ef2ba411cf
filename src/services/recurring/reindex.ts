/** Computes the fingerprints and aliases of stored details under the current index key. */
import type { ReindexedPage, Reindexer } from '../../store/reindex.ts';
import { RowIntegrity } from '../../store/row-integrity.ts';
import type { Store } from '../../store/store.ts';
import type { SealScope, Vault } from '../../vault/ports.ts';
import { moveAnnouncement } from './account-updater/move-announcement.ts';
import type { PublicDetail, SecretDetail } from './details.ts';
import { cardIdentity, identityOf } from './instrument.ts';
import { findDetailPage, type PagedDetail, saveFingerprintOf, verifyDetail } from './store/reindex-repository.ts';

/** A detail whose fingerprint changes. */
interface Change {
  readonly before: PagedDetail;
  readonly fingerprint: string;
  readonly publicData: PublicDetail;
}

export function createDetailReindexer(vault: Vault): Reindexer {
  return Object.freeze<Reindexer>({ reindexPage: (store, after) => reindexPage(store, vault, after) });
}

async function reindexPage(store: Store, vault: Vault, after: readonly string[] | undefined): Promise<ReindexedPage> {
  const { rows, integrity } = await store.read(async (tx) => ({
    rows: await findDetailPage(tx, after),
    integrity: tx.shared(RowIntegrity),
  }));
  const broken: SealScope[] = [];
  const changes = rows.flatMap((row): readonly Change[] => {
    try {
      verifyDetail(integrity, row);
      const change = changeOf(row, vault);
      return change === undefined ? [] : [change];
    } catch {
      // The operator is shown the record; the other records are changed.
      broken.push({ tenant: row.company, record: row.detail.recurringDetailReference });
      return [];
    }
  });
  const last = rows.at(-1);
  return {
    rows: rows.length,
    changed: changes.length === 0 ? 0 : await save(store, vault, changes),
    broken,
    last: last && [last.company, last.detail.recurringDetailReference],
  };
}

/** Returns undefined where the fingerprint is that of the current key. */
function changeOf(before: PagedDetail, vault: Vault): Change | undefined {
  const { company, detail } = before;
  const { publicData, recurringDetailReference: record, sealed } = detail;
  const scope = { tenant: company, record };
  if (sealed.number !== undefined) {
    const number = vault.open(scope, sealed, 'number');
    const fingerprint = vault.fingerprint(company, cardIdentity(number));
    const alias = publicData.alias === undefined ? undefined : vault.alias(company, number);
    if (fingerprint === detail.fingerprint && alias === publicData.alias) return undefined;
    return { before, fingerprint, publicData: { ...publicData, ...(alias && { alias }) } };
  }
  const { bank, elv }: SecretDetail =
    sealed.payload === undefined ? {} : JSON.parse(vault.open(scope, sealed, 'payload'));
  const { tokenDetails } = publicData;
  // Nothing is left of a detail whose secrets were destroyed.
  if (bank === undefined && elv === undefined && tokenDetails === undefined) return undefined;
  const fingerprint = vault.fingerprint(company, identityOf({ bank, elv, tokenDetails }));
  return fingerprint === detail.fingerprint ? undefined : { before, fingerprint, publicData };
}

/** A detail that was changed meanwhile is left for the next pass. */
function save(store: Store, vault: Vault, changes: readonly Change[]): Promise<number> {
  return store.write(async (tx) => {
    let saved = 0;
    for (const { before, fingerprint, publicData } of changes) {
      if (!(await saveFingerprintOf(tx, before, { fingerprint, publicData }))) continue;
      saved += 1;
      await moveAnnouncement(tx, vault, before.company, { from: before.detail.fingerprint, to: fingerprint });
    }
    return saved;
  });
}
