/** The parts of a shadow: its queue, its shares, and the window that rolls a switch back. */
import { describe, expect, test } from '@jest/globals';
import { compileRules } from '../../src/compare/rules.ts';
import { maskSensitive } from '../../src/contract/redaction.ts';
import type { RemoteHandler } from '../../src/idempotency/ports.ts';
import { CopyQueue } from '../../src/upstream/shadow/copy-queue.ts';
import { RollbackWindow } from '../../src/upstream/shadow/rollback.ts';
import { type ComparedCopy, Shadow } from '../../src/upstream/shadow/shadow.ts';
import { configuredShare, findShare, isWithin } from '../../src/upstream/shadow/shares.ts';
import { desk } from '../support/shadowed.ts';
import { until } from '../support/until.ts';

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

test('a window counts failures and differences apart, from a number of them on, and begins anew', () => {
  let now = 0;
  const bound = { errors: 10, differences: 50, requestsMin: 10, windowMs: 1_000 };
  const window = new RollbackWindow(bound, { now: () => now });
  for (let at = 0; at < 9; at += 1) expect(window.add('failed')).toBeUndefined();
  expect(window.add('answered')).toBe('9 of 10 requests failed');
  now = 1_000;
  for (let at = 0; at < 9; at += 1) expect(window.add('answered')).toBeUndefined();
  expect(window.add('failed')).toBeUndefined();
  for (let at = 0; at < 10; at += 1) expect(window.add(at % 2 === 0 ? 'same' : 'differing')).toBeUndefined();
  expect(window.add('differing')).toBe('6 of 11 answers differed');
  window.reset();
  expect(window.add('differing')).toBeUndefined();
});

/** Compares an answer with that of a shadow which adds so many members. Returns the members that were counted as differences. */
async function countAdded(added: number): Promise<number> {
  const operation = desk.operations.get('getEntry')!;
  const handlerOf = (names: readonly string[]): RemoteHandler<unknown> => ({
    ...{ kind: 'remote', upstream: 'erp', deduplicates: false, msMax: 1 },
    forward: async () => ({ output: {}, extras: { members: names.map((name) => ({ name, value: '1' })) } }),
  });
  const same = ['rows.0.more', 'rows.1.more'];
  const current = handlerOf(same);
  const shadow = handlerOf([...same, ...Array.from({ length: added }, (_, at) => `member-${at}`)]);
  let compared: ComparedCopy | undefined;
  const shadowed = new Shadow(
    {
      ...{
        percent: 100,
        spread: 'caller',
        copiesWrites: false,
        mayAnswer: false,
        getsCredentials: false,
        getsSecrets: true,
      },
      ...{ pairsIds: false, concurrency: 1, queueMax: 1, bytesMax: 10 },
      rollback: { errors: 1, differences: 1, requestsMin: 20, windowMs: 1_000 },
    },
    {
      ...{ clock: Date, mask: maskSensitive, rulesOf: compileRules({}), shares: () => [], copyTo: () => shadow },
      report(event) {
        if (event.kind === 'compared') compared = event;
        return false;
      },
      rollBack: () => {},
    },
  );
  const headers = {};
  await shadowed.handler(operation, current, shadow).forward(
    {
      ...{ service: desk, operation, input: { number: 'A-1' }, requestReference: 'R', head: { headers } },
      caller: { credential: 'c', tenant: 'T', requiresKey: false, rights: 'upstream' },
    },
    undefined,
    undefined,
  );
  shadowed.answered(headers, 1);
  await until('the copy', () => compared !== undefined);
  return compared!.differences.length;
}

test('a shadow cannot make up more differences of an answer than callers may wait for', async () => {
  expect(await countAdded(700_000)).toBe(1_000);
});

test('control: fewer are counted, each once', async () => {
  expect(await countAdded(7)).toBe(7);
});
