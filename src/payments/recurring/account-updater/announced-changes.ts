/** Announced card changes: how one is stored, and the updater that decides by them. */

import { Problem } from '../../../core/contract/index.ts';
import type { SealScope, Vault } from '../../../core/vault/index.ts';
import type { Expiry } from '../details.ts';
import { cardFingerprints } from '../fingerprints.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import type { CardChangeRow } from './card-change-row.ts';
import { outcomeOfTestCard } from './test-cards.ts';
import type { AccountUpdateOutcome, Announcement, Announcements, CheckedCard, LocalUpdater } from './updater.ts';

/** The company was found by the merchant account of the row. */
type CardChange = Omit<CardChangeRow, 'merchantAccount'>;

/** Throws a Problem for a new number that equals the old one, or that comes with a status. */
export function announcementOf(row: CardChange, company: string, vault: Vault): Announcement {
  const { number, newNumber, status } = row;
  if (newNumber !== undefined && (status !== undefined || newNumber === number))
    throw Problem.at(['newNumber'], recurringProblems.invalidCardNumber);
  const fingerprint = vault.fingerprint(company, cardIdentity(number));
  const expiry = expiryOf(row);
  if (newNumber === undefined) return { fingerprint, status: status ?? 'renewed', expiry };
  const sealed = vault.seal(announcementScope(company, fingerprint), { number: newNumber });
  return { fingerprint, status: 'replaced', expiry, sealed };
}

/** A card without an announcement is unchanged; with `testCards`, a test card has its fixed outcome. */
export function createLocalUpdater(vault: Vault, { testCards }: { readonly testCards: boolean }): LocalUpdater {
  return Object.freeze<LocalUpdater>({
    kind: 'local',
    async check(card, announcements) {
      const announcement =
        (await announcements.findAnnouncement(card.company, card.fingerprint)) ??
        (vault.hasTwoIndexKeys ? await findUnderOther(card, announcements, vault) : undefined);
      if (announcement !== undefined) return outcomeOf(announcement, card.company, vault);
      return (testCards ? outcomeOfTestCard(card) : undefined) ?? { kind: 'unchanged' };
    },
  });
}

async function findUnderOther(
  { company, fingerprint, number }: CheckedCard,
  announcements: Announcements,
  vault: Vault,
): Promise<Announcement | undefined> {
  for (const other of cardFingerprints(number(), company, vault, fingerprint)) {
    const found = await announcements.findAnnouncement(company, other);
    if (found !== undefined) return found;
  }
  return undefined;
}

function outcomeOf(
  { fingerprint, status, expiry, sealed }: Announcement,
  company: string,
  vault: Vault,
): AccountUpdateOutcome {
  switch (status) {
    case 'renewed':
      return expiry === undefined ? { kind: 'failed' } : { kind: status, expiry };
    case 'replaced':
      if (expiry === undefined || sealed === undefined) return { kind: 'failed' };
      return { kind: status, expiry, number: vault.open(announcementScope(company, fingerprint), sealed, 'number') };
    case 'closed':
    case 'contactCardholder':
    case 'unchanged':
      return { kind: status };
    default:
      return status satisfies never;
  }
}

function expiryOf({ newExpiryMonth, newExpiryYear }: CardChange): Expiry | undefined {
  if (newExpiryMonth === undefined || newExpiryYear === undefined) return undefined;
  return { expiryMonth: plainMonth(newExpiryMonth), expiryYear: newExpiryYear };
}

/** A scope of its own: a sealed number that is copied to a stored detail does not open there. */
function announcementScope(company: string, fingerprint: string): SealScope {
  return { tenant: company, record: `announced ${fingerprint}` };
}
