/** Announced card changes: how one is kept, sealed, and the updater that answers by them. */

import { Problem } from '../../../contract/problem.ts';
import type { SealScope, Vault } from '../../../vault/ports.ts';
import type { Expiry } from '../details.ts';
import { cardIdentity, plainMonth } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import type { CardChangeRow } from './card-change-row.ts';
import { outcomeOfTestCard } from './test-cards.ts';
import type { AccountUpdateOutcome, Announcement, CheckedCard, Updater } from './updater.ts';

/** A record of its own: a number that is moved to a stored detail does not open there. */
const scopeOf = (company: string, fingerprint: string): SealScope => ({
  company,
  record: `announced ${fingerprint}`,
});

type KnowingUpdater = Extract<Updater, { readonly kind: 'known' }>;

/** The company, of which the row names a merchant account, is known by then. */
type Change = Omit<CardChangeRow, 'merchantAccount'>;

const expiryOf = ({ newExpiryMonth, newExpiryYear }: Change): Expiry | undefined =>
  newExpiryMonth === undefined || newExpiryYear === undefined
    ? undefined
    : { expiryMonth: plainMonth(newExpiryMonth), expiryYear: newExpiryYear };

/** Throws a Problem for a new number that is none, or that stands beside a status. */
export const announcementOf = (row: Change, company: string, vault: Vault): Announcement => {
  const { number, newNumber, status } = row;
  if (newNumber !== undefined && (status !== undefined || newNumber === number))
    throw Problem.at(['newNumber'], recurringProblems.invalidCardNumber);
  const fingerprint = vault.fingerprint(company, cardIdentity(number));
  const expiry = expiryOf(row);
  if (newNumber === undefined) return { fingerprint, status: status ?? 'renewed', expiry };
  const sealed = vault.seal(scopeOf(company, fingerprint), { number: newNumber });
  return { fingerprint, status: 'replaced', expiry, sealed };
};

const fateOf = (
  { fingerprint, status, expiry, sealed }: Announcement,
  company: string,
  vault: Vault,
): AccountUpdateOutcome => {
  switch (status) {
    case 'renewed':
      return expiry === undefined ? { kind: 'failed' } : { kind: status, expiry };
    case 'replaced':
      if (expiry === undefined || sealed === undefined) return { kind: 'failed' };
      return { kind: status, expiry, number: vault.open(scopeOf(company, fingerprint), sealed, 'number') };
    case 'closed':
    case 'contactCardholder':
    case 'unchanged':
      return { kind: status };
    default:
      return status satisfies never;
  }
};

/**
 * Answers by what was announced; of a card of which nothing was, by the table of test cards where `testCards` says so, and
 * else that it is as it was.
 */
export const announcedUpdater = (vault: Vault, { testCards }: { readonly testCards: boolean }): KnowingUpdater =>
  Object.freeze<KnowingUpdater>({
    kind: 'known',
    async check(card: CheckedCard, announcements) {
      const announced = await announcements.findAnnouncement(card.company, card.fingerprint);
      if (announced !== undefined) return fateOf(announced, card.company, vault);
      return (testCards ? outcomeOfTestCard(card) : undefined) ?? { kind: 'unchanged' };
    },
  });
