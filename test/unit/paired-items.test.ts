/** Lists whose items a server has made up are compared by place where pairing them would hold up everything else. */
import { expect, test } from '@jest/globals';
import { list, map, object, optional } from '../../src/core/contract/schema.ts';
import { compareValues, IdPairs } from '../../src/forward/compare/compare-values.ts';
import { compileRules } from '../../src/forward/compare/rules.ts';
import { hangMsMax } from '../support/until.ts';

const rules = compileRules({})('listItems');
const values = optional(map(100_000, { v0: 'x' }), 'Values.');
const output = object('Items', { items: optional(list(object('Item', { values }), 'item', { max: 1_000 }), 'Items.') });

/** Items that differ in their last value. */
const itemsOf = (count: number, valuesOfEach: number) => ({
  items: Array.from({ length: count }, (_, at) => ({
    values: Object.fromEntries(
      Array.from({ length: valuesOfEach }, (__, value) => [`v${value}`, value === valuesOfEach - 1 ? `${at}` : 'x']),
    ),
  })),
});
const reversed = ({ items }: ReturnType<typeof itemsOf>) => ({ items: items.toReversed() });
const kindsOf = (left: unknown, right: unknown) =>
  new Set(compareValues(output, left, right, rules, new IdPairs()).map(({ kind }) => kind));

test('lists with very many values are compared by place, soon', () => {
  const hostile = itemsOf(100, 5_000);
  const startedAt = performance.now();
  expect(kindsOf(hostile, reversed(hostile))).toEqual(new Set(['value']));
  expect(performance.now() - startedAt).toBeLessThan(hangMsMax);
});

test('control: the items of others are paired', () => {
  const items = itemsOf(40, 20);
  expect(kindsOf(items, reversed(items))).toEqual(new Set(['order']));
  const one = { items: items.items.slice(1) };
  expect(kindsOf(items, one)).toEqual(new Set(['missing']));
});
