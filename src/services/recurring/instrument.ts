/** What is stored, whatever it is: a card, a bank account or a wallet's token becomes one kind of detail. */

import { Problem } from '../../contract/problem.ts';
import type { Infer } from '../../contract/schema.ts';
import type { Vault } from '../../vault/ports.ts';
import { bankVariant, cardVariant, cvcLength } from './brand.ts';
import type { PublicDetail, SecretDetail } from './details.ts';
import { recurringProblems } from './problems.ts';
import type { bankAccount, card, elv, tokenDetails } from './schemas.ts';

type Card = Infer<typeof card>;
type Bank = Infer<typeof bankAccount>;
type Elv = Infer<typeof elv>;
type Token = Infer<typeof tokenDetails>;

/** Exactly one of them is there; the contract has seen to it. */
export interface Given {
  readonly card?: Card | undefined;
  readonly bank?: Bank | undefined;
  readonly elv?: Elv | undefined;
  readonly tokenDetails?: Token | undefined;
  /** The payment method as the caller names it; a card number's own range outranks it. */
  readonly variant?: string | undefined;
}

export interface Instrument {
  readonly variant: string;
  /** See `identityOf`. */
  readonly identity: string;
  readonly number?: string;
  readonly open: Pick<PublicDetail, 'card' | 'alias' | 'aliasType' | 'tokenDetails'>;
  readonly secret: SecretDetail;
}

/** Months are kept and shown without a leading zero. */
export const plainMonth = (month: string): string => String(Number(month));

const shownCard = ({
  number,
  cvc: _dropped,
  expiryMonth,
  startMonth,
  ...rest
}: Card): NonNullable<PublicDetail['card']> => ({
  ...rest,
  expiryMonth: plainMonth(expiryMonth),
  ...(startMonth === undefined ? {} : { startMonth: plainMonth(startMonth) }),
  number: number.slice(-4),
});

/** The first moment at which a card no longer holds: the start of the month after the one it shows (UTC). */
const endOf = ({ expiryMonth, expiryYear }: Card): number => Date.UTC(Number(expiryYear), Number(expiryMonth), 1);

/** Refuses a card that no longer holds, and a security code of the wrong length for its brand. */
export const checkCard = (card: Card, now: number): void => {
  if (endOf(card) <= now) throw Problem.at(['card', 'expiryMonth'], recurringProblems.invalidExpiry);
  const variant = cardVariant(card.number);
  if (card.cvc !== undefined && variant !== undefined && card.cvc.length !== cvcLength(variant))
    throw Problem.at(['card', 'cvc'], recurringProblems.invalidCvc);
};

const known = (variant: string | undefined): string => {
  if (variant === undefined) throw new Problem(recurringProblems.unknownVariant);
  return variant;
};

export const cardIdentity = (number: string): string => `card ${number}`;

/** What makes two of them the same within a company; only its keyed fingerprint is kept. */
export const identityOf = ({ card, bank, elv, tokenDetails }: Given): string => {
  if (card !== undefined) return cardIdentity(card.number);
  if (bank !== undefined) {
    const { iban, countryCode = '', bankLocationId = '', bankAccountNumber } = bank;
    return `bank ${iban ?? `${countryCode} ${bankLocationId} ${bankAccountNumber}`}`;
  }
  if (elv !== undefined) return `elv ${elv.bankLocationId} ${elv.bankAccountNumber}`;
  if (tokenDetails !== undefined) return `token ${JSON.stringify(tokenDetails)}`;
  throw new Problem(recurringProblems.missingPaymentDetails);
};

export const instrumentOf = (given: Given, company: string, vault: Vault): Instrument => {
  const { card, bank, elv, tokenDetails, variant } = given;
  const identity = identityOf(given);
  if (card !== undefined) {
    const alias = vault.alias(company, card.number);
    return {
      variant: known(cardVariant(card.number) ?? variant),
      identity,
      number: card.number,
      open: { card: shownCard(card), alias, aliasType: 'Default' },
      secret: {},
    };
  }
  if (bank !== undefined) return { variant: known(variant ?? bankVariant(bank)), identity, open: {}, secret: { bank } };
  if (elv !== undefined) return { variant: variant ?? 'elv', identity, open: {}, secret: { elv } };
  return { variant: known(variant), identity, open: { tokenDetails }, secret: {} };
};
