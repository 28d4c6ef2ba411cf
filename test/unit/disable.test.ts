/** The rules of disable (specification, section 2), each in a case of its own. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Input } from '../../src/contract/operation.ts';
import { disable as operation } from '../../src/services/recurring/contract.ts';
import { disable } from '../../src/services/recurring/disable.ts';
import { recurringProblems } from '../../src/services/recurring/problems.ts';
import { anna, card, openRecurringHandlers, type RecurringHandlers } from '../support/recurring-handlers.ts';

let handlers: RecurringHandlers;
beforeEach(async () => {
  handlers = await openRecurringHandlers();
  await handlers.save({
    card: card('4111111111111111'),
    contracts: ['ONECLICK', 'RECURRING'],
    recurringDetailReference: 'VISA',
  });
  await handlers.save({ card: card('5555444433331111'), contracts: ['RECURRING'], recurringDetailReference: 'MC' });
  await handlers.save({
    bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Anna' },
    contracts: ['PAYOUT'],
    recurringDetailReference: 'BANK',
  });
});
afterEach(() => handlers.close());

const run = (input: Partial<Input<typeof operation>>) =>
  handlers.store.write((tx) =>
    disable(
      handlers.request(operation, { merchantAccount: 'DemoMerchant', shopperReference: 'anna', ...input }),
      tx,
      handlers.context,
    ),
  );
const active = async () =>
  Object.fromEntries(
    (await handlers.active()).map((detail) => [detail.recurringDetailReference, detail.contracts.join()]),
  );
const events = async () =>
  (await handlers.events()).map(({ kind, recurringDetailReference }) => `${kind} ${recurringDetailReference}`);

const all = { VISA: 'ONECLICK,RECURRING', MC: 'RECURRING', BANK: 'PAYOUT' };

describe('without a contract', () => {
  test('a named detail is disabled, the others stay active', async () => {
    expect(await run({ recurringDetailReference: 'VISA' })).toEqual({ response: '[detail-successfully-disabled]' });
    expect(await active()).toEqual({ MC: 'RECURRING', BANK: 'PAYOUT' });
    expect(await events()).toEqual(['disabled VISA']);
  });
  test('without a name, all details of the shopper are disabled', async () => {
    expect(await run({})).toEqual({ response: '[all-details-successfully-disabled]' });
    expect(await active()).toEqual({});
    expect((await events()).sort()).toEqual(['disabled BANK', 'disabled MC', 'disabled VISA']);
  });
});

describe('with a contract', () => {
  test('only that use is removed, and the detail keeps its others', async () => {
    expect(await run({ recurringDetailReference: 'VISA', contract: ['ONECLICK'] })).toEqual({
      response: '[detail-successfully-disabled]',
    });
    expect(await active()).toEqual({ ...all, VISA: 'RECURRING' });
    expect(await events()).toEqual(['updated VISA']);
  });
  test('a detail without a remaining use is disabled', async () => {
    await run({ recurringDetailReference: 'VISA', contract: ['ONECLICK', 'RECURRING'] });
    expect(await active()).toEqual({ MC: 'RECURRING', BANK: 'PAYOUT' });
    expect(await events()).toEqual(['disabled VISA']);
  });
  test('without a name, it is removed from every detail that has it, and others are untouched', async () => {
    expect(await run({ contract: ['RECURRING'] })).toEqual({ response: '[all-details-successfully-disabled]' });
    expect(await active()).toEqual({ VISA: 'ONECLICK', BANK: 'PAYOUT' });
    expect((await events()).sort()).toEqual(['disabled MC', 'updated VISA']);
  });
  test('a combination removes each of its parts', async () => {
    await run({ contract: ['ONECLICK', 'PAYOUT'] });
    expect(await active()).toEqual({ VISA: 'RECURRING', MC: 'RECURRING' });
  });
});

describe('refused, with no effect and no event', () => {
  test.each([
    ['an unknown shopper', { shopperReference: 'unknown-shopper' }, recurringProblems.contractNotFound],
    ['a shopper of another account', { merchantAccount: 'DemoMerchantNL' }, recurringProblems.contractNotFound],
    ['an unknown detail', { recurringDetailReference: 'NONE' }, recurringProblems.detailNotFound],
    [
      'a use that no detail has',
      { recurringDetailReference: 'BANK', contract: ['ONECLICK'] },
      recurringProblems.contractNotFound,
    ],
  ] as const)('%s', async (_, input, problem) => {
    await expect(run(input)).rejects.toMatchObject({ kind: problem });
    expect(await active()).toEqual(all);
    expect(await events()).toEqual([]);
  });
  test('a detail that is disabled already', async () => {
    await run({ recurringDetailReference: 'VISA' });
    await expect(run({ recurringDetailReference: 'VISA' })).rejects.toMatchObject({
      kind: recurringProblems.detailNotFound,
    });
  });
  test('the last detail disabled, the shopper has no contract', async () => {
    await run({});
    await expect(run({})).rejects.toMatchObject({ kind: recurringProblems.contractNotFound });
    await expect(run({ recurringDetailReference: 'VISA' })).rejects.toMatchObject({
      kind: recurringProblems.contractNotFound,
    });
  });
  test('a detail of another shopper', async () => {
    await handlers.save({ card: card(), recurringDetailReference: 'BENS' }, { ...anna, shopperReference: 'ben' });
    await expect(run({ recurringDetailReference: 'BENS' })).rejects.toMatchObject({
      kind: recurringProblems.detailNotFound,
    });
  });
});
