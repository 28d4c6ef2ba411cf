/** Tests the parsing of URL-encoded pairs where it differs from qs. */
import { describe, expect, test } from '@jest/globals';
import { type Pair, parsePairs } from '../../src/core/formats/form/pairs.ts';

const unlimited = Number.POSITIVE_INFINITY;

const accepted: readonly (readonly [title: string, text: string, pairs: readonly Pair[]])[] = [
  ['nothing', '', []],
  ['empty pairs alone', '&&&', []],
  [
    'a name without a value',
    'a&b=',
    [
      ['a', '', true],
      ['b', ''],
    ],
  ],
  ['an empty name', '=x', [['', 'x']]],
  [
    'numbers as names, in the order sent',
    'b=1&10=2&0=3',
    [
      ['b', '1'],
      ['10', '2'],
      ['0', '3'],
    ],
  ],
  [
    'names of Object.prototype',
    'constructor=1&hasOwnProperty=2&toString=3',
    [
      ['constructor', '1'],
      ['hasOwnProperty', '2'],
      ['toString', '3'],
    ],
  ],
  [
    '__proto__',
    '__proto__=1&a=2',
    [
      ['__proto__', '1'],
      ['a', '2'],
    ],
  ],
  [
    'dots',
    'a.b.0=1&a.b=2',
    [
      ['a.b.0', '1'],
      ['a.b', '2'],
    ],
  ],
  [
    'brackets',
    '[a]=1&b[]=2&c[0]=3&d%5Be%5D=4',
    [
      ['[a]', '1'],
      ['b[]', '2'],
      ['c[0]', '3'],
      ['d[e]', '4'],
    ],
  ],
  [
    'a bracket before an equals sign in a value',
    'a=x]=y&b=x%5D=[]=z',
    [
      ['a', 'x]=y'],
      ['b', 'x]=[]=z'],
    ],
  ],
  ['equals signs in a value', 'a=b=c==', [['a', 'b=c==']]],
  ['commas and semicolons', 'a=1,2;b=3', [['a', '1,2;b=3']]],
  [
    'the charset sentinel of browsers',
    'utf8=%E2%9C%93&a=%C3%A9',
    [
      ['utf8', '\u2713'],
      ['a', '\u00e9'],
    ],
  ],
  ['numeric entities', 'a=%26%23233%3B', [['a', '&#233;']]],
  ['plus signs', '+a=b+c%2B', [[' a', 'b c+']]],
];

describe('parsePairs', () => {
  test.each(accepted)('%s', (_, text, pairs) => {
    expect(parsePairs(text, unlimited)).toEqual({ pairs });
  });

  test.each([
    ['a lone percent sign', 'a=100%', 'percent-encoding', 1],
    ['percent-encoding that is not UTF-8, in a name', '%ff=1', 'percent-encoding', 1],
    ['a name twice', 'a=1&b=2&a=1', 'duplicate key', 3],
    ['a name twice, once encoded', 'a=1&%61=2', 'duplicate key', 2],
    ['a name thirty times', 'a=1&'.repeat(30), 'duplicate key', 2],
    ['__proto__ twice', '__proto__=1&__proto__=2', 'duplicate key', 2],
  ])('refuses %s', (_, text, fault, pair) => {
    const refusal = { fault, where: `pair ${pair}` };
    expect(parsePairs(text, unlimited)).toEqual(refusal);
    expect(parsePairs(text, 200)).toEqual(refusal);
  });

  test('limits the number of pairs, not counting empty ones', () => {
    const three = '&&a=1&&&b=2&c=3&&';
    expect(parsePairs(three, 3)).toHaveProperty('pairs.length', 3);
    expect(parsePairs(three, 2)).toEqual({ fault: 'too many pairs', where: 'pair 3' });
  });

  test('refuses a name thousands of times at the cost of as many names', () => {
    const count = 10_000;
    const costOf = (nameOf: (at: number) => string): number => {
      const text = Array.from({ length: count }, (_, at) => `${nameOf(at)}=1`).join('&');
      const costs = [1, 2, 3].map(() => {
        const { user } = process.cpuUsage();
        parsePairs(text, count);
        return process.cpuUsage().user - user;
      });
      return Math.min(...costs);
    };
    const distinct = costOf((at) => `items.${at}`);
    for (const name of ['items', 'items[]', 'items[0]', '']) expect(costOf(() => name) / distinct).toBeLessThan(5);
  });

  test('does not change Object.prototype', () => {
    parsePairs('__proto__=1&__proto__.polluted=1&constructor.prototype.polluted=1', unlimited);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
