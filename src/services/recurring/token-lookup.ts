/** tokenLookup: the shoppers of a merchant account that hold a card or an account, found by its fingerprint. */

import type { Handler } from '../../gateway/handler.ts';
import { checkSecurityCode, identityOf } from './instrument.ts';
import { DetailReader } from './store/repository.ts';
import type { RecurringOperations } from './v68.ts';

export const tokenLookup: Handler<RecurringOperations['tokenLookup']> = async (request, tx, { vault }) => {
  const { input, caller, requestReference: pspReference } = request;
  if (input.card !== undefined) checkSecurityCode(input.card);
  const { tenant: company } = caller;
  const fingerprint = vault.fingerprint(company, identityOf(input));
  const { merchantAccount } = input;
  const holders = await tx.repository(DetailReader).findHolders({ company, merchantAccount }, fingerprint);
  const tokens = holders.map(({ createdAt, email, shopperReference }) => ({
    creationDate: createdAt,
    lastKnownShopperEmail: email,
    shopperReference,
  }));
  return { pspReference, tokens: tokens.length > 0 ? tokens : undefined };
};
