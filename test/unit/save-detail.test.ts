/** Tests the rules for saving a detail, by storeToken and by imports. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { detailsMax } from '../../src/payments/recurring/save-detail.ts';
import { ReferenceTaken } from '../../src/payments/recurring/store/repository.ts';
import { now } from '../support/fixture.ts';
import { anna, card, openRecurringHandlers, type RecurringHandlers } from '../support/recurring-handlers.ts';

let handlers: RecurringHandlers;
beforeEach(async () => {
  handlers = await openRecurringHandlers();
});
afterEach(() => handlers.close());

const ben = { ...anna, shopperReference: 'ben' };

describe('a new detail', () => {
  test('is created, with a new reference and the current date', async () => {
    const { detail, kind } = await handlers.save({ card: card() });
    expect(kind).toBe('created');
    expect(detail).toMatchObject({
      recurringDetailReference: 'DETAIL0000000001',
      createdAt: now,
      contracts: ['RECURRING'],
      publicData: { variant: 'visa', paymentMethodVariant: 'visa', firstPspReference: 'FIRST', aliasType: 'Default' },
    });
    expect(await handlers.active()).toEqual([detail]);
  });
  test('stores neither number nor security code in clear text', async () => {
    const { detail } = await handlers.save({ card: card('4111111111111111', { cvc: '737' }) });
    expect(detail.publicData.card).toEqual({
      expiryMonth: '3',
      expiryYear: '2030',
      holderName: 'Anna van Dijk',
      number: '1111',
    });
    expect(JSON.stringify(detail)).not.toMatch(/4111111111111111|737/);
    const scope = { tenant: 'Demo', record: detail.recurringDetailReference };
    expect(handlers.context.vault.open(scope, detail.sealed, 'number')).toBe('4111111111111111');
  });
  test('preserves the reference and the date of another installation', async () => {
    const { detail } = await handlers.save({ card: card(), recurringDetailReference: 'OLD', createdAt: 1_000 });
    expect(detail).toMatchObject({ recurringDetailReference: 'OLD', createdAt: 1_000 });
  });
  test('stores the bank account and the social security number sealed', async () => {
    const bank = { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Anna' };
    const { detail } = await handlers.save({ bank, socialSecurityNumber: '123', contracts: ['PAYOUT'] });
    expect(detail.publicData).toMatchObject({ variant: 'sepadirectdebit' });
    const scope = { tenant: 'Demo', record: detail.recurringDetailReference };
    expect(JSON.parse(handlers.context.vault.open(scope, detail.sealed, 'payload'))).toEqual({
      bank,
      socialSecurityNumber: '123',
    });
    expect(JSON.stringify(detail)).not.toContain('NL13TEST');
  });
  test.each([
    ['a range of the card number over the given variant', { card: card(), variant: 'mc' }, 'visa'],
    ['the given variant where no range has the number', { card: card('9999999999999995'), variant: 'own' }, 'own'],
    [
      'the given variant of a bank account',
      { bank: { iban: 'NL13TEST0123456789', ownerName: 'A' }, variant: 'x' },
      'x',
    ],
    ['elv', { elv: { accountHolderName: 'A', bankAccountNumber: '1', bankLocationId: '2' } }, 'elv'],
  ] as const)('has as its variant %s', async (_, input, variant) => {
    expect((await handlers.save(input as never)).detail.publicData.variant).toBe(variant);
  });
  test('without a variant is refused', async () => {
    await expect(handlers.save({ card: card('9999999999999995') })).rejects.toMatchObject({
      kind: recurringProblems.unknownVariant,
    });
  });
});

describe('a card that the shopper has', () => {
  test('preserves its reference, its date and its first payment', async () => {
    const first = await handlers.save({ card: card(), createdAt: 1_000 });
    const again = await handlers.save({
      card: card(undefined, { expiryYear: '2031' }),
      firstPspReference: 'SECOND',
      recurringDetailReference: 'OTHER',
      createdAt: 2_000,
    });
    expect(again.kind).toBe('updated');
    expect(again.detail).toMatchObject({
      recurringDetailReference: first.detail.recurringDetailReference,
      createdAt: 1_000,
      publicData: { firstPspReference: 'FIRST', card: { expiryYear: '2031' } },
    });
    expect(await handlers.active()).toHaveLength(1);
  });
  test('gets the contracts of both, in the order of the enumeration', async () => {
    await handlers.save({ card: card(), contracts: ['PAYOUT'] });
    const { detail, kind } = await handlers.save({ card: card(), contracts: ['ONECLICK'] });
    expect({ contracts: detail.contracts, kind }).toEqual({ contracts: ['ONECLICK', 'PAYOUT'], kind: 'updated' });
  });
  test('is already existing where nothing public differs', async () => {
    const also = { additionalData: { a: '1', b: '2' }, name: 'My card' };
    await handlers.save({ card: card(), also });
    const reordered = { name: 'My card', additionalData: { b: '2', a: '1' } };
    expect((await handlers.save({ card: card(), also: reordered })).kind).toBe('alreadyExisting');
    expect((await handlers.save({ card: card(), also: { ...also, name: 'Another' } })).kind).toBe('updated');
  });
  test('is also found by its reference, and then replaced by the new card', async () => {
    await handlers.save({ card: card(), recurringDetailReference: 'R' });
    const { detail, kind } = await handlers.save({ card: card('5555444433331111'), recurringDetailReference: 'R' });
    expect({ kind, variant: detail.publicData.variant }).toEqual({ kind: 'updated', variant: 'mc' });
    // With the new fingerprint.
    expect(await handlers.active()).toEqual([detail]);
  });
  test('is another detail for another shopper, with the same fingerprint', async () => {
    const first = await handlers.save({ card: card() });
    const second = await handlers.save({ card: card() }, ben);
    expect(second.kind).toBe('created');
    expect(second.detail.recurringDetailReference).not.toBe(first.detail.recurringDetailReference);
    expect(second.detail.fingerprint).toBe(first.detail.fingerprint);
  });
  test('has another fingerprint and alias in another company', async () => {
    const first = await handlers.save({ card: card() });
    const foreign = await handlers.save(
      { card: card() },
      { ...anna, company: 'Other', merchantAccount: 'OtherMerchant' },
    );
    expect(foreign.detail.fingerprint).not.toBe(first.detail.fingerprint);
    expect(foreign.detail.publicData.alias).not.toBe(first.detail.publicData.alias);
  });
});

test('the 101st detail is refused, and one that exists is still updated', async () => {
  const number = (n: number) => appendLuhnDigit(`411111${String(n).padStart(9, '0')}`);
  for (let n = 0; n < detailsMax; n += 1) await handlers.save({ card: card(number(n)) });
  await expect(handlers.save({ card: card(number(detailsMax)) })).rejects.toMatchObject({
    kind: recurringProblems.tooManyDetails,
  });
  expect((await handlers.save({ card: card(number(7)) })).kind).toBe('alreadyExisting');
  expect(await handlers.active()).toHaveLength(detailsMax);
});

test('a reference of another shopper is taken, and nothing is saved', async () => {
  await handlers.save({ card: card(), recurringDetailReference: 'TAKEN' });
  await expect(
    handlers.save({ card: card('5555444433331111'), recurringDetailReference: 'TAKEN' }, ben),
  ).rejects.toThrow(ReferenceTaken);
  expect(await handlers.active(ben)).toEqual([]);
});

test('saving a detail enqueues no event', async () => {
  await handlers.save({ card: card() });
  expect(await handlers.events()).toEqual([]);
});
