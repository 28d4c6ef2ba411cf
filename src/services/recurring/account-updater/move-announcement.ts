/** Moves an announced card change to another fingerprint of the same card, for a rotation of the index key. */
import { RowAltered } from '../../../store/row-integrity.ts';
import type { Transaction } from '../../../store/transaction.ts';
import type { Vault } from '../../../vault/ports.ts';
import { announcementScope } from './announced-changes.ts';
import { CardChangeRepository } from './store/card-changes.ts';
import type { Announcement } from './updater.ts';

/** The card itself is not in the announcement: both fingerprints come from a stored detail. An altered announcement stays where it is. */
export async function moveAnnouncement(
  tx: Transaction,
  vault: Vault,
  company: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const repository = tx.repository(CardChangeRepository);
  const earlier = from === to ? undefined : await findUnaltered(repository, company, from);
  if (earlier === undefined) return;
  const { sealed } = earlier;
  const number = sealed && vault.open(announcementScope(company, from), sealed, 'number');
  const resealed = number === undefined ? undefined : vault.seal(announcementScope(company, to), { number });
  await repository.moveAnnouncement(company, earlier, to, resealed);
}

async function findUnaltered(
  repository: CardChangeRepository,
  company: string,
  fingerprint: string,
): Promise<Announcement | undefined> {
  try {
    return await repository.findAnnouncement(company, fingerprint);
  } catch (thrown) {
    if (thrown instanceof RowAltered) return undefined;
    throw thrown;
  }
}
