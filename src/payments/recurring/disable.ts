/** disable: one detail, or all details of a shopper; or only some of their uses (specification, section 2). */

import { type AnyRequest, type Output, Problem } from '../../core/contract/index.ts';
import type { HandlerContext } from '../../core/gateway/index.ts';
import type { Handler, Transaction } from '../../stores/index.ts';
import type { RecurringOperations } from './contract.ts';
import type { ContractType, ShopperKey, StoredDetail } from './details.ts';
import { detailEvent, type RecurringEvent } from './events.ts';
import { recurringProblems } from './problems.ts';
import { DetailRepository } from './store/repository.ts';

export const disable: Handler<RecurringOperations['disable']> = async (request, tx, context) => ({
  response: await disableDetails(request, request.input, tx, context),
});

export const latest = Symbol('latest');

/** What a request disables. */
interface DisabledDetails {
  readonly merchantAccount: string;
  readonly shopperReference: string;
  /** `latest`: the detail that was stored last. */
  readonly recurringDetailReference?: string | typeof latest | undefined;
  readonly contract?: readonly ContractType[] | undefined;
}

/** Disables details, or some of their uses. Returns what the caller is told. */
export async function disableDetails(
  { caller, requestReference: pspReference }: Pick<AnyRequest, 'caller' | 'requestReference'>,
  { merchantAccount, shopperReference, recurringDetailReference, contract }: DisabledDetails,
  tx: Transaction,
  { clock }: Pick<HandlerContext, 'clock'>,
): Promise<DisableResponse> {
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
  return recurringDetailReference === undefined
    ? '[all-details-successfully-disabled]'
    : '[detail-successfully-disabled]';
}

type DisableResponse = Output<RecurringOperations['disable']>['response'];

/** The named detail, the latest one, or all. */
function selectDetails(
  details: readonly StoredDetail[],
  reference: DisabledDetails['recurringDetailReference'],
): readonly StoredDetail[] {
  if (details.length === 0) throw new Problem(recurringProblems.contractNotFound);
  if (reference === undefined) return details;
  if (reference === latest) return details.slice(-1);
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
