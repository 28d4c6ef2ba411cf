/** Tests the map that all caches are: its limits, what it forgets, and that callers cannot switch a cache off. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { BoundedMap } from '../../src/core/lib/bounded-map.ts';
import { services } from '../../src/payments/index.ts';

afterEach(() => {
  jest.useRealTimers();
});

const keysOf = <K>(map: Iterable<readonly [K, unknown]>): readonly K[] => [...map].map(([key]) => key);

test('clears its table where it has entries, and allocates none where it has not', () => {
  const clear = jest.spyOn(Map.prototype, 'clear');
  const map = new BoundedMap<string, number>(2);
  map.clear();
  expect(clear.mock.contexts).toHaveLength(0);
  map.set('a', 1);
  map.clear();
  expect([clear.mock.contexts.length, map.size]).toEqual([1, 0]);
  clear.mockRestore();
});

describe('a map with a limit of entries', () => {
  test('removes the entry that was set longest ago', () => {
    const map = new BoundedMap<string, number>(2);
    for (const [value, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, value);
    expect([...map]).toEqual([
      ['c', 2],
      ['d', 3],
    ]);
    expect([map.size, map.has('a'), map.get('b'), map.get('d')]).toEqual([2, false, undefined, 3]);
  });

  test('an entry that is set again becomes the youngest one, and one that is read does not', () => {
    const map = new BoundedMap<string, number>(3);
    for (const key of ['a', 'b', 'c']) map.set(key, 0);
    map.get('b');
    map.set('a', 1);
    map.set('d', 0);
    expect(keysOf(map)).toEqual(['c', 'a', 'd']);
  });

  test('goes on as before after entries were deleted and all were cleared', () => {
    const map = new BoundedMap<number, number>(3);
    const expected: number[] = [];
    for (let key = 0; key < 500; key += 1) {
      map.set(key, key);
      expected.push(key);
      if (expected.length > 3) expected.shift();
      if (key % 7 === 0) for (const removed of expected.splice(1, 1)) expect(map.delete(removed)).toBe(true);
      if (key % 50 === 49) {
        map.clear();
        expected.length = 0;
      }
      expect(keysOf(map)).toEqual(expected);
    }
  });

  test('creates a value once, and again after it was removed', () => {
    const map = new BoundedMap<string, string>(1);
    const create = jest.fn((key: string) => key.toUpperCase());
    expect(['a', 'a', 'b', 'a'].map((key) => map.getOrCreate(key, create))).toEqual(['A', 'A', 'B', 'A']);
    expect(create).toHaveBeenCalledTimes(3);
  });
});

describe('a map with a limit of bytes', () => {
  test('removes as many entries as the new one needs', () => {
    const map = new BoundedMap<string, string>(10, { sizeOf: (value) => value.length });
    map.set('a', '1234');
    map.set('b', '1234');
    map.set('c', '12345678');
    expect(keysOf(map)).toEqual(['c']);
    map.set('c', '1');
    map.set('d', '123456789');
    expect(keysOf(map)).toEqual(['c', 'd']);
  });

  test('does not hold an entry that is larger than all of it', () => {
    const map = new BoundedMap<string, string>(3, { sizeOf: (value) => value.length });
    map.set('a', '1');
    map.set('b', '1234');
    expect(map.size).toBe(0);
    map.set('c', '123');
    expect(keysOf(map)).toEqual(['c']);
  });
});

test('tells of each entry that it removes or replaces, once', () => {
  const removed: number[] = [];
  const map = new BoundedMap<string, number>(2, { removed: (value) => removed.push(value) });
  map.set('a', 1);
  map.set('a', 2);
  map.set('b', 3);
  map.set('c', 4);
  map.delete('b');
  map.delete('b');
  map.clear();
  expect(removed).toEqual([1, 2, 3, 4]);
});

test('forgets everything after its time', () => {
  jest.useFakeTimers();
  const map = new BoundedMap<string, number>(10, { msMax: 1_000 });
  map.set('a', 1);
  jest.advanceTimersByTime(900);
  map.set('b', 2);
  jest.advanceTimersByTime(100);
  expect(map.size).toBe(0);
  map.set('c', 3);
  jest.advanceTimersByTime(999);
  expect(map.size).toBe(1);
  jest.advanceTimersByTime(1);
  expect([map.size, jest.getTimerCount()]).toEqual([0, 0]);
});

test('unknown paths, which need no credential, do not switch the cache of routes off', () => {
  const routes = compileRoutes(services);
  for (let number = 0; number < 5_000; number += 1) routes.find(`/unknown/${number}`);
  const path = '/pal/servlet/Recurring/v25/listRecurringDetails';
  expect(routes.find(path)).toBe(routes.find(path));
});
