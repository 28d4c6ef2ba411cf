/** disable: one detail, or all details of a shopper; or only some of their uses (specification, section 2). */

import { Problem } from '../../contract/problem.ts';
import type { Handler } from '../../gateway/handler.ts';
import type { RecurringOperations } from './contract.ts';
import type { ContractType, ShopperKey, StoredDetail } from './details.ts';
import { detailEvent, type RecurringEvent } from './events.ts';
import { recurringProblems } from './problems.ts';
import { DetailRepository } from './store/repository.ts';

export const disable: Handler<RecurringOperations['disable']> = async (request, tx, { clock }) => {
  const { input, caller, requestReference: pspReference } = request;
  const { merchantAccount, shopperReference, recurringDetailReference, contract } = input;
  const key = { company: caller.tenant, merchantAccount, shopperReference };
  const repository = tx.repository(DetailRepository);
  const shopper = await repository.findShopper(key);
  const details = selectDetails(shopper?.details ?? [], recurringDetailReference).filter(
    ({ contracts }) => contract === undefined || contracts.some((use) => contract.includes(use)),
  );
  if (details.length === 0) throw new Problem(recurringProblems.contractNotFound);
  const at = clock.now();
  const events: RecurringEvent[] = [];
  for (const detail of details)
    events.push(await removeUses(key, detail, contract ?? detail.contracts, repository, at));
  await tx.outbox.enqueue({ tenant: caller.tenant, requestReference: pspReference, at, events });
  const response =
    recurringDetailReference === undefined ? '[all-details-successfully-disabled]' : '[detail-successfully-disabled]';
  return { response };
};

/** The named detail, or all. */
function selectDetails(details: readonly StoredDetail[], reference: string | undefined): readonly StoredDetail[] {
  if (details.length === 0) throw new Problem(recurringProblems.contractNotFound);
  if (reference === undefined) return details;
  const named = details.filter((detail) => detail.recurringDetailReference === reference);
  if (named.length === 0) throw new Problem(recurringProblems.detailNotFound);
  return named;
}

/** Disables a detail that has no use left. */
async function removeUses(
  key: ShopperKey,
  detail: StoredDetail,
  uses: readonly ContractType[],
  repository: DetailRepository,
  at: number,
): Promise<RecurringEvent> {
  const remaining = detail.contracts.filter((use) => !uses.includes(use));
  if (remaining.length === 0) await repository.disableDetail(key, detail.recurringDetailReference, at);
  else await repository.saveDetail(key, { ...detail, contracts: remaining });
  return detailEvent(remaining.length === 0 ? 'disabled' : 'updated', key, detail);
}
