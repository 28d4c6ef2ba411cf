/** The parts of a shadow: its queue, its shares, and the window that rolls a switch back. */
import { describe, expect, test } from '@jest/globals';
import { compileRules } from '../../src/forward/compare/rules.ts';
import { compareCopy } from '../../src/forward/shadow/compare-copy.ts';
import { CopyQueue } from '../../src/forward/shadow/copy-queue.ts';
import {
  addCounts,
  admit,
  countsOf,
  noCounts,
  type RollbackBound,
  type SwitchOutcome,
  settle,
  whyRollBack,
} from '../../src/forward/shadow/rollback.ts';
import { configuredShare, findShare, isWithin } from '../../src/forward/shadow/shares.ts';
import { type ChangeCounts, SwitchGuard } from '../../src/forward/shadow/switch-guard.ts';
import { desk } from '../support/shadowed.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the queue of copies', () => {
  test.each([
    { queueMax: 100, bytesMax: 1_000_000, accepted: 100 },
    { queueMax: 100_000, bytesMax: 1_000_000, accepted: 50 },
    // The control: without limits a shadow that hangs holds everything.
    { queueMax: 100_000, bytesMax: Number.POSITIVE_INFINITY, accepted: 10_000 },
  ])('holds $queueMax copies and $bytesMax bytes of a shadow that hangs', async ({ queueMax, bytesMax, accepted }) => {
    const bytes = queueMax === 100 ? 100 : 20_000;
    const queue = new CopyQueue<number>({ concurrency: 4, queueMax, bytesMax, send: () => new Promise(() => {}) });
    const taken = Array.from({ length: 10_000 }, (_, at) => queue.add(at, bytes)).filter(Boolean);
    expect(taken).toHaveLength(accepted);
    await turn();
    expect(queue.state).toEqual({ active: 4, waiting: accepted - 4, bytes: accepted * bytes });
  });

  test('sends nothing before the caller has returned, and so many at a time', async () => {
    const sent: (() => void)[] = [];
    const send = () => new Promise<void>((resolve) => sent.push(resolve));
    const queue = new CopyQueue<number>({ concurrency: 2, queueMax: 10, bytesMax: 100, send });
    for (let at = 0; at < 5; at += 1) expect(queue.add(at, 10)).toBe(true);
    expect(sent).toHaveLength(0);
    await turn();
    expect(sent).toHaveLength(2);
    sent[0]!();
    await turn();
    expect([sent.length, queue.state]).toEqual([3, { waiting: 2, active: 2, bytes: 40 }]);
    const closed = queue.close();
    for (const end of sent) end();
    await closed;
    expect([sent.length, queue.state]).toEqual([3, { waiting: 0, active: 0, bytes: 0 }]);
    expect(queue.add(9, 1)).toBe(false);
  });
});

describe('shares', () => {
  const shares = [
    { operation: '', caller: '', answered: 10 },
    { operation: 'A.read', caller: '', answered: 20, copied: 5 },
    { operation: '', caller: 'anna', answered: 30 },
    { operation: 'A.read', caller: 'anna', copied: 7 },
  ];
  test('the narrowest one counts, for each kind', () => {
    const find = (operation: string, caller: string) => [
      findShare(shares, 'answered', { operation, caller }),
      findShare(shares, 'copied', { operation, caller }),
    ];
    expect(find('A.write', 'bert')).toEqual([10, undefined]);
    expect(find('A.read', 'bert')).toEqual([20, 5]);
    expect(find('A.write', 'anna')).toEqual([30, undefined]);
    expect(find('A.read', 'anna')).toEqual([30, 7]);
  });
  test('of the configuration are those of its callers and operations', () => {
    const of = { operation: 'A.read', caller: 'anna' };
    expect(configuredShare({ percent: 10 }, of)).toBe(10);
    expect(configuredShare({ percent: 10, operations: ['A'] }, of)).toBe(10);
    expect(configuredShare({ percent: 10, operations: ['A.write'] }, of)).toBe(0);
    expect(configuredShare({ percent: 10, callers: ['bert'] }, of)).toBe(0);
  });
  test('hold the same texts in every process, and more of them when they are raised', () => {
    const texts = Array.from({ length: 20_000 }, (_, at) => `caller ${at}`);
    const within = (percent: number) => texts.filter((text) => isWithin(percent, text));
    expect([within(0), within(100).length]).toEqual([[], texts.length]);
    for (const percent of [1, 10, 50])
      expect(Math.abs(within(percent).length / texts.length - percent / 100)).toBeLessThan(0.012);
    const half = new Set(within(50));
    expect(within(10).every((text) => half.has(text))).toBe(true);
  });
});

describe('the counts of a switch', () => {
  const bound: RollbackBound = { errors: 10, differences: 50, requestsMin: 10, windowMs: 1_000 };
  const name = 'A.write';
  const why = (counts: ReturnType<typeof noCounts>) => whyRollBack(counts, bound);

  test('roll it back after five failures in a row, also of several operations', () => {
    const counts = noCounts();
    for (let at = 0; at < 4; at += 1) settle(counts, `A.write${at}`, 'failed', false);
    expect(why(counts)).toBeUndefined();
    settle(counts, name, 'answered', false);
    for (let at = 0; at < 4; at += 1) settle(counts, name, 'failed', false);
    expect(why(counts)).toBeUndefined();
    settle(counts, 'A.other', 'failed', false);
    expect(why(counts)).toBe('5 requests in a row failed or were refused');
  });

  test('let the old server answer after four refusals in a row, whatever was counted before, and roll back after one more', () => {
    for (const before of [0, 1_000]) {
      const counts = noCounts();
      const askUpstream = (of: { readonly currentAnswered?: number; readonly currentBad?: number }) => {
        const added = noCounts();
        for (const each of ['', name]) Object.assign(countsOf(added, each), of);
        addCounts(counts, added, 1, bound);
      };
      const refuse = () => {
        expect(admit(counts, name, 1)).toBe('admitted');
        settle(counts, name, 'refused', true);
      };
      askUpstream({ currentAnswered: before });
      for (let at = 0; at < 4; at += 1) refuse();
      // Those that were on the way say nothing more.
      for (let at = 0; at < 4; at += 1) settle(counts, name, 'refused', false);
      askUpstream({ currentAnswered: 19 });
      expect([admit(counts, name, 1), why(counts)]).toEqual(['over', undefined]);
      askUpstream({ currentAnswered: 1 });
      refuse();
      expect(why(counts)).toBe('5 requests in a row failed or were refused');
    }
  });

  test('do so for a share of failures, from a number of requests on, which a window of few requests waits for', () => {
    const counts = noCounts();
    addCounts(counts, noCounts(), 1, bound);
    for (let at = 0; at < 9; at += 1) settle(counts, name, at % 4 === 0 ? 'failed' : 'answered', false);
    expect(why(counts)).toBeUndefined();
    addCounts(counts, noCounts(), 5_000, bound);
    settle(counts, name, 'answered', false);
    expect(why(counts)).toBe('3 of 10 requests failed');
    addCounts(counts, noCounts(), 10_000, bound);
    expect(why(counts)).toBeUndefined();
  });

  test('do so for differences', () => {
    const counts = noCounts();
    Object.assign(countsOf(counts, name), { same: 5, differing: 5 });
    expect(why(counts)).toBeUndefined();
    countsOf(counts, name).differing += 1;
    expect(why(counts)).toBe('A.write: 6 of 11 answers differed');
  });

  /** Draws refusals by a fixed generator. Returns the number of requests at the shadow until the switch is rolled back. */
  const requestsUntilBack = (before: number, after: number): number | undefined => {
    const counts = noCounts();
    Object.assign(countsOf(counts, name), { currentAnswered: 1_000 * (1 - before), currentBad: 1_000 * before });
    let state = 1;
    const isRefused = (share: number): boolean => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647 < share;
    };
    for (let request = 1; request <= 5_000; ) {
      const added = noCounts();
      if (admit(counts, name, 1) === 'over') {
        const counter = isRefused(before) ? 'currentBad' : 'currentAnswered';
        for (const each of ['', name]) countsOf(added, each)[counter] += 1;
      } else {
        settle(counts, name, isRefused(after) ? 'refused' : 'answered', true);
        if (why(counts) !== undefined) return request;
        request += 1;
      }
      addCounts(counts, added, 1, bound);
    }
    return undefined;
  };

  test.each([0, 0.05, 0.3, 0.6, 0.95, 1])('leave it where both servers refuse a share of %d', (share) => {
    expect(requestsUntilBack(share, share)).toBeUndefined();
  });

  test.each([
    [0, 1, 5],
    [0.05, 1, 5],
    [0.3, 1, 12],
    [0.3, 0.7, 100],
  ])('roll it back where a share of %d is refused before, and one of %d after', (before, after, requestsMax) => {
    expect(requestsUntilBack(before, after)).toBeLessThanOrEqual(requestsMax);
  });
});

describe('a switch on a fresh store, with one request a minute', () => {
  const name = 'A.write';
  const bound: RollbackBound = { errors: 1, differences: 1, requestsMin: 20, windowMs: 60_000 };
  /**
   * Two gateways in turn send each request to the shadow, or to the old server if they must. Returns the events: `back` stands for the roll-back.
   */
  const run = async (requests: number, outcomeOf: (request: number) => SwitchOutcome, isRefusedBefore = 0) => {
    let now = 1_774_000_000_000;
    const counts = noCounts();
    const events: (SwitchOutcome | 'old' | 'back')[] = [];
    const change: ChangeCounts = async (apply) => ({ result: apply(counts), counts: structuredClone(counts) });
    const guards = [0, 1].map(() => new SwitchGuard(bound, { now: () => now }, change, () => events.push('back')));
    for (let request = 0; request < requests && events.at(-1) !== 'back'; request += 1) {
      now += 60_000;
      const guard = guards[request % 2]!;
      const admission = await guard.admit(name);
      if (admission === 'denied') {
        events.push('old');
        guard.count(name, request % 100 < isRefusedBefore ? 'currentBad' : 'currentAnswered');
        await guard.flush();
      } else {
        events.push(outcomeOf(request));
        await guard.settle(name, outcomeOf(request), admission);
      }
    }
    return events;
  };

  test('is rolled back with the fifth failure', async () => {
    expect(await run(30, () => 'failed')).toEqual([...Array(5).fill('failed'), 'back']);
  });
  test('costs five callers where the new server refuses everything: the old one answers the others', async () => {
    expect(await run(60, () => 'refused')).toEqual([
      ...[...Array(4).fill('refused'), ...Array(20).fill('old')],
      ...['refused', 'back'],
    ]);
  });
  test.each([5, 30, 60, 95])('stays where both refuse %d of 100, in whatever order', async (share) => {
    let state = 7;
    const draw = (): SwitchOutcome => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647 < share / 100 ? 'refused' : 'answered';
    };
    const outcomes = [...Array<SwitchOutcome>(5).fill('refused'), ...Array.from({ length: 3_000 }, draw)];
    const events = await run(3_000, (request) => outcomes[request]!, share);
    expect(events).not.toContain('back');
    expect(events.filter((each) => each === 'old').length).toBeLessThan(100);
  });
});

describe('members that the contract lacks', () => {
  const operation = desk.operations.get('getEntry')!;
  const pathsOf = (own: readonly string[], copied: readonly string[]) =>
    compareCopy(
      operation,
      { output: {}, extras: own },
      { output: {}, extras: copied },
      compileRules({})(operation.name),
      undefined,
    ).map(({ kind, path }) => `${kind} ${path}`);
  const under = (parent: string, count: number) => Array.from({ length: count }, (_, at) => `${parent}member-${at}`);

  test('differ by their places', () => {
    expect(pathsOf(['rows.0.more', 'rows.1.more'], ['rows.0.more', 'rows.1.more'])).toEqual([]);
    expect(pathsOf(['rows.0.more', 'rows.1.more'], under('', 7))).toEqual([
      'missing rows[].more',
      ...under('', 7).map((name) => `added ${name}`),
    ]);
  });
  test('are the keys of a map where one object has many', () => {
    expect(pathsOf([], under('', 700_000))).toEqual(['added *']);
    expect(pathsOf([], [...under('rows.0.entries.', 20), 'other'])).toEqual(['added rows[].entries.*', 'added other']);
    expect(pathsOf(under('', 20), under('', 21))).toEqual(['added *']);
  });
  test('are a hundred kinds at most', () => {
    expect(
      pathsOf(
        [],
        under('', 10_000).map((name) => `${name}.more`),
      ),
    ).toHaveLength(100);
  });
});
