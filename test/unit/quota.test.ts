/** Tests quotas: windows, blocks, members that count once, bounded memory, and the sum over processes. */
import { describe, expect, test } from '@jest/globals';
import { createLimits } from '../../src/limits/limits.ts';
import type { QuotaReached, QuotaRule } from '../../src/limits/quota.ts';
import type { OpenSharedCounter } from '../../src/limits/shared-counter.ts';

const windowMs = 60_000;

const open = (rule: Partial<QuotaRule> = {}) => {
  const time = { now: 1_000_000 };
  const reached: QuotaReached[] = [];
  const limits = createLimits({ now: () => time.now }, (text) => `<${text}>`);
  limits.listen((event) => reached.push(event));
  return { time, reached, limits, quota: limits.quota({ name: 'tries', max: 3, windowMs, ...rule }) };
};

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a key is blocked from the last event that its quota allows, to the end of its window', () => {
  const { quota, time, reached } = open();
  quota.count('a');
  time.now += 10_000;
  quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
  quota.count('a');
  expect(quota.blockedMs('a')).toBe(50_000);
  expect(quota.blockedMs('b')).toBe(0);
  time.now += 49_999;
  expect(quota.blockedMs('a')).toBe(1);
  time.now += 1;
  expect(quota.blockedMs('a')).toBe(0);
  quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
  expect(reached).toEqual([{ limit: 'tries', of: 'credentials', actor: 'a', blockedMs: 50_000 }]);
});

test('a block may be longer than the window', () => {
  const { quota, time } = open({ blockMs: 600_000 });
  for (let event = 0; event < 3; event++) quota.count('a');
  time.now += 599_999;
  expect(quota.blockedMs('a')).toBe(1);
});

test('the events of different windows do not add up', () => {
  const { quota, time } = open();
  for (let event = 0; event < 10; event++) {
    quota.count('a');
    time.now += windowMs / 2;
  }
  expect(quota.blockedMs('a')).toBe(0);
});

test('a member counts once in a window, whatever it is counted for', () => {
  const { quota } = open();
  for (const member of ['x', 'y', 'x', 'x', 'y']) quota.count('a', { member });
  expect(quota.blockedMs('a')).toBe(0);
  quota.count('b', { member: 'x' });
  quota.count('a', { member: 'z' });
  expect([quota.blockedMs('a') > 0, quota.blockedMs('b')]).toEqual([true, 0]);
});

test('0 is unlimited', () => {
  const { quota } = open({ max: 0 });
  for (let event = 0; event < 100; event++) quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
});

test('a clock that is set back neither lengthens a block nor keeps a count', () => {
  const { quota, time } = open();
  for (let event = 0; event < 3; event++) quota.count('a');
  time.now -= 3_600_000;
  expect(quota.blockedMs('a')).toBe(0);
  quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
});

test('keys beyond the maximum displace the key that was not counted for the longest time', () => {
  const { quota } = open({ keysMax: 100 });
  let strangers = 0;
  const countAmong = (key: string, others: number) => {
    quota.count(key);
    for (let other = 0; other < others; other++) quota.count(`stranger ${++strangers}`);
  };
  for (let event = 0; event < 10; event++) countAmong('rare', 100);
  expect(quota.blockedMs('rare')).toBe(0);
  for (let event = 0; event < 3; event++) countAmong('frequent', 99);
  expect(quota.blockedMs('frequent')).toBeGreaterThan(0);
});

describe('with other processes', () => {
  /** Counts as Redis does. */
  const createShared = () => {
    const counts = new Map<string, number>();
    const openCounter: OpenSharedCounter = (name) => async (key) => {
      const count = (counts.get(`${name} ${key}`) ?? 0) + 1;
      counts.set(`${name} ${key}`, count);
      return { count, leftMs: 5_000 };
    };
    return { counts, openCounter };
  };

  test('their events and members count together, under hashed keys', async () => {
    const shared = createShared();
    const processes = [open(), open()] as const;
    for (const { limits } of processes) limits.share(shared.openCounter);
    const [first, second] = processes;
    for (const { quota } of processes) quota.count('a', { member: 'x' });
    await settle();
    second.quota.count('a', { member: 'y' });
    await settle();
    expect(second.quota.blockedMs('a')).toBe(0);
    first.quota.count('a', { member: 'z' });
    await settle();
    expect(first.quota.blockedMs('a')).toBe(5_000);
    expect(second.quota.blockedMs('a')).toBe(0);
    second.quota.count('a', { member: 'w' });
    await settle();
    expect(second.quota.blockedMs('a')).toBe(5_000);
    expect([...shared.counts.keys()]).toEqual(expect.arrayContaining(['tries <a>', 'tries:members <a x>']));
    expect([...shared.counts.keys()].every((key) => /^tries(:members)? <.*>$/.test(key))).toBe(true);
  });

  test('each process counts alone while the others cannot be asked', async () => {
    const { quota, limits } = open();
    limits.share(() => async () => undefined);
    quota.count('a', { member: 'x' });
    quota.count('a');
    await settle();
    expect(quota.blockedMs('a')).toBe(0);
    quota.count('a');
    expect(quota.blockedMs('a')).toBeGreaterThan(0);
  });
});
