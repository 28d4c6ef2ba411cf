/** Tests the cache of data keys: its three bounds, its wiping, and that it opens nothing that a vault without it refuses. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { DataKeyCache, type DataKeyCacheLimits } from '../../src/core/vault/data-key-cache.ts';
import { freshKeys, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { SealBroken } from '../../src/core/vault/seal.ts';
import { createVault } from '../../src/core/vault/vault.ts';

const scope = { tenant: 'Demo', record: 'R1' };
const wrapped = (dataKey: string) => ({ keyId: 'k-1', dataKey });
const newKey = () => ({ key: randomBytes(32), sealedUnder: 'k-1' });

afterEach(() => {
  jest.useRealTimers();
});

function createCache(limits: Partial<DataKeyCacheLimits> = {}) {
  const clock = { now: 0 };
  const cache = new DataKeyCache({ keysMax: 10, ageMax: 1_000, usesMax: 100, ...limits }, () => clock.now);
  return { cache, clock };
}

describe('bounds', () => {
  test('a key is found until its age is reached', () => {
    const { cache, clock } = createCache();
    const added = newKey();
    cache.add(wrapped('a'), added);
    clock.now = 999;
    const found = cache.find(wrapped('a'))!;
    expect(found.key).toEqual(added.key);
    clock.now = 1_000;
    expect(cache.find(wrapped('a'))).toBeUndefined();
    expect(found.key).toEqual(Buffer.alloc(32));
    expect(cache.size).toBe(0);
  });
  test('a key is found as often as its uses allow', () => {
    const { cache } = createCache({ usesMax: 2 });
    cache.add(wrapped('a'), newKey());
    const found = [1, 2, 3].map(() => cache.find(wrapped('a')) !== undefined);
    expect(found).toEqual([true, true, false]);
    expect(cache.size).toBe(0);
  });
  test('the oldest key is removed, and overwritten', () => {
    const { cache } = createCache({ keysMax: 2 });
    const first = newKey();
    cache.add(wrapped('a'), first);
    const oldest = cache.find(wrapped('a'))!;
    cache.add(wrapped('b'), newKey());
    cache.add(wrapped('c'), newKey());
    expect(cache.size).toBe(2);
    expect(oldest.key).not.toEqual(first.key);
    expect(cache.find(wrapped('a'))).toBeUndefined();
    expect(cache.find(wrapped('b'))).toBeDefined();
  });
  test('keys that nothing asks for are wiped when they expire', () => {
    jest.useFakeTimers();
    const { cache, clock } = createCache();
    cache.add(wrapped('a'), newKey());
    const { key } = cache.find(wrapped('a'))!;
    jest.advanceTimersByTime(500);
    expect(cache.size).toBe(1);
    clock.now = 1_000;
    jest.advanceTimersByTime(500);
    expect(cache.size).toBe(0);
    expect(key).toEqual(Buffer.alloc(32));
    expect(jest.getTimerCount()).toBe(0);
  });
  test("the caller's key stays its own", () => {
    const { cache } = createCache();
    const added = newKey();
    const bytes = Buffer.from(added.key);
    cache.add(wrapped('a'), added);
    added.key.fill(0);
    expect(cache.find(wrapped('a'))!.key).toEqual(bytes);
  });
});

describe('a vault that has cached the data key of a record', () => {
  const vault = createVault(parseKeyRing(freshKeys()));
  const sealed = vault.seal(scope, { number: '4111111111111111', payload: '{"bank":{}}' });
  const reopened = () => vault.open(scope, sealed, 'payload');

  test('opens it again', () => {
    expect([reopened(), reopened()]).toEqual(['{"bank":{}}', '{"bank":{}}']);
    expect(vault.open(scope, sealed, 'number')).toBe('4111111111111111');
  });
  test.each([
    { name: 'of another record', moved: { ...scope, record: 'R2' } },
    { name: 'of another tenant', moved: { ...scope, tenant: 'Other' } },
  ])('refuses the scope $name', ({ moved }) => {
    reopened();
    expect(() => vault.open(moved, sealed, 'payload')).toThrow(SealBroken);
  });
  test('refuses a changed ciphertext, and one of the other part', () => {
    reopened();
    const changed = `${sealed.payload!.startsWith('A') ? 'B' : 'A'}${sealed.payload!.slice(1)}`;
    expect(() => vault.open(scope, { ...sealed, payload: changed }, 'payload')).toThrow(SealBroken);
    expect(() => vault.open(scope, { ...sealed, payload: sealed.number! }, 'payload')).toThrow(SealBroken);
  });
  test('refuses a wrapping key that the ring lacks', () => {
    reopened();
    expect(() => vault.open(scope, { ...sealed, keyId: 'k-gone' }, 'payload')).toThrow('no wrapping key');
  });
});
