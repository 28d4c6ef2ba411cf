/** notifyShopper: stores the announcement of a payment with a stored detail. */

import { Problem } from '../../../core/contract/index.ts';
import type { Handler } from '../../../stores/index.ts';
import type { RecurringOperations } from '../contract.ts';
import { recurringProblems } from '../problems.ts';
import { DetailReader } from '../store/repository.ts';
import { NotificationRepository } from './store.ts';

export const notifyShopper: Handler<RecurringOperations['notifyShopper']> = async (request, tx, { clock, ids }) => {
  const { input, caller, requestReference: pspReference } = request;
  const { merchantAccount, shopperReference, amount, billingDate, billingSequenceNumber, reference } = input;
  const { displayedReference = reference } = input;
  if (billingDate !== undefined && !isDay(billingDate))
    throw Problem.at(['billingDate'], recurringProblems.invalidBillingDate);
  const key = { company: caller.tenant, merchantAccount, shopperReference };
  const named = [input.recurringDetailReference, input.storedPaymentMethodId].filter((each) => each !== undefined);
  const shopper = await tx.repository(DetailReader).findShopper(key);
  // An unknown shopper is no other problem than an unknown detail, as in the live tests of the public Go library.
  const detail = shopper?.details.find(({ recurringDetailReference }) =>
    named.every((each) => each === recurringDetailReference),
  );
  if (detail === undefined) throw new Problem(recurringProblems.tokenNotFound);
  const { recurringDetailReference } = detail;
  const shopperNotificationReference = ids.reference();
  await tx.repository(NotificationRepository).save(key, {
    pspReference,
    notifiedAt: clock.now(),
    recurringDetailReference,
    shopperNotificationReference,
    amount,
    reference,
    displayedReference,
    billingDate,
    billingSequenceNumber,
  });
  return {
    displayedReference,
    message: 'Request Processed Successfully',
    pspReference,
    reference,
    resultCode: 'Success',
    shopperNotificationReference,
    storedPaymentMethodId: recurringDetailReference,
  };
};

/** Whether the month has the day. The contract has checked the rest. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
