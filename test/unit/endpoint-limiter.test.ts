/** The places for deliveries: shares of endpoints, slow ones beside quick ones, and the circuit breaker. In virtual time. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { monotonicClock } from '../../src/core/lib/clock.ts';
import { type Deferred, EndpointLimiter, type Place } from '../../src/stores/jobs/webhooks/endpoint-limiter.ts';

const options = {
  clock: monotonicClock,
  quickMax: 64,
  slowMax: 128,
  endpointMax: 8,
  quickMs: 100,
  deliveryMsMax: 10_000,
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** A process that counts the deliveries that hold a place of quick ones. */
const openProcess = (given: Partial<typeof options> = {}) => {
  const limiter = new EndpointLimiter({ ...options, ...given });
  let held = 0;
  let heldMost = 0;
  let running = 0;
  /** A delivery that takes so long, or for ever. Resolves to what became of it. */
  const deliver = async (endpointId: string, ms?: number, failure?: string): Promise<'sent' | Deferred> => {
    let isAside = false;
    held += 1;
    heldMost = Math.max(heldMost, held);
    const release = (): void => {
      if (!isAside) held -= 1;
      isAside = true;
    };
    const entered = await limiter.enter(endpointId, release);
    if (!('leave' in entered)) {
      release();
      return entered;
    }
    running += 1;
    await new Promise((resolve) => {
      if (ms !== undefined) setTimeout(resolve, ms);
    });
    running -= 1;
    entered.leave(failure);
    release();
    return 'sent';
  };
  return {
    limiter,
    deliver,
    get held() {
      return held;
    },
    get heldMost() {
      return heldMost;
    },
    get running() {
      return running;
    },
  };
};

/** Becomes known as quick. */
const warmUp = async ({ deliver }: ReturnType<typeof openProcess>, endpointId: string, times = 10): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    const done = deliver(endpointId, 10);
    await pass(10);
    expect(await done).toBe('sent');
  }
};

const enterNow = async (limiter: EndpointLimiter, endpointId = 'a'): Promise<Place> => {
  const entered = await limiter.enter(endpointId, () => {});
  if (!('leave' in entered)) throw new Error(`put off: ${entered.because}`);
  return entered;
};

describe('a quick endpoint', () => {
  test('delivers a burst, eight at the same time at most, without putting any off for long', async () => {
    const process = openProcess();
    const done: unknown[] = [];
    for (let event = 0; event < 32; event += 1) void process.deliver('a', 20).then((result) => done.push(result));
    let most = 0;
    for (let ms = 0; ms < 200; ms += 5) {
      await pass(5);
      most = Math.max(most, process.running);
    }
    expect(done).toEqual(Array(32).fill('sent'));
    expect(most).toBe(8);
  });

  test('puts off what is more than its share, each delivery a little later', async () => {
    const process = openProcess();
    const results = Array.from({ length: 32 }, () => process.deliver('a', 20));
    // Nothing is known of the endpoint: its backlog stays where it is.
    expect(await process.deliver('a')).toMatchObject({ afterMs: options.quickMs, spacingMs: undefined });
    await pass(25);
    const deferred: Deferred[] = [];
    for (let event = 0; event < 40; event += 1) {
      const result = process.deliver('a', 20);
      results.push(result);
      const outcome = await Promise.race([result, pass(0)]);
      if (typeof outcome === 'object') deferred.push(outcome);
    }
    const times = deferred.map(({ afterMs }) => afterMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(times).size).toBe(times.length);
    expect(times.length).toBeGreaterThan(30);
    expect(times.at(-1)).toBeLessThan(1_000);
    await pass(300);
    expect((await Promise.all(results)).filter((result) => result === 'sent')).toHaveLength(72 - times.length);
  });
});

describe.each([1, 5, 20])('%d endpoints that never answer', (hostile) => {
  const names = Array.from({ length: hostile }, (_, at) => `hostile ${at}`);

  test('hold no place of quick endpoints once they are known, and leave each of their own kind a share', async () => {
    const process = openProcess();
    for (let event = 0; event < 30; event += 1) for (const name of names) void process.deliver(name);
    await pass(100);
    expect(process.held).toBe(0);
    for (let round = 0; round < 20; round += 1) {
      for (const name of names) for (let event = 0; event < 10; event += 1) void process.deliver(name);
      await pass(50);
      expect(process.held).toBe(0);
    }
    expect(process.running).toBeGreaterThanOrEqual(hostile);
    expect(process.running).toBeLessThanOrEqual(Math.min(8 * hostile, options.slowMax));
    // A further slow endpoint gets places at once.
    const slow = process.deliver('slow', 300);
    await pass(300);
    expect(await slow).toBe('sent');
    const again = process.deliver('slow', 300);
    await pass(300);
    expect(await again).toBe('sent');
  });

  test('delay a good endpoint by nothing, also while they are new', async () => {
    const process = openProcess();
    await warmUp(process, 'good');
    for (const name of names) for (let event = 0; event < 3; event += 1) void process.deliver(name);
    expect(process.heldMost).toBeLessThanOrEqual(options.quickMax);
    for (let event = 0; event < 50; event += 1) {
      const done = process.deliver('good', 10);
      await pass(10);
      expect(await done).toBe('sent');
    }
  });

  test('control: with one kind of places and no shares they hold all of them', async () => {
    const process = openProcess({ quickMs: Number.MAX_SAFE_INTEGER >>> 1 });
    for (const name of names) {
      await warmUp(process, name);
      for (let event = 0; event < 32; event += 1) void process.deliver(name);
    }
    await pass(5_000);
    expect(process.held).toBeGreaterThanOrEqual(Math.min(64, 32 * hostile));
  });
});

test('an endpoint that turns slow gives up its places, and those that wait for one are put off', async () => {
  const process = openProcess();
  await warmUp(process, 'a');
  const results = Array.from({ length: 20 }, () => process.deliver('a'));
  await pass(99);
  expect(process.held).toBe(20);
  await pass(1);
  expect(process.held).toBe(0);
  expect(process.running).toBe(8);
  expect(await Promise.all(results.slice(8))).toEqual(
    Array(12).fill(expect.objectContaining({ isDown: false, because: 'it is at others' })),
  );
});

test('an endpoint that was slow is quick after eight quick answers in a row', async () => {
  const process = openProcess();
  const slow = process.deliver('a', 150);
  await pass(150);
  await slow;
  const isAside = async (): Promise<boolean> => {
    const before = process.held;
    const done = process.deliver('a', 10);
    await pass(1);
    const stepped = process.held === before;
    await pass(9);
    await done;
    return stepped;
  };
  const seen: boolean[] = [];
  for (let event = 0; event < 10; event += 1) seen.push(await isAside());
  expect(seen).toEqual([...Array(8).fill(true), false, false]);
});

test('slow deliveries have no more places than there are', async () => {
  const process = openProcess({ slowMax: 16 });
  for (let name = 0; name < 40; name += 1) void process.deliver(`hostile ${name}`);
  await pass(100);
  expect(process.running - process.held).toBe(16);
  for (let round = 0; round < 10; round += 1) {
    for (let name = 0; name < 40; name += 1) void process.deliver(`hostile ${name}`);
    await pass(100);
  }
  expect(process.running - process.held).toBe(16);
});

test('what is put off comes back at the pace of the endpoint, after a minute at most', async () => {
  const process = openProcess();
  for (let event = 0; event < 32; event += 1) void process.deliver('a', 4_000);
  await pass(4_000);
  for (let event = 0; event < 8; event += 1) void process.deliver('a', 4_000);
  const deferred: Deferred[] = [];
  for (let event = 0; event < 400; event += 1) deferred.push((await process.deliver('a')) as Deferred);
  // Eight at a time, four seconds each, and a little less.
  expect(deferred[0]?.spacingMs).toBeCloseTo(450, -1);
  const [first, second] = deferred;
  expect(second!.afterMs - first!.afterMs).toBeCloseTo(450, -1);
  expect(deferred.at(-1)?.afterMs).toBe(60_000);
});

describe('the circuit', () => {
  test('opens after five failures in a row, lets one probe through, and closes after a success', async () => {
    const { limiter } = openProcess();
    const fail = async () => (await enterNow(limiter)).leave('it answered 500');
    for (let n = 0; n < 4; n += 1) await fail();
    (await enterNow(limiter)).leave();
    for (let n = 0; n < 5; n += 1) await fail();
    const deferred = (await limiter.enter('a', () => {})) as Deferred;
    expect(deferred).toMatchObject({ because: 'it answered 500', isDown: true });
    (await enterNow(limiter, 'b')).leave();
    await pass(deferred.afterMs + 5);
    const probe = await enterNow(limiter);
    const duringProbe = (await limiter.enter('a', () => {})) as Deferred;
    expect(duringProbe.isDown).toBe(true);
    // The rest of the time that the probe may take.
    expect(duringProbe.afterMs).toBeGreaterThan(0);
    expect(duringProbe.afterMs).toBeLessThanOrEqual(options.deliveryMsMax);
    probe.leave();
    const places = [await enterNow(limiter), await enterNow(limiter)];
    for (const place of places) place.leave();
  });

  test('counts deliveries that fail together as one more failure, and stays open longer each time', async () => {
    const { limiter } = openProcess();
    for (let n = 0; n < 8; n += 1) (await enterNow(limiter)).leave();
    const places = await Promise.all(Array.from({ length: 2 }, () => enterNow(limiter)));
    for (const place of places) place.leave('it answered 500');
    for (let n = 0; n < 3; n += 1) (await enterNow(limiter)).leave('it answered 500');
    const first = (await limiter.enter('a', () => {})) as Deferred;
    expect(first.afterMs).toBeLessThanOrEqual(1_000);
    await pass(first.afterMs + 5);
    (await enterNow(limiter)).leave('it answered 500');
    const second = (await limiter.enter('a', () => {})) as Deferred;
    expect(second.afterMs).toBeGreaterThan(900);
    expect(second.afterMs).toBeLessThanOrEqual(2_000);
  });

  test('puts off those that wait for a place when it opens', async () => {
    const { limiter } = openProcess({ endpointMax: 2 });
    for (let n = 0; n < 4; n += 1) (await enterNow(limiter)).leave('it answered 500');
    const running = [await enterNow(limiter), await enterNow(limiter)];
    const waiting = [limiter.enter('a', () => {}), limiter.enter('a', () => {}), limiter.enter('a', () => {})];
    running[0]!.leave('it answered 500');
    const deferred = (await Promise.all(waiting)) as readonly Deferred[];
    expect(deferred.map(({ isDown }) => isDown)).toEqual([true, true, true]);
  });
});
