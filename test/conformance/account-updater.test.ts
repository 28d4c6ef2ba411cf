/** What an update does to stored details, asked and listed in every format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isLuhnValid } from '../../src/core/contract/check-digits.ts';
import { testCards } from '../../src/payments/recurring/account-updater/test-cards.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { callsOf, cardOf, fresh, named, protocolNames as names, protocols } from '../support/recurring-calls.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const unchanged = '4000009900000012';
const renewed = '4000009900000020';
const replaced = '4000009900000038';
const closed = '4000009900000046';
const contact = '4000009900000053';

const { ask, store, list, check } = callsOf(() => gateway);

describe.each(names)('%s', (name) => {
  test('a renewed card has its new expiry, in the card and in additionalData; its number and reference stay', async () => {
    const shopper = fresh();
    const reference = await store(shopper, renewed, { additionalData: { mine: 'unchanged' } });
    const [before] = await list(name, shopper);
    expect(await check(name, named(shopper, reference))).toBe('CardExpiryChanged');
    const [after, ...others] = await list(name, shopper);
    expect(others).toEqual([]);
    expect(after).toEqual({
      ...before,
      additionalData: { mine: 'unchanged', newExpiryMonth: '3', newExpiryYear: '2031' },
      card: { ...before!.card, expiryYear: '2031' },
    });
  });

  test('a replaced card has a new number, alias and expiry under the old reference; what else is sealed stays readable', async () => {
    const shopper = fresh();
    const reference = await store(shopper, replaced, { socialSecurityNumber: '123456789' });
    const [before] = await list(name, shopper);
    expect(await check(name, named(shopper, reference))).toBe('PANChanged');
    const [after] = await list(name, shopper);
    const alias = (
      await ask(name, 'storeToken', {
        card: cardOf(unchanged),
        recurring: { contract: ['RECURRING'] },
        shopperReference: fresh(),
      })
    ).alias!;
    expect(alias).not.toBe(before!.alias);
    expect(after).toEqual({
      ...before,
      additionalData: { newAlias: alias, newExpiryMonth: '3', newExpiryYear: '2031' },
      alias,
      card: { ...before!.card, expiryYear: '2031', number: unchanged.slice(-4) },
    });
    expect(after!.socialSecurityNumber).toBe('123456789');
    // It is found by its new number, and no longer by the old one.
    const holders = async (number: string) =>
      (await ask(name, 'tokenLookup', { card: cardOf(number) })).tokens?.map((each) => each.shopperReference) ?? [];
    expect(await holders(unchanged)).toContain(shopper);
    expect(await holders(replaced)).not.toContain(shopper);
    // The new number opens: the card that it is now is as it was.
    expect(await check(name, named(shopper, reference))).toBe('NoChange');
  });

  test('a closed account disables the detail, and leaves the others', async () => {
    const shopper = fresh();
    const reference = await store(shopper, closed);
    const other = await store(shopper, unchanged);
    expect(await check(name, named(shopper, reference))).toBe('CloseAccount');
    const left = await list(name, shopper);
    expect(left.map(({ recurringDetailReference }) => recurringDetailReference)).toEqual([other]);
    expect(await check(name, named(shopper, reference))).toBe('Error');
  });

  test('who has to be asked, and what is not known yet, leave the detail as it is', async () => {
    const shopper = fresh();
    const reference = await store(shopper, contact);
    const before = await list(name, shopper);
    expect(await check(name, named(shopper, reference))).toBe('ContactCardAccountHolder');
    expect(await check(name, named(shopper, reference))).toBe('ContactCardAccountHolder');
    expect(await list(name, shopper)).toEqual(before);
  });
});

test('what an update adds stands among the entries of the merchant, by their keys', async () => {
  const shopper = fresh();
  const reference = await store(shopper, renewed, { additionalData: { a: '1', z: '2' } });
  await check('json', named(shopper, reference));
  const described = recurringV25.operations.get('listRecurringDetails')!;
  const input = { merchantAccount: 'DemoMerchant', shopperReference: shopper };
  const { path, contentType, body } = protocols.json.encodeRequest(recurringV25, described, input);
  const { message } = await gateway.ask({ path, headers: { 'content-type': contentType, ...callers.demo }, body });
  expect(message.body).toContain('"additionalData":{"a":"1","newExpiryMonth":"3","newExpiryYear":"2031","z":"2"}');
});

describe('what was announced', () => {
  test('is news once: the card that has followed is as it was', async () => {
    const asked = named('shopper-1', '8313147988756818');
    expect(await check('json', asked)).toBe('CardExpiryChanged');
    expect(await check('soap11', asked)).toBe('NoChange');
    const [visa] = await list('json', 'shopper-1');
    expect(visa!.card).toMatchObject({ expiryMonth: '8', expiryYear: '2034' });
    expect(visa!.additionalData).toEqual({ 'card.bin': '411111', newExpiryMonth: '8', newExpiryYear: '2034' });
  });
  test('does not turn a card back that a shopper has given anew', async () => {
    const shopper = fresh();
    const reference = await store(shopper, '4111111111111111', { card: cardOf('4111111111111111', '2036') });
    expect(await check('json', named(shopper, reference))).toBe('NoChange');
    expect((await list('json', shopper))[0]!.card).toMatchObject({ expiryYear: '2036' });
  });
});

test('the documentation lists each test card, and no two are the same', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/account-updater.md'), 'utf8');
  for (const { number, result } of testCards) {
    expect(isLuhnValid(number)).toBe(true);
    expect(page).toContain(`| ${number} | \`${result}\` |`);
  }
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(testCards.length);
});

describe('card data', () => {
  test('the details of the merchant account that hold the card are updated, and no others', async () => {
    const [one, two] = [fresh(), fresh()];
    await store(one, closed);
    await store(two, closed);
    await store(two, unchanged);
    await store(one, closed, { merchantAccount: 'DemoMerchantNL' });
    await store(one, closed, {}, 'other');
    expect(await check('json', { card: cardOf(closed) })).toBe('CloseAccount');
    expect(await list('json', one)).toEqual([]);
    expect(await list('json', two)).toHaveLength(1);
    expect(await list('json', one, { merchantAccount: 'DemoMerchantNL' })).toHaveLength(1);
    expect(await list('json', one, {}, 'other')).toHaveLength(1);
  });
  test('with the shopper, only the details of that shopper', async () => {
    const [one, two] = [fresh(), fresh()];
    await store(one, closed);
    await store(two, closed);
    expect(await check('json', { card: cardOf(closed), shopperReference: two })).toBe('CloseAccount');
    expect(await list('json', one)).toHaveLength(1);
    expect(await list('json', two)).toEqual([]);
  });
  test('with references: the detail must hold the card', async () => {
    const shopper = fresh();
    const reference = await store(shopper, closed);
    const other = await store(shopper, unchanged);
    expect(await check('json', { card: cardOf(closed), ...named(shopper, other) })).toBe('Error');
    expect(await list('json', shopper)).toHaveLength(2);
    expect(await check('json', { card: cardOf(closed), ...named(shopper, reference) })).toBe('CloseAccount');
    expect(await list('json', shopper)).toHaveLength(1);
  });
  test('a card that is not stored and one that has expired are checked, too', async () => {
    expect(await check('json', { card: cardOf('4111111111111111', '2020') })).toBe('CardExpiryChanged');
    expect(await check('json', { card: cardOf('4111111111111111', '2035') })).toBe('NoChange');
  });
});
