/** What is secret of a payment instrument: sealed when it is made, opened where an answer shows it. */
import type { World } from '../handler.ts';
import type { Vault } from '../ports.ts';
import type { IssuedCard } from './issued-cards.ts';
import type { Kept, Records } from './ports.ts';
import type { MadeAccount } from './shown-account.ts';

/** A number is given out once, whichever platform it is for: its fingerprint is nobody's own. No company has this name. */
const everyone = 'every balance platform';

const scopeOf = (platform: string, id: string) => ({
  company: platform,
  recurringDetailReference: `paymentInstrument ${id}`,
});

type Secrets = Pick<Kept<'paymentInstrument'>, 'sealed' | 'fingerprint'>;

export const sealCard = (platform: string, id: string, { number }: IssuedCard, vault: Vault): Secrets => ({
  sealed: vault.seal(scopeOf(platform, id), { number }),
  fingerprint: vault.fingerprint(everyone, `card ${number}`),
});

export const sealAccount = (platform: string, id: string, { numbers }: MadeAccount, vault: Vault): Secrets => ({
  sealed: vault.seal(scopeOf(platform, id), { shown: JSON.stringify(numbers) }),
  fingerprint: vault.fingerprint(
    everyone,
    `account ${numbers.iban ?? `${numbers.routingNumber} ${numbers.accountNumber}`}`,
  ),
});

/** The record as an answer shows it, with the numbers of its bank account. */
export const openRecord = (
  { platform, record, sealed }: Kept<'paymentInstrument'>,
  { vault }: Pick<World, 'vault'>,
): Records['paymentInstrument'] => {
  if (record.bankAccount === undefined || sealed?.shown === undefined) return record;
  const numbers = JSON.parse(vault.open(scopeOf(platform, record.id), sealed, 'shown'));
  return { ...record, bankAccount: { ...record.bankAccount, ...numbers } };
};
