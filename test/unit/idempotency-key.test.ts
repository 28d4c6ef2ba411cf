/** Tests the grammar of idempotency keys and the canonical request that a key is bound to. */
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { SentKey } from '../../src/core/contract/retry.ts';
import type { Decoded } from '../../src/core/formats/protocol.ts';
import { canonicalRequestText } from '../../src/core/idempotency/canonical-request.ts';
import { isWeak, keyOf } from '../../src/core/idempotency/idempotency-key.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';

const operation = recurringV25.operations.get('storeToken')!;
const decoded = (key?: SentKey): Decoded => ({ operation, input: {}, issues: [], key });
const head = (headers: Readonly<Record<string, string | undefined>>, query = '') => ({ headers, query });
const uuid = '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10';

describe('a key in the header', () => {
  const of = (header: string | undefined) => keyOf(head({ 'idempotency-key': header }), decoded());
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

describe('a key in another place', () => {
  const inBody = (text: string, isMessageId?: true): SentKey => ({
    ...{ text, place: isMessageId ? 'MessageID' : 'idempotencyKey' },
    ...(isMessageId && { isMessageId }),
  });
  const long = 'x'.repeat(65);
  test.each<[string, Parameters<typeof keyOf>[0], SentKey | undefined]>([
    ['the header X-Idempotency-Key', head({ 'x-idempotency-key': `"${uuid}"` }), undefined],
    ['a header of a maker', head({ 'x-shop-idempotency-token': uuid }), undefined],
    ['the query', head({}, `a=1&idempotencyKey=${uuid}`), undefined],
    ['the query, as the header is called', head({}, `Idempotency-Key=${uuid}`), undefined],
    ['the body', head({}), inBody(uuid)],
    ['a MessageID', head({}), inBody(uuid, true)],
    ['two places', head({ 'idempotency-key': uuid }, `idempotencyKey=${uuid}`), inBody(uuid)],
    ['the header, beside a MessageID that the stack made', head({ 'idempotency-key': uuid }), inBody('urn:1', true)],
  ])('%s', (_, sent, body) => {
    expect(keyOf(sent, decoded(body))).toBe(uuid);
  });

  test.each<[string, Parameters<typeof keyOf>[0], SentKey | undefined, string]>([
    [
      'X-Idempotency-Key',
      head({ 'x-idempotency-key': long }),
      undefined,
      'the header x-idempotency-key is not 1 to 64',
    ],
    ['the query', head({}, 'idempotencyKey=a+b'), undefined, 'idempotencyKey in the query is not 1 to 64'],
    ['the body', head({}), inBody(long), 'idempotencyKey is not 1 to 64'],
    ['an empty body', head({}), inBody(''), 'idempotencyKey is not 1 to 64'],
    ['a MessageID', head({}), inBody(long, true), 'MessageID is not 1 to 64'],
    ['two', head({ 'idempotency-key': 'a' }), inBody('b'), 'Idempotency-Key and idempotencyKey are two different keys'],
  ])('%s: a refusal names the place', (_, sent, body, text) => {
    expect(() => keyOf(sent, decoded(body))).toThrow(text);
  });

  test('a parameter that the operation declares is its own', () => {
    const upstream = { method: 'POST', path: '/a', parameters: { key: { in: 'header', name: 'X-Idempotency-Key' } } };
    const own = { ...operation, upstream } as Operation;
    expect(keyOf(head({ 'x-idempotency-key': uuid }), { operation: own })).toBeUndefined();
  });
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
