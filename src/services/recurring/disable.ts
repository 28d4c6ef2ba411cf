/** disable: one detail, or all of a shopper's; or only some of their uses (specification, section 2). */

import { Problem } from '../../contract/problem.ts';
import type { Handler } from '../../gateway/handler.ts';
import type { ContractType, ShopperKey, StoredDetail } from './details.ts';
import { type DetailEventData, detailEvent } from './events.ts';
import { recurringProblems } from './problems.ts';
import { DetailRepository } from './store/repository.ts';
import type { RecurringOperations } from './v25.ts';

/** The details meant: the one that is named, or all. */
const meant = (details: readonly StoredDetail[], reference: string | undefined): readonly StoredDetail[] => {
  if (details.length === 0) throw new Problem(recurringProblems.contractNotFound);
  if (reference === undefined) return details;
  const named = details.filter((detail) => detail.recurringDetailReference === reference);
  if (named.length === 0) throw new Problem(recurringProblems.detailNotFound);
  return named;
};

const withdraw = async (
  key: ShopperKey,
  detail: StoredDetail,
  uses: readonly ContractType[],
  details: DetailRepository,
  at: number,
): Promise<DetailEventData> => {
  const left = detail.contracts.filter((use) => !uses.includes(use));
  // A detail without a use is no longer there; the others keep theirs.
  if (left.length === 0) await details.disableDetail(key, detail.recurringDetailReference, at);
  else await details.saveDetail(key, { ...detail, contracts: left });
  return detailEvent(left.length === 0 ? 'disabled' : 'updated', key, detail);
};

export const disable: Handler<RecurringOperations['disable']> = async (request, tx, { clock }) => {
  const { input, caller, pspReference } = request;
  const { merchantAccount, shopperReference, recurringDetailReference, contract } = input;
  const key = { company: caller.company, merchantAccount, shopperReference };
  const details = tx.repository(DetailRepository);
  const shopper = await details.findShopper(key);
  const matching = meant(shopper?.details ?? [], recurringDetailReference).filter(
    ({ contracts }) => contract === undefined || contracts.some((use) => contract.includes(use)),
  );
  if (matching.length === 0) throw new Problem(recurringProblems.contractNotFound);
  const at = clock.now();
  const notices: DetailEventData[] = [];
  for (const detail of matching) notices.push(await withdraw(key, detail, contract ?? detail.contracts, details, at));
  await tx.outbox.enqueue({ company: caller.company, pspReference, at, events: notices });
  const response =
    recurringDetailReference === undefined ? '[all-details-successfully-disabled]' : '[detail-successfully-disabled]';
  return { response };
};
