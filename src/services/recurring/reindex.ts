/** Computes the fingerprints and aliases of stored details under the current index key. */
import { isFingerprintOf, type ReindexedPage, type Reindexer, type VerifiedPage } from '../../store/reindex.ts';
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
  /** Whether the stored one is of the same instrument, under the other index key. Otherwise it was moved here. */
  readonly isKnown: boolean;
}

export function createDetailReindexer(vault: Vault): Reindexer {
  return Object.freeze<Reindexer>({
    reindexPage: (store, after) => reindexPage(store, vault, after),
    verifyPage: (store, after) => verifyPage(store, vault, after),
  });
}

async function verifyPage(store: Store, vault: Vault, after: readonly string[] | undefined): Promise<VerifiedPage> {
  const rows = await store.read((tx) => findDetailPage(tx, after));
  const last = rows.at(-1);
  return {
    rows: rows.length,
    // A disabled detail is found by nothing.
    wrong: rows
      .filter(({ row }) => row.disabled_at === null)
      .filter((each) => !isFingerprintOf(each.detail.fingerprint, () => openedOf(each, vault)?.fingerprints))
      .map(({ company, detail }) => ({ table: 'stored_detail', tenant: company, id: detail.recurringDetailReference })),
    last: last && [last.company, last.detail.recurringDetailReference],
  };
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
  const { publicData } = detail;
  const { fingerprints: [fingerprint] = [], fingerprints, number } = openedOf(before, vault) ?? {};
  if (fingerprint === undefined || fingerprints === undefined) return undefined;
  const alias =
    number === undefined || publicData.alias === undefined ? publicData.alias : vault.alias(company, number);
  if (fingerprint === detail.fingerprint && alias === publicData.alias) return undefined;
  const isKnown = fingerprints.includes(detail.fingerprint);
  return { before, fingerprint, publicData: { ...publicData, ...(alias && { alias }) }, isKnown };
}

/** The fingerprints under each index key. Undefined where nothing is left of the detail, since its secrets were destroyed. */
function openedOf(
  { company, detail: { publicData, recurringDetailReference: record, sealed } }: PagedDetail,
  vault: Vault,
): { readonly fingerprints: readonly string[]; readonly number?: string } | undefined {
  const scope = { tenant: company, record };
  if (sealed.number !== undefined) {
    const number = vault.open(scope, sealed, 'number');
    return { fingerprints: vault.fingerprints(company, cardIdentity(number)), number };
  }
  const { bank, elv }: SecretDetail =
    sealed.payload === undefined ? {} : JSON.parse(vault.open(scope, sealed, 'payload'));
  const { tokenDetails } = publicData;
  if (bank === undefined && elv === undefined && tokenDetails === undefined) return undefined;
  return { fingerprints: vault.fingerprints(company, identityOf({ bank, elv, tokenDetails })) };
}

/** A detail that was changed meanwhile is left for the next pass. */
function save(store: Store, vault: Vault, changes: readonly Change[]): Promise<number> {
  return store.write(async (tx) => {
    let saved = 0;
    for (const { before, fingerprint, publicData, isKnown } of changes) {
      if (!(await saveFingerprintOf(tx, before, { fingerprint, publicData }))) continue;
      saved += 1;
      if (!isKnown) continue;
      await moveAnnouncement(tx, vault, before.company, { from: before.detail.fingerprint, to: fingerprint });
    }
    return saved;
  });
}
