/** A lookup with more holders than an answer has: each is found once, by the cursor of the answer before. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import type { CardSearchLimits } from '../../src/payments/recurring/card-search-limits.ts';
import { noCardSearchLimits } from '../../src/payments/recurring/card-search-limits.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementServices } from '../support/services.ts';

const protocols = createProtocols(services);
const card = { number: '4000009900000004', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };

let gateway: TestGateway;
let misses: number;
beforeEach(async () => {
  misses = 0;
  const cardSearch: CardSearchLimits = {
    ...noCardSearchLimits,
    countMiss: async () => {
      misses += 1;
    },
  };
  gateway = await openGateway({ implementations: ({ updater }) => implementServices({ updater, cardSearch }) });
});
afterEach(() => gateway.close());

const call = async (name: NamedProtocol, operation: string, input: object) => {
  const called = recurringV25.operations.get(operation)!;
  const asked = { merchantAccount: 'DemoMerchant', ...input };
  const { path, contentType, body } = protocols[name].encodeRequest(recurringV25, called, asked);
  const headers = { 'content-type': contentType, ...callers.demo };
  const { message, entry } = await gateway.ask({ path, headers, body });
  const output = entry.outcome === 'ok' ? protocols[name].decodeResponse(called, message.body).value : {};
  return { outcome: entry.outcome, output: output as Page };
};

interface Page {
  readonly additionalData?: { readonly cursor?: string };
  readonly tokens?: readonly { readonly shopperReference: string }[];
}

/** All stored at one moment, so that the order among them is that of their references. */
const store = async (count: number) => {
  const shoppers = Array.from({ length: count }, (_, at) => `shopper-${String(at).padStart(3, '0')}`);
  for (const shopperReference of shoppers)
    await call('json', 'storeToken', { shopperReference, card, recurring: { contract: ['RECURRING'] } });
  return shoppers;
};

/** The shoppers of each answer, up to the last one. */
const pages = async (name: NamedProtocol) => {
  const found: (readonly string[])[] = [];
  for (let cursor: string | undefined; ; ) {
    const { output } = await call(name, 'tokenLookup', { card, ...(cursor && { additionalData: { cursor } }) });
    found.push((output.tokens ?? []).map(({ shopperReference }) => shopperReference));
    cursor = output.additionalData?.cursor;
    if (cursor === undefined) return found;
  }
};

test.each(namedProtocols)('%s: all holders are found, 100 at a time', async (name) => {
  const shoppers = await store(201);
  const found = await pages(name);
  expect(found.map(({ length }) => length)).toEqual([100, 100, 1]);
  expect(found.flat()).toEqual(shoppers);
  expect(misses).toBe(0);
});

test('100 holders are one answer without a cursor', async () => {
  await store(100);
  expect((await pages('json')).map(({ length }) => length)).toEqual([100]);
});

describe('a cursor that a caller made up', () => {
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

  test.each([cursorOf('["0",""]'), cursorOf('["999999999999999","z"]')])(
    'spares no lookup its count, since a search for numbers would have no limit: %s',
    async (cursor) => {
      const { outcome, output } = await call('json', 'tokenLookup', { card, additionalData: { cursor } });
      expect([outcome, output.tokens, misses]).toEqual(['ok', undefined, 1]);
    },
  );

  test.each(['x', cursorOf('["a","b"]'), cursorOf('["1"]')])('is refused where it is none: %s', async (cursor) => {
    const { outcome } = await call('json', 'tokenLookup', { card, additionalData: { cursor } });
    expect(outcome).toBe('invalidField');
  });
});
