/** Tests which patterns of a WSDL are used: those that JavaScript matches in acceptable time, whatever the text. */
import { describe, expect, test } from '@jest/globals';
import { patternFault } from '../../src/readers/wsdl/pattern-cost.ts';

const textLength = 4_000;

describe('a pattern is not used', () => {
  test.each([
    ['(a+)+'],
    ['(😀|😀)*b'],
    ['(a|a)*b'],
    ['(a|aa)+b'],
    ['(a*)*b'],
    ['(.*)*b'],
    ['([a-zA-Z]+)*b'],
    ['(\\w+\\s?)*b'],
    ['(a?){30}a{30}'],
    ['(|){40}a'],
    ['((|){999999}){999999}a'],
    ['a*a*a*a*b'],
    ['(.*a){20}'],
    ['(a{0,30}){0,30}b'],
    ['(a{99}|a{99})*b'],
    ['(a{5}|a{5}x?)*b'],
    ['(x+x+)+y'],
    ['((([a-z])+.)+[A-Z]([a-z])+)'],
    ['[^\\d]+\\D+\\D+\\D+x'],
    ['[\\w.+-]+@[a-zA-Z0-9](\\.?[a-zA-Z0-9-]*[a-zA-Z0-9])*'],
    ['a{9999999}{999}'],
    ['((a{100}){100}){100}'],
    ['(a?){400}'],
  ])('where matching may take too long: %s', (pattern) => {
    expect(patternFault(pattern, textLength)).toMatch(/too many steps|other syntax/);
  });

  test.each([
    ['too deep', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`.slice(0, 1_999)],
    ['too deep', `${'('.repeat(50)}a${')'.repeat(50)}`],
    ['too long', 'a'.repeat(2_001)],
    ['too long', `${'('.repeat(100_000)}a${')'.repeat(100_000)}`],
  ])('where it is %s', (fault, pattern) => {
    expect(patternFault(pattern, textLength)).toBe(fault);
  });

  test.each([
    ...[
      '\\i\\c*',
      '\\p{L}+',
      '[a-z-[aeiou]]',
      '^a',
      'a$',
      '(?=a)b',
      '(?<=a)b',
      '(a)\\1',
      'a\\b',
      '*a',
      '(a',
      'a)',
      'a{',
      '[z-a]',
      '[]',
    ],
  ])('in a syntax that JavaScript has not in common: %s', (pattern) => {
    expect(patternFault(pattern, textLength)).toBe('other syntax');
  });
});

test.each([
  ...[
    '[A-Z]{3}',
    '[0-9]{4}-[0-9]{2}',
    '[0-9A-Fa-f]{32}',
    '([0-9A-Fa-f]{2})*',
    '[^@]+@[^\\.]+\\..+',
    '(0[1-9]|1[0-2])',
    '.*',
    '',
  ],
  ...[
    '[1-9][0-9]{0,17}',
    '[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?',
    '[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}',
    '\\d{1,3}(\\.\\d{3})*(,\\d{2})?',
  ],
  ...[
    '[a-zA-Z0-9]{1,255}',
    '\\+?[0-9\\- ]{1,20}',
    '([1-9]|[1-9][0-9])',
    '[\\w\\-\\.]+@[\\w\\-]+(\\.[\\w\\-]+)+',
    '[^<>&$]{0,4000}',
  ],
  ...[
    '(([A-Z]{1,2}[0-9R][0-9A-Z]?) [0-9][ABD-HJLNP-UW-Z]{2})',
    '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    '[-+]?[0-9]+(\\.[0-9]+)?',
  ],
  ...[
    '([a-zA-Z]{1,8})(-[a-zA-Z0-9]{1,8})*',
    '\\d{20}\\d{20}',
    '[0-9]*[0-9]',
    '(?:[A-Z]{2}|[0-9]{3})',
    '\\[x\\]\\{1\\}\\/\\$',
  ],
])('a pattern of real documents is used: %s', (pattern) => {
  expect(patternFault(pattern, textLength)).toBeUndefined();
});

test('the length of texts counts', () => {
  expect(patternFault('.*\\S.*', 255)).toBeUndefined();
  expect(patternFault('.*\\S.*', 32_000)).toBe('too many steps');
});

test('a refused pattern takes twice as long for each character (control)', () => {
  const time = (length: number): number => {
    const start = process.hrtime.bigint();
    /^(?:(a+)+b)$/.test('a'.repeat(length));
    return Number(process.hrtime.bigint() - start);
  };
  time(10);
  expect(time(26)).toBeGreaterThan(time(16) * 20);
});
