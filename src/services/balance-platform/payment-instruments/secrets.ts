/** What is secret of a payment instrument: sealed when it is made, opened where an answer shows it. */

import type { HandlerContext } from '../../../gateway/handler.ts';
import type { Vault } from '../../../vault/ports.ts';
import type { Records, StoredResource } from '../resource.ts';
import type { AccountNumbers, CreatedAccount } from './bank-account.ts';
import type { IssuedCard } from './card-numbers.ts';

/** A number is given out once, whichever platform it is for: its fingerprint is nobody's own. No company has this name. */
const everyone = 'every balance platform';

const scopeOf = (platform: string, id: string) => ({
  company: platform,
  record: `paymentInstrument ${id}`,
});

const cardText = (number: string): string => `card ${number}`;
const accountText = ({ iban, routingNumber, accountNumber }: AccountNumbers): string =>
  `account ${iban ?? `${routingNumber} ${accountNumber}`}`;

type Secrets = Pick<StoredResource<'paymentInstrument'>, 'sealed' | 'fingerprint'>;

export const sealCard = (platform: string, id: string, { number }: IssuedCard, vault: Vault): Secrets => ({
  sealed: vault.seal(scopeOf(platform, id), { number }),
  fingerprint: vault.fingerprint(everyone, cardText(number)),
});

export const sealAccount = (platform: string, id: string, { numbers }: CreatedAccount, vault: Vault): Secrets => ({
  sealed: vault.seal(scopeOf(platform, id), { shown: JSON.stringify(numbers) }),
  fingerprint: vault.fingerprint(everyone, accountText(numbers)),
});

/** The record as an answer shows it, with the numbers of its bank account. */
export const openRecord = (
  { platform, record, sealed }: StoredResource<'paymentInstrument'>,
  { vault }: Pick<HandlerContext, 'vault'>,
): Records['paymentInstrument'] => {
  if (record.bankAccount === undefined || sealed?.shown === undefined) return record;
  const numbers = JSON.parse(vault.open(scopeOf(platform, record.id), sealed, 'shown'));
  return { ...record, bankAccount: { ...record.bankAccount, ...numbers } };
};

/** Whether the vault opens what is sealed of it, and knows its number again. Throws `VaultUnavailable`, and what the vault says of a broken seal. */
export const isKnownTo = (
  { platform, record, sealed, fingerprint }: StoredResource<'paymentInstrument'>,
  vault: Vault,
): boolean => {
  if (sealed === undefined) return false;
  const part = sealed.number === undefined ? 'shown' : 'number';
  const clear = vault.open(scopeOf(platform, record.id), sealed, part);
  const text = part === 'number' ? cardText(clear) : accountText(JSON.parse(clear));
  return vault.fingerprint(everyone, text) === fingerprint;
};
