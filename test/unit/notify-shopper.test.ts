/** The rules of notifyShopper, and what it stores. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Input } from '../../src/contract/operation.ts';
import { recurringProblems } from '../../src/services/recurring/problems.ts';
import { notifyShopper as operation } from '../../src/services/recurring/shopper-notifications/contract.ts';
import { notifyShopper } from '../../src/services/recurring/shopper-notifications/notify-shopper.ts';
import { NotificationReader } from '../../src/services/recurring/shopper-notifications/store.ts';
import { DetailRepository } from '../../src/services/recurring/store/repository.ts';
import { now } from '../support/fixture.ts';
import { anna, card, openRecurringHandlers, type RecurringHandlers } from '../support/recurring-handlers.ts';

let handlers: RecurringHandlers;
beforeEach(async () => {
  handlers = await openRecurringHandlers();
  await handlers.save({ card: card(), recurringDetailReference: 'VISA' });
  await handlers.save({ card: card('5555444433331111'), recurringDetailReference: 'MC' });
  await handlers.events();
});
afterEach(() => handlers.close());

const amount = { currency: 'INR', value: 1000 };

const run = (input: Partial<Input<typeof operation>>) =>
  handlers.store.write((tx) =>
    notifyShopper(
      handlers.request(operation, {
        ...{ merchantAccount: 'DemoMerchant', shopperReference: 'anna', amount, reference: 'notice' },
        ...input,
      }),
      tx,
      handlers.context,
    ),
  );
const stored = (key = anna) => handlers.store.read((tx) => tx.repository(NotificationReader).find(key));

test('the announcement is stored with the detail, and no event is sent', async () => {
  const first = await run({ storedPaymentMethodId: 'VISA', billingDate: '2030-03-16', billingSequenceNumber: '3' });
  const second = await run({ recurringDetailReference: 'MC', displayedReference: 'seen', storedPaymentMethodId: 'MC' });
  expect(second.displayedReference).toBe('seen');
  expect(second.shopperNotificationReference).not.toBe(first.shopperNotificationReference);
  const common = { amount, notifiedAt: now, reference: 'notice' };
  const { pspReference, shopperNotificationReference } = first;
  expect(await stored()).toEqual([
    {
      ...{ ...common, pspReference, shopperNotificationReference },
      ...{ recurringDetailReference: 'VISA', displayedReference: 'notice' },
      ...{ billingDate: '2030-03-16', billingSequenceNumber: '3' },
    },
    {
      ...{ ...common, pspReference: second.pspReference },
      shopperNotificationReference: second.shopperNotificationReference,
      ...{ recurringDetailReference: 'MC', displayedReference: 'seen' },
    },
  ]);
  expect(await stored({ ...anna, shopperReference: 'bert' })).toEqual([]);
  expect(await handlers.events()).toEqual([]);
});

test.each([
  ['an unknown detail', { storedPaymentMethodId: 'NONE' }],
  ['two details', { storedPaymentMethodId: 'VISA', recurringDetailReference: 'MC' }],
  ['an unknown shopper', { storedPaymentMethodId: 'VISA', shopperReference: 'bert' }],
])('%s is refused, and nothing is stored', async (_, input) => {
  await expect(run(input)).rejects.toMatchObject({ kind: recurringProblems.tokenNotFound });
  expect(await stored()).toEqual([]);
});

test('a disabled detail is an unknown one', async () => {
  await handlers.store.write((tx) => tx.repository(DetailRepository).disableDetail(anna, 'VISA', now));
  await expect(run({ storedPaymentMethodId: 'VISA' })).rejects.toMatchObject({
    kind: recurringProblems.tokenNotFound,
  });
});

test.each([
  ['2030-02-28', true],
  ['2032-02-29', true],
  ['2030-02-29', false],
  ['2030-04-31', false],
])('the billing date %s is a day: %s', async (billingDate, isDay) => {
  const announced = run({ storedPaymentMethodId: 'VISA', billingDate });
  if (isDay) await expect(announced).resolves.toMatchObject({ resultCode: 'Success' });
  else await expect(announced).rejects.toMatchObject({ kind: recurringProblems.invalidBillingDate });
  expect(await stored()).toHaveLength(isDay ? 1 : 0);
});
