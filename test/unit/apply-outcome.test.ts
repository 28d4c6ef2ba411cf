/** The effect of each account-updater outcome on a stored detail, its history and its event. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  applyOutcome,
  ignoreStale,
  resultOf,
  type StoredCard,
} from '../../src/payments/recurring/account-updater/apply-outcome.ts';
import type { AccountUpdateOutcome } from '../../src/payments/recurring/account-updater/updater.ts';
import { now } from '../support/fixture.ts';
import { anna, card, openRecurringHandlers, type RecurringHandlers } from '../support/recurring-handlers.ts';

let handlers: RecurringHandlers;
let detail: StoredCard;
beforeEach(async () => {
  handlers = await openRecurringHandlers();
  const also = { additionalData: { 'card.bin': '411111' }, paymentMethodVariant: 'visacredit', name: 'My card' };
  const saved = await handlers.save({
    card: card('4111111111111111', { startMonth: '01', startYear: '2020', issueNumber: '2' }),
    socialSecurityNumber: '123',
    also,
    recurringDetailReference: 'D1',
  });
  detail = saved.detail as StoredCard;
});
afterEach(() => handlers.close());

const apply = (outcome: AccountUpdateOutcome) =>
  handlers.store.write((tx) =>
    applyOutcome({ key: anna, changedBy: 'cr_test', pspReference: 'PSP' }, detail, outcome, tx, handlers.context),
  );
const current = async () => (await handlers.active())[0];
const changes = async () => (await handlers.history())[0]?.changes;
const april2033 = { expiryMonth: '4', expiryYear: '2033' };

describe('a renewed card', () => {
  test('has the new expiry, also in additionalData', async () => {
    const event = await apply({ kind: 'renewed', expiry: april2033 });
    expect((await current())?.publicData).toEqual({
      ...detail.publicData,
      card: { ...detail.publicData.card, ...april2033 },
      additionalData: { 'card.bin': '411111', newExpiryMonth: '4', newExpiryYear: '2033' },
    });
    expect(event).toMatchObject({ type: 'recurring.token.updated', data: { recurringDetailReference: 'D1' } });
    expect(await changes()).toEqual([
      {
        recurringDetailReference: 'D1',
        changedAt: now,
        changedBy: 'cr_test',
        pspReference: 'PSP',
        outcome: 'CardExpiryChanged',
        before: { alias: detail.publicData.alias, expiryMonth: '3', expiryYear: '2030', lastFour: '1111' },
        after: { alias: detail.publicData.alias, ...april2033, lastFour: '1111' },
      },
    ]);
  });
  test.each([
    ['the same', { expiryMonth: '3', expiryYear: '2030' }],
    ['an older', { expiryMonth: '12', expiryYear: '2029' }],
  ])('with %s expiry changes nothing', async (_, expiry) => {
    expect(await apply({ kind: 'renewed', expiry })).toBeUndefined();
    expect(await current()).toEqual(detail);
    expect(await changes()).toEqual([]);
  });
  test('in a later month of the same year is applied', () => {
    const expiry = { expiryMonth: '10', expiryYear: '2030' };
    expect(ignoreStale({ kind: 'renewed', expiry }, { expiryMonth: '9', expiryYear: '2030' }).kind).toBe('renewed');
    expect(ignoreStale({ kind: 'renewed', expiry }, { expiryMonth: '11', expiryYear: '2030' }).kind).toBe('unchanged');
  });
});

describe('a replaced card', () => {
  const number = '5555444433331111';

  test('keeps its reference and gets the new number, alias, variant and fingerprint', async () => {
    const event = await apply({ kind: 'replaced', number, expiry: april2033 });
    const after = await current();
    const { vault } = handlers.context;
    const alias = vault.alias('Demo', number);
    expect(after).toMatchObject({ recurringDetailReference: 'D1', createdAt: detail.createdAt });
    expect(after?.fingerprint).not.toBe(detail.fingerprint);
    expect(after?.publicData).toEqual({
      ...detail.publicData,
      alias,
      additionalData: { 'card.bin': '411111', newAlias: alias, newExpiryMonth: '4', newExpiryYear: '2033' },
      // Start date and issue number were those of the old card.
      card: { ...april2033, holderName: 'Anna van Dijk', number: '1111' },
      paymentMethodVariant: 'mc',
      variant: 'mc',
    });
    expect(event).toMatchObject({ type: 'recurring.token.updated', data: { variant: 'mc' } });
    const scope = { tenant: 'Demo', record: 'D1' };
    expect(vault.open(scope, after!.sealed, 'number')).toBe(number);
    expect(JSON.parse(vault.open(scope, after!.sealed, 'payload'))).toEqual({ socialSecurityNumber: '123' });
  });
  test('of the same brand keeps its sub-brand', async () => {
    await apply({ kind: 'replaced', number: '4012888888881881', expiry: april2033 });
    expect((await current())?.publicData).toMatchObject({ variant: 'visa', paymentMethodVariant: 'visacredit' });
  });
  test('with an older expiry is still replaced', async () => {
    await apply({ kind: 'replaced', number, expiry: { expiryMonth: '1', expiryYear: '2029' } });
    expect((await current())?.publicData.card).toMatchObject({ expiryYear: '2029' });
    expect((await changes())?.[0]?.outcome).toBe('PANChanged');
  });
  test('has no number in its history', async () => {
    await apply({ kind: 'replaced', number, expiry: april2033 });
    expect(JSON.stringify(await handlers.history())).not.toMatch(/4111111111111111|5555444433331111/);
  });
});

test('a closed account disables the detail, with a history and an event', async () => {
  const event = await apply({ kind: 'closed' });
  expect(await current()).toBeUndefined();
  expect(event).toMatchObject({ type: 'recurring.token.disabled', data: { recurringDetailReference: 'D1' } });
  const [history] = await handlers.history();
  expect(history?.disabledAt).toBe(now);
  expect(history?.changes).toMatchObject([{ outcome: 'CloseAccount', before: { lastFour: '1111' } }]);
  expect(history?.changes[0]?.after).toBeUndefined();
});

test('contactCardholder is recorded in the history only', async () => {
  expect(await apply({ kind: 'contactCardholder' })).toBeUndefined();
  expect(await current()).toEqual(detail);
  expect(await changes()).toMatchObject([{ outcome: 'ContactCardAccountHolder' }]);
});

test.each(['unchanged', 'pending', 'failed'] as const)('%s changes nothing, the history included', async (kind) => {
  expect(await apply({ kind })).toBeUndefined();
  expect(await current()).toEqual(detail);
  expect(await changes()).toEqual([]);
});

/** wire-facts, 2.1, and the specification, section 2. */
test.each([
  ['unchanged', 'NoChange'],
  ['renewed', 'CardExpiryChanged'],
  ['replaced', 'PANChanged'],
  ['closed', 'CloseAccount'],
  ['contactCardholder', 'ContactCardAccountHolder'],
  ['pending', 'Success'],
  ['failed', 'Error'],
] as const)('the result of %s is %s', (kind, result) => {
  expect(resultOf({ kind, expiry: april2033, number: '' } as AccountUpdateOutcome)).toBe(result);
});
