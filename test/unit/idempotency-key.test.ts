/** Tests the grammar of idempotency keys and the canonical request that a key is bound to. */
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/contract/operation.ts';
import { Problem } from '../../src/contract/problem.ts';
import type { Decoded } from '../../src/formats/protocol.ts';
import { canonicalRequestText } from '../../src/idempotency/canonical-request.ts';
import { isWeak, keyOf } from '../../src/idempotency/idempotency-key.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';

const operation = recurringV25.operations.get('storeToken')!;
const decoded = (key?: string): Decoded => ({ operation, input: {}, issues: [], key });
const uuid = '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10';

describe('a key in the header', () => {
  const of = (header: string | undefined) => keyOf({ 'idempotency-key': header }, decoded());
  test.each([
    [uuid, uuid],
    [`"${uuid}"`, uuid],
    ['x', 'x'],
    ['"x"', 'x'],
    ['x'.repeat(64), 'x'.repeat(64)],
    [`"${'x'.repeat(64)}"`, 'x'.repeat(64)],
    ['!#$%&()*+,-./:;<=>?@[]^_`{|}~', '!#$%&()*+,-./:;<=>?@[]^_`{|}~'],
    ["it's", "it's"],
    ['0', '0'],
    ['00', '00'],
    ['A', 'A'],
    ['a', 'a'],
    ['urn:uuid:1', 'urn:uuid:1'],
    ['{"a":1}'.replaceAll('"', ''), '{a:1}'],
    ['idem:v2:{x}', 'idem:v2:{x}'],
    [undefined, undefined],
  ])('%j is %j', (header, key) => {
    expect(of(header)).toBe(key);
  });
  test.each([
    '',
    '""',
    '"',
    ' ',
    'a b',
    '"a b"',
    ' a',
    'a ',
    'a\tb',
    'a\nb',
    'a\r\nSet-Cookie: b',
    'a\u0000b',
    'a\u007fb',
    'ä',
    '日本',
    'a"b',
    '"a',
    'a"',
    '"a"b"',
    'a\\b',
    '"a\\"b"',
    'x'.repeat(65),
    `"${'x'.repeat(65)}"`,
    'x'.repeat(100_000),
    'a, b',
    '"a", "b"',
  ])('%j is refused with 400', (header) => {
    let thrown: unknown;
    try {
      of(header);
    } catch (each) {
      thrown = each;
    }
    expect(thrown).toBeInstanceOf(Problem);
    expect((thrown as Problem).status).toBe(400);
    // The message does not repeat the key.
    expect((thrown as Problem).message).not.toContain('Cookie');
  });
});

test('a key in the body may be longer, as SOAP stacks create them, and the header takes precedence', () => {
  const long = `http://example.com/${'x'.repeat(200)}`;
  expect(keyOf({}, decoded(long))).toBe(long);
  expect(keyOf({ 'idempotency-key': uuid }, decoded(long))).toBe(uuid);
  expect(() => keyOf({}, decoded('x'.repeat(257)))).toThrow(/Idempotency-Key/);
  expect(() => keyOf({}, decoded(''))).toThrow(/Idempotency-Key/);
});

test('a key under 16 characters is weak', () => {
  expect([isWeak('x'.repeat(15)), isWeak('x'.repeat(16))]).toEqual([true, false]);
});

describe('the canonical request', () => {
  const textOf = (operation: Operation, input: unknown) =>
    canonicalRequestText({ service: recurringV25, operation, input });
  const card = { cvc: '737', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna', number: '4111111111111111' };
  const input = {
    additionalData: { a: '1', b: '2' },
    card,
    merchantAccount: 'DemoMerchant',
    recurring: { contract: ['ONECLICK', 'RECURRING'] },
    shopperReference: 'shopper-1',
  };
  const text = textOf(operation, input);
  test('is a text that the interface alone determines', () => {
    expect(text).toBe(
      'storeToken {"additionalData":{"a":"1","b":"2"},"card":{"expiryMonth":"3","expiryYear":"2030","holderName":"Anna",' +
        '"number":"4111111111111111"},"merchantAccount":"DemoMerchant","recurring":{"contract":["ONECLICK","RECURRING"]},' +
        '"shopperReference":"shopper-1"}',
    );
  });
  test.each<[string, object]>([
    ['another security code', { card: { ...card, cvc: '000' } }],
    ['no security code', { card: { ...card, cvc: undefined } }],
    ['a zero before the month', { card: { ...card, expiryMonth: '03' } }],
    ['another order of fields', { shopperReference: 'shopper-1', merchantAccount: 'DemoMerchant' }],
  ])('is the same with %s', (_, other) => {
    expect(textOf(operation, { ...input, ...other })).toBe(text);
  });
  test.each<[string, object]>([
    ['another number', { card: { ...card, number: '5555444433331111' } }],
    ['another year', { card: { ...card, expiryYear: '2031' } }],
    ['a zero before a name', { card: { ...card, holderName: '0Anna' } }],
    ['another merchant account', { merchantAccount: 'DemoMerchantNL' }],
    ['one use less', { recurring: { contract: ['RECURRING'] } }],
    ['one entry more', { additionalData: { a: '1', b: '2', c: '3' } }],
    ['what would read alike, joined', { additionalData: { a: '1","b":"2' } }],
    ['a field more', { shopperEmail: 'a@example.com' }],
  ])('differs with %s', (_, other) => {
    expect(textOf(operation, { ...input, ...other })).not.toBe(text);
  });
  test('differs between operations', () => {
    const disable = recurringV25.operations.get('disable')!;
    const list = recurringV25.operations.get('listRecurringDetails')!;
    const common = { merchantAccount: 'M', shopperReference: 's' };
    expect(textOf(disable, common)).not.toBe(textOf(list, common));
  });
});
