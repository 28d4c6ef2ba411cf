/** storeToken: stores a card or a bank account of a shopper. */

import type { Handler } from '../../stores/index.ts';
import type { CardSearchLimits } from './card-search-limits.ts';
import type { RecurringOperations } from './contract.ts';
import { detailEvent } from './events.ts';
import { checkCard } from './instrument.ts';
import { saveDetail } from './save-detail.ts';
import { DetailRepository } from './store/repository.ts';

export function storeToken(limits: CardSearchLimits): Handler<RecurringOperations['storeToken']> {
  return async (request, tx, context) => {
    const { input, caller, requestReference: pspReference } = request;
    const searched = { tenant: caller.tenant, credential: caller.credential, number: input.card?.number };
    if (input.card !== undefined) limits.checkStore(searched);
    if (input.card !== undefined) checkCard(input.card, context.clock.now());
    const { merchantAccount, shopperReference, card, bank, elv, shopperEmail, socialSecurityNumber } = input;
    const { additionalData, billingAddress, shopperName, name = input.recurring.recurringDetailName } = input;
    const key = { company: caller.tenant, merchantAccount, shopperReference };
    const { detail, kind } = await saveDetail(
      key,
      {
        card,
        bank,
        elv,
        shopperEmail,
        socialSecurityNumber,
        contracts: input.recurring.contract,
        variant: input.selectedBrand,
        firstPspReference: pspReference,
        also: { additionalData, billingAddress, name, shopperName },
      },
      tx.repository(DetailRepository),
      context,
    );
    // The alias tells whether the number is a stored one. Others may have used up the quota while this one waited for the store.
    if (input.card !== undefined) {
      limits.checkStore(searched);
      limits.countStored(searched, detail.fingerprint);
    }
    const events = [detailEvent(kind, key, detail)];
    await tx.outbox.enqueue({ tenant: caller.tenant, requestReference: pspReference, at: context.clock.now(), events });
    const { recurringDetailReference, publicData } = detail;
    return {
      alias: publicData.alias,
      aliasType: publicData.aliasType,
      pspReference,
      rechargeReference: pspReference,
      recurringDetailReference,
      result: 'Success',
    };
  };
}
