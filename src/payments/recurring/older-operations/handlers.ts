/** The handlers of operations that only older versions have. */
import { Problem } from '../../../core/contract/index.ts';
import type { Handler } from '../../../stores/index.ts';
import type { CardSearchLimits } from '../card-search-limits.ts';
import { disableDetails, latest } from '../disable.ts';
import { cardIdentity, checkCard } from '../instrument.ts';
import { recurringProblems } from '../problems.ts';
import { aliasType, type OlderOperations } from './contract.ts';

/** One handler for each operation. */
export function olderOperationHandlers(limits: CardSearchLimits) {
  return {
    deactivateRecurring,
    initialiseRecurring: refuse,
    prepareStoreToken: refuse,
    storeAlias: storeAlias(limits),
    submitRecurring: refuse,
  };
}

const deactivateRecurring: Handler<OlderOperations['deactivateRecurring']> = async (request, tx, context) => {
  const { input, requestReference: pspReference } = request;
  const { recurringReference } = input;
  const recurringDetailReference = recurringReference === 'LATEST' ? latest : recurringReference;
  const response = await disableDetails(request, { ...input, recurringDetailReference }, tx, context);
  return { pspReference, response };
};

/** An upstream may answer these operations instead. */
async function refuse(): Promise<never> {
  throw new Problem(recurringProblems.noPaymentService);
}

/** The alias tells whether the number is a stored one, as that of storeToken does: both have the same quotas. */
function storeAlias(limits: CardSearchLimits): Handler<OlderOperations['storeAlias']> {
  return async ({ input: { card }, caller: { tenant, credential } }, _, { clock, vault }) => {
    const searched = { tenant, credential, number: card.number };
    limits.checkStore(searched);
    checkCard(card, clock.now());
    const [fingerprint = ''] = vault.fingerprints(tenant, cardIdentity(card.number));
    limits.countStored(searched, fingerprint);
    return { alias: vault.alias(tenant, card.number), aliasType };
  };
}
