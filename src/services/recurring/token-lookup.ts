/** tokenLookup: who of the merchant's shoppers holds this card or account; found by its fingerprint, nothing is opened. */

import type { Handler } from '../../gateway/handler.ts';
import { identityOf } from './instrument.ts';
import { DetailReader } from './store/repository.ts';
import type { RecurringOperations } from './v25.ts';

export const tokenLookup: Handler<RecurringOperations['tokenLookup']> = async (request, tx, { vault }) => {
  const { input, caller, pspReference } = request;
  const { company } = caller;
  const fingerprint = vault.fingerprint(company, identityOf(input));
  const holders = await tx
    .repository(DetailReader)
    .findHolders({ company, merchantAccount: input.merchantAccount }, fingerprint);
  const tokens = holders.map(({ createdAt, email, shopperReference }) => ({
    creationDate: createdAt,
    lastKnownShopperEmail: email,
    shopperReference,
  }));
  return { pspReference, tokens: tokens.length > 0 ? tokens : undefined };
};
