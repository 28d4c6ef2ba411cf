/** listRecurringDetails: the active details of a shopper (specification, section 2). */

import type { Handler } from '../../gateway/handler.ts';
import type { Vault } from '../../vault/ports.ts';
import type { RecurringOperations } from './contract.ts';
import type { ContractType, RecurringDetail, SecretDetail, ShownDetail } from './details.ts';
import { DetailReader } from './store/repository.ts';

export const listRecurringDetails: Handler<RecurringOperations['listRecurringDetails']> = async (
  request,
  tx,
  { vault },
) => {
  const { tenant: company } = request.caller;
  const { merchantAccount, shopperReference, recurring } = request.input;
  const shopper = await tx.repository(DetailReader).listShopper({ company, merchantAccount, shopperReference });
  // Scenario rule 1: an unknown shopper is an empty object.
  if (shopper === undefined) return {};
  const details = shopper.details
    .filter(({ shown }) => hasUses(shown, recurring?.contract))
    .map((detail) => toResponse(detail, company, vault));
  return {
    creationDate: shopper.createdAt,
    // Scenario rule 2: without a detail `details` is absent, not empty.
    details: details.length > 0 ? details : undefined,
    lastKnownShopperEmail: shopper.email,
    shopperReference,
  };
};

/** A detail stored for a combination is found by each part of it; a requested combination requires all of its parts. */
function hasUses({ contractTypes }: RecurringDetail, requested: readonly ContractType[] | undefined): boolean {
  return requested === undefined || requested.every((use) => contractTypes?.includes(use));
}

function toResponse({ shown, sealed }: ShownDetail, company: string, vault: Vault): RecurringDetail {
  if (sealed?.payload === undefined) return shown;
  const scope = { tenant: company, record: shown.recurringDetailReference };
  return { ...shown, ...(JSON.parse(vault.open(scope, sealed, 'payload')) as SecretDetail) };
}
