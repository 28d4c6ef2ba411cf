/** listRecurringDetails: the active details of a shopper (specification, section 2). */

import type { Infer } from '../../core/contract/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import type { Handler } from '../../stores/index.ts';
import type { RecurringOperations } from './contract.ts';
import type { ContractType, ListedDetail, SecretDetail } from './details.ts';
import type { recurringDetail } from './schemas.ts';
import { DetailReader } from './store/repository.ts';

export const listRecurringDetails: Handler<RecurringOperations['listRecurringDetails']> = async (
  request,
  tx,
  { vault },
) => {
  const { tenant: company } = request.caller;
  const { merchantAccount, shopperReference, recurring } = request.input;
  const shopper = await tx.repository(DetailReader).findShopper({ company, merchantAccount, shopperReference });
  // Scenario rule 1: an unknown shopper is an empty object.
  if (shopper === undefined) return {};
  const details = shopper.details
    .filter((detail) => hasUses(detail, recurring?.contract))
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
function hasUses(detail: ListedDetail, requested: readonly ContractType[] | undefined): boolean {
  return requested === undefined || requested.every((use) => detail.contracts.includes(use));
}

function toResponse(detail: ListedDetail, company: string, vault: Vault): Infer<typeof recurringDetail> {
  const { recurringDetailReference, createdAt, contracts, publicData, sealed } = detail;
  const secret =
    sealed?.payload === undefined
      ? undefined
      : (JSON.parse(
          vault.open({ tenant: company, record: recurringDetailReference }, sealed, 'payload'),
        ) as SecretDetail);
  return {
    ...publicData,
    ...secret,
    recurringDetailReference,
    creationDate: createdAt,
    contractTypes: contracts,
    networkTxReference: publicData.additionalData?.networkTxReference,
    transactionLinkId: publicData.additionalData?.transactionLinkId,
  };
}
