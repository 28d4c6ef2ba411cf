/** Tests quotas: windows, blocks, members that count once, bounded memory, and the sum over processes. */
import { describe, expect, test } from '@jest/globals';
import { createLimits } from '../../src/access/limits/limits.ts';
import type { QuotaReached, QuotaRule } from '../../src/access/limits/quota.ts';
import type { SharedCounts, SharedEvent, StoredCount, StoredCounts } from '../../src/access/limits/shared-counts.ts';

const windowMs = 60_000;

const open = (rule: Partial<QuotaRule> = {}, stored?: StoredCounts) => {
  const time = { now: 1_000_000 };
  const reached: QuotaReached[] = [];
  const limits = createLimits({ now: () => time.now }, (text) => `<${text}>`, stored);
  limits.listen((event) => reached.push(event));
  return { time, reached, limits, quota: limits.quota({ name: 'tries', max: 3, windowMs, ...rule }) };
};

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a key is blocked from the last event that its quota allows, to the end of its window', () => {
  const { quota, time, reached } = open();
  void quota.count('a');
  time.now += 10_000;
  void quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
  void quota.count('a');
  expect(quota.blockedMs('a')).toBe(50_000);
  expect(quota.blockedMs('b')).toBe(0);
  time.now += 49_999;
  expect(quota.blockedMs('a')).toBe(1);
  time.now += 1;
  expect(quota.blockedMs('a')).toBe(0);
  void quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
  expect(reached).toEqual([{ limit: 'tries', of: 'credentials', actor: 'a', blockedMs: 50_000 }]);
});

test('a block may be longer than the window', () => {
  const { quota, time } = open({ blockMs: 600_000 });
  for (let event = 0; event < 3; event++) void quota.count('a');
  time.now += 599_999;
  expect(quota.blockedMs('a')).toBe(1);
});

test('the events of different windows do not add up', () => {
  const { quota, time } = open();
  for (let event = 0; event < 10; event++) {
    void quota.count('a');
    time.now += windowMs / 2;
  }
  expect(quota.blockedMs('a')).toBe(0);
});

test('a member counts once in a window, whatever it is counted for', () => {
  const { quota } = open();
  for (const member of ['x', 'y', 'x', 'x', 'y']) void quota.count('a', { member });
  expect(quota.blockedMs('a')).toBe(0);
  void quota.count('b', { member: 'x' });
  void quota.count('a', { member: 'z' });
  expect([quota.blockedMs('a') > 0, quota.blockedMs('b')]).toEqual([true, 0]);
});

test('0 is unlimited', () => {
  const { quota } = open({ max: 0 });
  for (let event = 0; event < 100; event++) void quota.count('a');
  expect(quota.blockedMs('a')).toBe(0);
});

test('a clock that is set back neither ends nor lengthens a block, and forgets no event', () => {
  const { quota, time } = open();
  for (let event = 0; event < 3; event++) void quota.count('a');
  void quota.count('b');
  time.now -= 3_600_000;
  expect(quota.blockedMs('a')).toBe(windowMs);
  for (let event = 0; event < 2; event++) void quota.count('b');
  expect(quota.blockedMs('b')).toBe(windowMs);
  time.now += windowMs;
  expect([quota.blockedMs('a'), quota.blockedMs('b')]).toEqual([0, 0]);
});

test('keys beyond the maximum displace the key that was not counted for the longest time', () => {
  const { quota } = open({ keysMax: 100 });
  let strangers = 0;
  const countAmong = (key: string, others: number) => {
    void quota.count(key);
    for (let other = 0; other < others; other++) void quota.count(`stranger ${++strangers}`);
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
    const add: SharedCounts['add'] = async ({ rule, subject, member }) => {
      const isNew = member === undefined || !counts.has(`${rule.name}:members ${member}`);
      if (member !== undefined) counts.set(`${rule.name}:members ${member}`, 1);
      const count = (counts.get(`${rule.name} ${subject}`) ?? 0) + (isNew ? 1 : 0);
      counts.set(`${rule.name} ${subject}`, count);
      return { count, leftMs: 5_000 };
    };
    return { counts, add };
  };

  test('their events and members count together, under hashed keys', async () => {
    const shared = createShared();
    const processes = [open(), open()] as const;
    for (const { limits } of processes) limits.share(shared);
    const [first, second] = processes;
    for (const { quota } of processes) void quota.count('a', { member: 'x' });
    await settle();
    void second.quota.count('a', { member: 'y' });
    await settle();
    expect(second.quota.blockedMs('a')).toBe(0);
    void first.quota.count('a', { member: 'z' });
    await settle();
    expect(first.quota.blockedMs('a')).toBe(5_000);
    expect(second.quota.blockedMs('a')).toBe(0);
    void second.quota.count('a', { member: 'w' });
    await settle();
    expect(second.quota.blockedMs('a')).toBe(5_000);
    expect([...shared.counts.keys()]).toEqual(expect.arrayContaining(['tries <a>', 'tries:members <a x>']));
    expect([...shared.counts.keys()].every((key) => /^tries(:members)? <.*>$/.test(key))).toBe(true);
  });

  test('each process counts alone while the others cannot be asked', async () => {
    const { quota, limits } = open();
    limits.share({ add: async () => undefined });
    void quota.count('a', { member: 'x' });
    void quota.count('a');
    await settle();
    expect(quota.blockedMs('a')).toBe(0);
    void quota.count('a');
    expect(quota.blockedMs('a')).toBeGreaterThan(0);
  });
});

describe('with a store', () => {
  /** Remembers events, and tells what it is given. */
  const createStored = (changes: readonly StoredCount[] = []) => {
    const events: SharedEvent[] = [];
    const stored: StoredCounts = {
      isShared: false,
      async add(event) {
        events.push(event);
        return { count: events.length, leftMs: windowMs };
      },
      readChanges: async () => changes,
    };
    return { events, stored };
  };

  test('a process begins with what is stored, and blocks from the last event that the quota allows', async () => {
    const { stored } = createStored([
      { name: 'tries', subject: '<a>', count: 2, leftMs: 30_000 },
      { name: 'tries', subject: '<b>', count: 3, leftMs: 40_000 },
      { name: 'others', subject: '<c>', count: 3, leftMs: 40_000 },
    ]);
    const { quota, limits, reached, time } = open({}, stored);
    await limits.refresh();
    expect(['a', 'b', 'c'].map((key) => quota.blockedMs(key))).toEqual([0, 40_000, 0]);
    void quota.count('a');
    expect(quota.blockedMs('a')).toBe(30_000);
    expect(reached.map(({ actor }) => actor)).toEqual(['a']);
    time.now += 40_000;
    expect(['a', 'b'].map((key) => quota.blockedMs(key))).toEqual([0, 0]);
  });

  test('control: without it the first event is the first of all', async () => {
    const { quota } = open();
    void quota.count('a');
    expect(quota.blockedMs('a')).toBe(0);
  });

  test('a time that is too long, by a clock that was set, blocks no longer than the rule', async () => {
    const { stored } = createStored([{ name: 'tries', subject: '<a>', count: 3, leftMs: 86_400_000 }]);
    const { quota, limits } = open({}, stored);
    await limits.refresh();
    expect(quota.blockedMs('a')).toBe(windowMs);
  });

  test('strangers displace no block that is stored', async () => {
    const strangers = Array.from({ length: 200 }, (_, at) => ({
      ...{ name: 'tries', subject: `<stranger ${at}>`, count: 1, leftMs: windowMs },
    }));
    const { stored } = createStored([{ name: 'tries', subject: '<a>', count: 3, leftMs: windowMs }, ...strangers]);
    const { quota, limits } = open({ keysMax: 100 }, stored);
    await limits.refresh();
    expect(quota.blockedMs('a')).toBe(windowMs);
  });

  test('held events are stored together with the next one', async () => {
    const { events, stored } = createStored();
    const { quota } = open({ max: 10 }, stored);
    for (const member of ['x', 'y']) await quota.count('a', { member, heldMax: 2 });
    expect(events).toEqual([]);
    await quota.count('a', { member: 'z', heldMax: 2 });
    await quota.count('a', { member: 'w', heldMax: 2 });
    // The next ones are held again, up to the one that blocks the key.
    expect(events.map(({ member }) => member)).toEqual(['<a x>', '<a y>', '<a z>']);
    for (let event = 0; event < 6; event++) await quota.count('a', { member: `${event}`, heldMax: 2 });
    expect(events).toHaveLength(10);
    expect(quota.blockedMs('a')).toBeGreaterThan(0);
  });

  test('an event is stored before its count resolves, and a store that hangs delays nothing for long', async () => {
    const hanging = Promise.withResolvers<undefined>();
    const { stored } = createStored();
    let isStored = false;
    const slow: StoredCounts = {
      ...stored,
      add: async () => {
        await settle();
        isStored = true;
        return undefined;
      },
    };
    await open({}, slow).quota.count('a');
    expect(isStored).toBe(true);
    await open({}, { ...stored, add: () => hanging.promise }).quota.count('a');
  });

  test('counts are stored while Redis does not answer, and only then', async () => {
    const { events, stored } = createStored();
    const { quota, limits } = open({}, stored);
    let isUp = true;
    limits.share({ add: async () => (isUp ? { count: 1, leftMs: windowMs } : undefined) });
    await quota.count('a');
    expect(events).toEqual([]);
    isUp = false;
    await quota.count('a');
    expect(events.map(({ subject }) => subject)).toEqual(['<a>']);
  });
});
