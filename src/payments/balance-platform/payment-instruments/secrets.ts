/** Seals the numbers of a payment instrument when it is created, and opens them for responses. */

import type { HandlerContext } from '../../../core/gateway/index.ts';
import type { Sealed, Vault } from '../../../core/vault/index.ts';
import type { Reindexing } from '../../../stores/index.ts';
import type { StoredResource } from '../resource.ts';
import type { NumberRow } from '../store/tables.ts';
import type { AccountNumbers, CreatedAccount } from './bank-identification.ts';
import type { IssuedCard } from './card-numbers.ts';
import type { PaymentInstrument } from './contract.ts';

type Instrument = StoredResource<PaymentInstrument>;
type Secrets = Pick<Instrument, 'sealed' | 'fingerprint' | 'otherFingerprint'>;

/** Numbers are unique across all platforms, so their fingerprints have one common scope. No company has this name. */
const fingerprintScope = 'every balance platform';

export function sealCard(platform: string, id: string, { number }: IssuedCard, vault: Vault): Secrets {
  return {
    sealed: vault.seal(scopeOf(platform, id), { number }),
    ...fingerprintsOf(cardText(number), vault),
  };
}

export function sealAccount(platform: string, id: string, { numbers }: CreatedAccount, vault: Vault): Secrets {
  return {
    sealed: vault.seal(scopeOf(platform, id), { payload: JSON.stringify(numbers) }),
    ...fingerprintsOf(accountText(numbers), vault),
  };
}

/** The record as responses contain it, with the numbers of its bank account. */
export function openRecord(
  { platform, record, sealed }: Instrument,
  { vault }: Pick<HandlerContext, 'vault'>,
): PaymentInstrument {
  if (record.bankAccount === undefined || sealed?.payload === undefined) return record;
  const numbers = JSON.parse(vault.open(scopeOf(platform, record.id), sealed, 'payload'));
  return { ...record, bankAccount: { ...record.bankAccount, ...numbers } };
}

/** Whether the vault opens the number and computes the same fingerprint of it. Throws what the vault throws for a broken seal. */
export function isKnownTo({ platform, record, sealed, fingerprint }: Instrument, vault: Vault): boolean {
  if (sealed === undefined) return false;
  return knownFingerprints(platform, record.id, sealed, vault).includes(fingerprint ?? '');
}

/** How an issued number changes with the index key. */
export const numberReindexing: Reindexing<NumberRow> = {
  fingerprint: 'number_fingerprint',
  fingerprints({ balance_platform: platform, id, key_id: keyId, data_key: dataKey, ...row }, vault) {
    const sealed = { keyId, dataKey, number: row.sealed_number ?? undefined, payload: row.sealed_payload ?? undefined };
    return knownFingerprints(platform, id, sealed, vault);
  },
};

/** The fingerprints under each index key, that of the current one first. Throws what the vault throws for a broken seal. */
function knownFingerprints(platform: string, id: string, sealed: Sealed, vault: Vault): readonly string[] {
  return vault.fingerprints(fingerprintScope, numberText(platform, id, sealed, vault));
}

function numberText(platform: string, id: string, sealed: Sealed, vault: Vault): string {
  const part = sealed.number === undefined ? 'payload' : 'number';
  const clear = vault.open(scopeOf(platform, id), sealed, part);
  return part === 'number' ? cardText(clear) : accountText(JSON.parse(clear));
}

function fingerprintsOf(text: string, vault: Vault): Pick<Secrets, 'fingerprint' | 'otherFingerprint'> {
  const [fingerprint, otherFingerprint] = vault.fingerprints(fingerprintScope, text);
  return { fingerprint, otherFingerprint };
}

function scopeOf(platform: string, id: string) {
  return { tenant: platform, record: `paymentInstrument ${id}` };
}

function cardText(number: string): string {
  return `card ${number}`;
}

function accountText({ iban, routingNumber, accountNumber }: AccountNumbers): string {
  return `account ${iban ?? `${routingNumber} ${accountNumber}`}`;
}
