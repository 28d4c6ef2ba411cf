/** Compares what has a MAC or a seal: a fingerprint has neither, and could be moved to another detail. */
import type { Vault } from '../../core/vault/index.ts';
import type { ListedDetail, PublicDetail, SecretDetail } from './details.ts';
import { type InstrumentInput, identityOf } from './instrument.ts';

/** Tells whether a detail of a company has a card or an account. */
export interface InstrumentMatch {
  /** Accounts are compared by what is sealed. */
  readonly needsPayload: boolean;
  matches(detail: Pick<ListedDetail, 'recurringDetailReference' | 'sealed'> & ComparedPart): boolean;
}

interface ComparedPart {
  readonly publicData: Pick<PublicDetail, 'alias' | 'tokenDetails'>;
}

/** `alias`: that of the card under the current index key, where it is known. */
export function matchInstrument(
  input: InstrumentInput,
  company: string,
  vault: Vault,
  alias?: string | undefined,
): InstrumentMatch {
  const { card } = input;
  return card === undefined
    ? matchAccount(identityOf(input), company, vault)
    : matchCard(card.number, company, vault, alias);
}

/** By its alias, which costs one HMAC for all details. During a rotation it may be that of the other index key. */
export function matchCard(
  number: string,
  company: string,
  vault: Vault,
  current?: string | undefined,
): InstrumentMatch {
  let aliases: readonly string[] | undefined;
  return {
    needsPayload: false,
    matches({ recurringDetailReference: record, publicData: { alias }, sealed }) {
      if (alias !== undefined && alias === current) return true;
      aliases ??= vault.aliases(company, number);
      if (alias !== undefined && aliases.includes(alias)) return true;
      // The detail may have the alias of a key that is no longer known.
      return sealed?.number !== undefined && vault.open({ tenant: company, record }, sealed, 'number') === number;
    },
  };
}

function matchAccount(identity: string, company: string, vault: Vault): InstrumentMatch {
  return {
    needsPayload: true,
    matches({ recurringDetailReference: record, publicData: { tokenDetails }, sealed }) {
      if (tokenDetails !== undefined) return identity === identityOf({ tokenDetails });
      if (sealed?.payload === undefined) return false;
      const { bank, elv }: SecretDetail = JSON.parse(vault.open({ tenant: company, record }, sealed, 'payload'));
      return (bank !== undefined || elv !== undefined) && identity === identityOf({ bank, elv });
    },
  };
}
