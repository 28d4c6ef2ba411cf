/** Tests decimals, days and binary values: their normal forms, and what is refused. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { parser } from '../../src/core/contract/lexical.ts';
import { compileRead, IssueCollector } from '../../src/core/contract/read.ts';
import {
  binary,
  date,
  decimal,
  integer,
  object,
  optional,
  type ScalarSchema,
  string,
} from '../../src/core/contract/schema.ts';
import { parseText } from '../../src/core/formats/json/parse.ts';
import { reader } from '../../src/core/formats/json/read.ts';

const amount = decimal({ digits: 8, fraction: 2, min: '-5.5', max: '999.99', example: '1' });
const long = decimal({ digits: 38, fraction: 20, example: '1' });
const scan = binary({ max: 4, example: 'AAECAw==' });
const read = (schema: ScalarSchema, text: string) => Object.values(parser(schema)(text))[0];

describe('a decimal', () => {
  test.each([
    ['1', '1'],
    ['+1.50', '1.5'],
    ['007.00', '7'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0.0', '0'],
    ['-5.50', '-5.5'],
    [' 999.99\n', '999.99'],
    ['0.010', '0.01'],
  ])('%j is %j', (text, value) => expect(read(amount, text)).toBe(value));

  test.each([
    ['1e2', 'type'],
    ['1E2', 'type'],
    ['', 'type'],
    ['.', 'type'],
    ['-', 'type'],
    ['1,5', 'type'],
    ['١', 'type'],
    ['Infinity', 'type'],
    ['0x1', 'type'],
    ['0'.repeat(129), 'type'],
    ['1.001', 'value'],
    ['-5.51', 'value'],
    ['1000', 'value'],
    ['123456789', 'value'],
  ])('%j is refused for its %s', (text, fault) => expect(read(amount, text)).toBe(fault));

  test('keeps digits that a double would lose', () => {
    const text = '-123456789012345678.12345678901234567891';
    expect(read(long, text)).toBe(text);
    expect(read(long, `${text}1`)).toBe('value');
  });

  test('has bounded digits', () => {
    expect(() => decimal({ digits: 101, fraction: 0, example: '1' })).toThrow(RangeError);
    expect(() => decimal({ digits: 2, fraction: 3, example: '1' })).toThrow(RangeError);
  });
});

describe('an integer', () => {
  const wide = integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1);
  test.each([
    [wide, '9007199254740991', 9007199254740991],
    [wide, '-9007199254740991', -9007199254740991],
    [wide, '9007199254740993', 'value'],
    [wide, '10000000000000000', 'type'],
    [integer(0, 10 ** 16, 1), '9007199254740993', 'value'],
    [integer(0, 999_999_999_999_999, 1), '9007199254740991', 'type'],
  ])('of %o as %j is %j', (schema, text, value) => expect(read(schema, text)).toBe(value));
});

describe('a member that the contract does not have', () => {
  const fields = { count: optional(integer(1, 9, 1)) };
  test.each([
    ['{"count":1,"trace":"t"}', {}, [['trace']]],
    ['{"count":1,"trace":""}', {}, []],
    ['{"count":1,"trace":"t"}', { trace: 'old clients' }, []],
    ['{"count":1,"trace":"t","other":"o"}', { trace: 'old clients' }, [['other']]],
  ])('%s where %j is ignored', (text, ignoredMembers, issues) => {
    const collector = new IssueCollector();
    const value = compileRead(object('In', fields, { ignoredMembers }), reader)(JSON.parse(text), collector);
    expect(value).toEqual({ count: 1 });
    expect(collector.issues.map(({ path }) => path)).toEqual(issues);
  });
});

describe('a number of JSON', () => {
  const inputs = object('In', { long: optional(long, ''), count: optional(integer(1, 9, 1), '') });
  const readJson = (text: string) => {
    const parsed = parseText(text);
    const collector = new IssueCollector();
    const value = 'tree' in parsed ? compileRead(inputs, reader)(parsed.tree, collector) : parsed;
    return { value, issues: collector.issues.map(({ path }) => path) };
  };

  test.each([
    ['19.90', '19.9'],
    ['12345678901234567.89', '12345678901234567.89'],
    ['0.1', '0.1'],
    ['-0', '0'],
    ['7', '7'],
    ['"19.90"', '19.9'],
  ])('%s is read as it is written', (token, long) =>
    expect(readJson(`{"long":${token}}`)).toEqual({ value: { long }, issues: [] }),
  );

  test.each(['{"long":1e2}', '{"long":true}', '{"long":[1.5]}'])('%s is refused', (text) =>
    expect(readJson(text).issues).toEqual([['long']]),
  );

  test('a fraction is no integer', () => expect(readJson('{"count":1.0}').issues).toEqual([['count']]));
});

describe('a day', () => {
  const day = date('2026-01-31');
  test.each([
    ['2024-02-29', '2024-02-29'],
    [' 2026-01-31\n', '2026-01-31'],
    ['2026-01-31Z', '2026-01-31'],
    ['2026-01-31+14:00', '2026-01-31'],
    ['2026-01-31-13:59', '2026-01-31'],
    ['0001-01-01', '0001-01-01'],
  ])('%j is %j', (text, value) => expect(read(day, text)).toBe(value));

  test.each([
    '2026-02-29',
    '1900-02-29',
    '2026-00-01',
    '2026-04-31',
    '0000-01-01',
    '-2026-01-01',
    '12026-01-01',
    '2026-1-1',
    '2026-01-31+14:01',
    '2026-01-31T00:00:00Z',
    '20260131',
  ])('%j is refused', (text) => expect(read(day, text)).toBe('type'));
});

describe('a binary value', () => {
  test.each([
    ['AAECAw==', 'AAECAw=='],
    ['AAEC\r\nAw==\n', 'AAECAw=='],
  ])('%j is %j', (text, value) => expect(read(scan, text)).toBe(value));

  test.each([
    ['AAECAw', 'type'],
    ['AAECAx==', 'type'],
    ['A-_A', 'type'],
    // In a form, a blank is a plus sign that was not encoded.
    [' AAECAw==', 'type'],
    ['AAEC Aw==', 'type'],
    ['====', 'type'],
    ['\n', 'type'],
    [Buffer.alloc(5).toString('base64'), 'length'],
  ])('%j is refused for its %s', (text, fault) => expect(read(scan, text)).toBe(fault));

  test('has a bounded length', () => {
    expect(() => binary({ max: 1_073_741_825, example: '' })).toThrow(RangeError);
  });
});

test('the refusal of a message without one of several members names them', () => {
  const text = string({ example: 'a' });
  const options = [['iban'], ['number', 'bank']];
  const schema = object(
    'Account',
    { iban: optional(text, ''), number: optional(text, ''), bank: optional(text, '') },
    { choices: [{ options, exclusive: false, problem: 'missingField', doc: '' }] },
  );
  const collector = new IssueCollector();
  compileRead(schema, reader)({}, collector);
  expect(collector.issues.map(({ message }) => message)).toEqual([
    'Required field iban or number and bank not specified',
  ]);
});
