/** Keys of FORM pairs in long and nested lists, and dates. */
import { expect, test } from '@jest/globals';
import { dateTime, list, object, optional, string } from '../../src/core/contract/schema.ts';
import { dateTimeFormat } from '../../src/core/formats/date-time.ts';
import { compilePrintUnder } from '../../src/core/formats/form/print.ts';

const text = string({ example: 'x' });
const item = object('Item', { name: optional(text, ''), uses: optional(list(text, 'use', { max: 2 }), '') });
const schema = object('Result', {
  at: optional(dateTime(0), ''),
  items: optional(list(item, 'item', { max: 2_000 }), ''),
});

test.each([
  ['', ''],
  ['result', 'result.'],
])('lists of any length under the prefix "%s"', (prefix, start) => {
  const print = compilePrintUnder(prefix, schema, dateTimeFormat('UTC'));
  const items = Array.from({ length: 1_500 }, (_, at) => ({ name: `n ${at}`, uses: ['a', `${at}`] }));
  const expected = items.flatMap((_, at) => [
    `${start}items.${at}.name=n+${at}`,
    `${start}items.${at}.uses.0=a`,
    `${start}items.${at}.uses.1=${at}`,
  ]);
  // What is cached of the first message does not change the second.
  for (const count of [1_500, 3])
    expect(print({ items: items.slice(0, count) })).toBe(expected.slice(0, count * 3).join('&'));
});

test.each([
  ['Europe/Amsterdam', undefined, '2020-03-01T11%3A53%3A11.999%2B01%3A00'],
  ['Europe/Amsterdam', 'absent', '2020-03-01T11%3A53%3A11%2B01%3A00'],
  ['America/New_York', 'absent', '2020-03-01T05%3A53%3A11-05%3A00'],
  ['UTC', 'absent', '2020-03-01T10%3A53%3A11Z'],
] as const)('a date and time in %s is percent-encoded, fractions: %s', (timeZone, fractions, expected) => {
  const print = compilePrintUnder('', schema, dateTimeFormat(timeZone, fractions));
  expect(print({ at: Date.UTC(2020, 2, 1, 10, 53, 11, 999) })).toBe(`at=${expected}`);
});
