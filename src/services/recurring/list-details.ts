/** listRecurringDetails: what a shopper has stored, as far as it is active (specification, section 2). */

import type { Handler } from '../../gateway/handler.ts';
import type { Vault } from '../../vault/ports.ts';
import type { ContractType, ListedDetail, RecurringDetail, SecretDetail } from './details.ts';
import { DetailReader } from './store/repository.ts';
import type { RecurringOperations } from './v25.ts';

/** A detail stored for a combination is found by either part; a combination asked for wants all of its parts. */
const serves = (detail: ListedDetail, asked: readonly ContractType[] | undefined): boolean =>
  asked === undefined || asked.every((use) => detail.contracts.includes(use));

const shown = (detail: ListedDetail, company: string, vault: Vault): RecurringDetail => {
  const { recurringDetailReference, createdAt, contracts, open, sealed } = detail;
  const secret =
    sealed?.shown === undefined
      ? undefined
      : (JSON.parse(vault.open({ company, record: recurringDetailReference }, sealed, 'shown')) as SecretDetail);
  return { ...open, ...secret, recurringDetailReference, creationDate: createdAt, contractTypes: contracts };
};

export const listRecurringDetails: Handler<RecurringOperations['listRecurringDetails']> = async (
  request,
  tx,
  world,
) => {
  const { company } = request.caller;
  const { merchantAccount, shopperReference, recurring } = request.input;
  const shopper = await tx.repository(DetailReader).findShopper({ company, merchantAccount, shopperReference });
  // Scenario rule 1: an unknown shopper is an empty object.
  if (shopper === undefined) return {};
  const details = shopper.details
    .filter((detail) => serves(detail, recurring?.contract))
    .map((detail) => shown(detail, company, world.vault));
  return {
    creationDate: shopper.createdAt,
    // Scenario rule 2: without a detail there are no details, rather than an empty list.
    details: details.length > 0 ? details : undefined,
    lastKnownShopperEmail: shopper.email,
    shopperReference,
  };
};
