/** tokenLookup: the shoppers of a merchant account that hold a card or an account, found by its fingerprint. */

import type { Handler } from '../../gateway/handler.ts';
import type { CardSearchLimits } from './card-search-limits.ts';
import type { RecurringOperations } from './contract.ts';
import { findUnderEach } from './fingerprints.ts';
import { checkSecurityCode, identityOf } from './instrument.ts';
import { matchInstrument } from './match-instrument.ts';
import { DetailReader } from './store/repository.ts';

export function tokenLookup(limits: CardSearchLimits): Handler<RecurringOperations['tokenLookup']> {
  return async (request, tx, { vault }) => {
    const { input, caller, requestReference: pspReference } = request;
    const searched = { tenant: caller.tenant, credential: caller.credential, number: input.card?.number };
    limits.checkLookup(searched);
    if (input.card !== undefined) checkSecurityCode(input.card);
    const { tenant: company } = caller;
    const fingerprints = vault.fingerprints(company, identityOf(input));
    const { merchantAccount } = input;
    const reader = tx.repository(DetailReader);
    const match = matchInstrument(input, company, vault);
    const holders = await findUnderEach(
      fingerprints,
      (fingerprint) => reader.findHolders({ company, merchantAccount }, { fingerprint, match }),
      ({ createdAt }) => createdAt,
    );
    limits.checkLookup(searched);
    if (holders.length === 0) await limits.countMiss(searched, fingerprints[0]!);
    const tokens = holders.map(({ createdAt, email, shopperReference }) => ({
      creationDate: createdAt,
      lastKnownShopperEmail: email,
      shopperReference,
    }));
    return { pspReference, tokens: tokens.length > 0 ? tokens : undefined };
  };
}
