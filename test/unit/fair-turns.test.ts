/** Tests the turns of callers: who waits, in which order requests start, and who is refused. */
import { describe, expect, test } from '@jest/globals';
import { FairTurns, type FairTurnsOptions } from '../../src/access/limits/fair-turns.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Slot } from '../../src/core/gateway/turns.ts';

/** A clock that only the work of requests moves. */
function open(options: Partial<FairTurnsOptions> = {}) {
  const clock = { ms: 1_000 };
  const refused: string[] = [];
  const turns = new FairTurns({
    perCallerMax: 0,
    waitMsMax: 0,
    onRefused: (kind) => refused.push(kind),
    now: () => clock.ms,
    ...options,
  });
  return { clock, refused, turns };
}

const endOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/** A request that works for so long without waiting for anything; `started` gets its name when its turn comes. */
async function request(
  { turns, clock }: { readonly turns: Pick<FairTurns, 'admit'>; readonly clock: { ms: number } },
  caller: string,
  name: string,
  started: string[],
  workMs = 1,
): Promise<void> {
  const slot = turns.admit(caller);
  const turn = slot.acquire();
  if (turn !== undefined) await turn;
  started.push(name);
  // Further promises, as those of a handler.
  await Promise.resolve();
  clock.ms += workMs;
  slot.release();
}

/** All arrive in one turn of the event loop, each in a callback of its own. */
async function all(caller: string, count: number, made: Parameters<typeof request>[0], started: string[]) {
  const arrive = (at: number) =>
    new Promise<void>((resolve) => {
      setImmediate(() => resolve(request(made, caller, `${caller}${at}`, started)));
    });
  await Promise.all(Array.from({ length: count }, (_, at) => arrive(at)));
}

describe('one caller alone', () => {
  test('does not wait while a turn of the loop is short', async () => {
    const made = open();
    const started: string[] = [];
    const running = all('a', 200, { ...made, clock: { ms: 0 } }, started);
    await endOfLoop();
    expect(made.turns.waiting).toBe(0);
    await running;
    expect(started).toHaveLength(200);
  });

  test('starts in its own order', async () => {
    const made = open();
    const started: string[] = [];
    await all('a', 50, made, started);
    expect(started).toEqual(Array.from({ length: 50 }, (_, at) => `a${at}`));
  });
});

describe('a caller beside one with a hundred requests', () => {
  /** Returns how many requests of the other caller had started when that of this one did. */
  async function startedBefore(turnsOf: (made: ReturnType<typeof open>) => Pick<FairTurns, 'admit'>): Promise<number> {
    const made = open();
    const started: string[] = [];
    // The callers are known, as they are after a moment.
    const run = { turns: turnsOf(made), clock: made.clock };
    await Promise.all([request(run, 'neighbour', 'first', []), request(run, 'flood', 'first', [])]);
    await endOfLoop();
    const flood = all('flood', 100, run, started);
    await endOfLoop();
    await request(run, 'neighbour', 'neighbour', started);
    await flood;
    expect(started).toHaveLength(101);
    return started.indexOf('neighbour');
  }

  test('starts after a few of these', async () => {
    expect(await startedBefore(({ turns }) => turns)).toBeLessThanOrEqual(6);
  });

  test('control: without turns it starts after all of them', async () => {
    const none: Pick<FairTurns, 'admit'> = { admit: () => ({ acquire: () => undefined, release: () => {} }) };
    expect(await startedBefore(() => none)).toBe(100);
  });
});

test('callers with as many requests start in turns', async () => {
  const made = open();
  const started: string[] = [];
  await Promise.all(['a', 'b', 'c'].map((caller) => request(made, caller, caller, [])));
  await endOfLoop();
  await Promise.all(['a', 'b', 'c'].map((caller) => all(caller, 10, made, started)));
  // The first of each start at once, and the last ones are those of the caller that arrived last.
  const middle = started.slice(9, 21).map((name) => name[0]);
  for (const caller of ['a', 'b', 'c'])
    expect(middle.filter((each) => each === caller).length).toBeGreaterThanOrEqual(3);
});

test('all that wait are started, though each turn of the loop starts a few', async () => {
  const made = open();
  const started: string[] = [];
  await Promise.all(Array.from({ length: 30 }, (_, at) => all(`caller${at} `, 30, made, started)));
  expect(new Set(started).size).toBe(900);
  expect(made.turns.waiting).toBe(0);
});

describe('refusals', () => {
  const kindOf = (run: () => unknown) => {
    try {
      run();
    } catch (thrown) {
      return thrown instanceof Problem ? thrown.kind.name : thrown;
    }
    return undefined;
  };

  test('a caller has so many requests at the same time, and others are not concerned', () => {
    const { turns, refused } = open({ perCallerMax: 2 });
    const first = turns.admit('a');
    turns.admit('a');
    expect(kindOf(() => turns.admit('a'))).toBe('tooManyRequests');
    expect(kindOf(() => turns.admit('b'))).toBeUndefined();
    first.release();
    expect(kindOf(() => turns.admit('a'))).toBeUndefined();
    expect(refused).toEqual(['atOnce']);
  });

  describe('a caller that was refused', () => {
    /** Returns how many requests are admitted, to a caller with none, in the second after a refusal or `ms` later. */
    function admittedAfterRefusal(utilization: number, ms = 0): number {
      const { turns, clock } = open({ perCallerMax: 100, utilization: () => utilization });
      // The work of the thread is measured every second.
      clock.ms += 1;
      const admitAll = () => {
        const slots: Slot[] = [];
        while (kindOf(() => slots.push(turns.admit('a'))) === undefined);
        return slots;
      };
      const first = admitAll();
      expect(first).toHaveLength(100);
      for (const slot of first) slot.release();
      clock.ms += ms;
      return admitAll().length;
    }

    test('has fewer requests at the same time while the thread is busy, for a second', () => {
      expect(admittedAfterRefusal(0.95)).toBe(64);
      expect(admittedAfterRefusal(0.95, 1_000)).toBe(100);
    });

    test('has as many as before where the thread waits for others', () => {
      expect(admittedAfterRefusal(0.5)).toBe(100);
    });
  });

  test('where its first request has waited for too long, further ones of the caller are refused, and those of others are not', async () => {
    const made = open({ waitMsMax: 100 });
    const { turns, clock, refused } = made;
    const started: string[] = [];
    const running = all('a', 80, made, started);
    await endOfLoop();
    expect(turns.waiting).toBeGreaterThanOrEqual(32);
    clock.ms += 100;
    expect(kindOf(() => turns.admit('a').release())).toBeUndefined();
    clock.ms += 1;
    expect(kindOf(() => turns.admit('a'))).toBe('overloaded');
    expect(kindOf(() => turns.admit('b').release())).toBeUndefined();
    expect(refused).toEqual(['waiting']);
    // What was accepted is served.
    await running;
    expect(started).toHaveLength(80);
    expect(kindOf(() => turns.admit('a').release())).toBeUndefined();
  });

  test('a few that have waited for long are no reason to refuse: the machine gave the process no time', async () => {
    const made = open({ waitMsMax: 100 });
    const { turns, clock, refused } = made;
    const running = all('a', 30, made, []);
    await endOfLoop();
    expect(turns.waiting).toBeGreaterThan(0);
    clock.ms += 1_000;
    expect(kindOf(() => turns.admit('a').release())).toBeUndefined();
    expect(refused).toEqual([]);
    await running;
  });

  test('control: without a limit no request is refused', () => {
    const { turns } = open();
    for (let at = 0; at < 5_000; at += 1) turns.admit('a');
    expect(turns.waiting).toBe(0);
  });
});
