/** Converts what is to be stored (a card, a bank account or a wallet token) to one kind of instrument. */

import { type Infer, Problem } from '../../core/contract/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import { bankVariant, cardVariant, cvcLength, cvcLengths } from './brand.ts';
import type { PublicDetail, SecretDetail } from './details.ts';
import { recurringProblems } from './problems.ts';
import type { bankAccount, card, elv, tokenDetails } from './schemas.ts';

type Card = Infer<typeof card>;
type Bank = Infer<typeof bankAccount>;
type Elv = Infer<typeof elv>;
type Token = Infer<typeof tokenDetails>;

/** Exactly one instrument is present; the contract requires it. */
export interface InstrumentInput {
  readonly card?: Card | undefined;
  readonly bank?: Bank | undefined;
  readonly elv?: Elv | undefined;
  readonly tokenDetails?: Token | undefined;
  /** The payment method as the caller names it; the range of a card number overrides it. */
  readonly variant?: string | undefined;
}

interface Instrument {
  readonly variant: string;
  /** See `identityOf`. */
  readonly identity: string;
  readonly number?: string;
  readonly publicData: Pick<PublicDetail, 'card' | 'alias' | 'aliasType' | 'tokenDetails'>;
  readonly secret: SecretDetail;
}

export function instrumentOf(input: InstrumentInput, company: string, vault: Vault): Instrument {
  const { card, bank, elv, tokenDetails, variant } = input;
  const identity = identityOf(input);
  if (card !== undefined) {
    const alias = vault.alias(company, card.number);
    return {
      variant: requireVariant(cardVariant(card.number) ?? variant),
      identity,
      number: card.number,
      publicData: { card: publicCard(card), alias, aliasType: 'Default' },
      secret: {},
    };
  }
  if (bank !== undefined)
    return { variant: requireVariant(variant ?? bankVariant(bank)), identity, publicData: {}, secret: { bank } };
  if (elv !== undefined) return { variant: variant ?? 'elv', identity, publicData: {}, secret: { elv } };
  return { variant: requireVariant(variant), identity, publicData: { tokenDetails }, secret: {} };
}

/** Equal for the same instrument within a company; only its keyed fingerprint is stored. */
export function identityOf({ card, bank, elv, tokenDetails }: InstrumentInput): string {
  if (card !== undefined) return cardIdentity(card.number);
  if (bank !== undefined) {
    const { iban, countryCode = '', bankLocationId = '', bankAccountNumber } = bank;
    return `bank ${iban ?? `${countryCode} ${bankLocationId} ${bankAccountNumber}`}`;
  }
  if (elv !== undefined) return `elv ${elv.bankLocationId} ${elv.bankAccountNumber}`;
  if (tokenDetails !== undefined) return `token ${JSON.stringify(tokenDetails)}`;
  throw new Problem(recurringProblems.missingPaymentDetails);
}

export function cardIdentity(number: string): string {
  return `card ${number}`;
}

/** Refuses an expired card, and a security code whose length is wrong for the brand. */
export function checkCard(card: Card, now: number): void {
  if (expiredFrom(card) <= now) throw Problem.at(['card', 'expiryMonth'], recurringProblems.invalidExpiry);
  const variant = cardVariant(card.number);
  checkSecurityCode(card, variant === undefined ? cvcLengths : [cvcLength(variant)]);
}

/** Refuses a security code of another length. The public schema allows 1 to 20 characters. */
export function checkSecurityCode({ cvc }: Pick<Card, 'cvc'>, lengths = cvcLengths): void {
  if (cvc !== undefined && !lengths.includes(cvc.length))
    throw Problem.at(['card', 'cvc'], recurringProblems.invalidCvc);
}

/** Months are stored and returned without a leading zero. */
export function plainMonth(month: string): string {
  return String(Number(month));
}

/** A card is valid to the end of its expiry month (UTC). */
function expiredFrom({ expiryMonth, expiryYear }: Card): number {
  return Date.UTC(Number(expiryYear), Number(expiryMonth), 1);
}

function requireVariant(variant: string | undefined): string {
  if (variant === undefined) throw new Problem(recurringProblems.unknownVariant);
  return variant;
}

function publicCard({
  number,
  cvc: _neverStored,
  expiryMonth,
  startMonth,
  ...rest
}: Card): NonNullable<PublicDetail['card']> {
  return {
    ...rest,
    expiryMonth: plainMonth(expiryMonth),
    ...(startMonth === undefined ? {} : { startMonth: plainMonth(startMonth) }),
    number: number.slice(-4),
  };
}
