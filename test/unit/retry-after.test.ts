/** Tests the reading of Retry-After: seconds and HTTP dates, within a day, and nothing else. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { retryAfterSeconds } from '../../src/forward/retry-after.ts';

beforeEach(() => void jest.useFakeTimers({ now: Date.parse('1994-11-06T08:49:00Z') }));
afterEach(() => void jest.useRealTimers());

test.each([
  ['0', 0],
  ['120', 120],
  [' 120 ', 120],
  ['86401', 86_400],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
  ['Sun Nov  6 08:49:37 1994', 37],
  ['Sat, 05 Nov 1994 08:49:37 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
])('%s', (text, seconds) => {
  expect(retryAfterSeconds(text)).toBe(seconds);
});

test.each([
  undefined,
  '',
  '-5',
  '1.5',
  '1e3',
  '99999999999',
  '1, 2',
  'soon',
  '2030-01',
  '1994-11-06',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 46 Nov 1994 08:49:37 GMT',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  '120\r\nX: y',
])('nothing: %s', (text) => {
  expect(retryAfterSeconds(text)).toBeUndefined();
});
