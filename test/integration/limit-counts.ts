/** Counts of quotas and locks on every engine: they outlive a process, are shared by processes, end with their time, and are bounded. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLimitCounts, type LimitCounts } from '../../src/access/limits/limit-counts.ts';
import { createLimits, type Limits } from '../../src/access/limits/limits.ts';
import { LoginLimits } from '../../src/access/limits/login-limits.ts';
import type { Quota } from '../../src/access/limits/quota.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import type { EngineFactory } from './store.ts';

const hourMs = 3_600_000;
const rule = { name: 'tries', max: 10, windowMs: hourMs, blockMs: 2 * hourMs };

const listSums = statement<{ readonly subject: string; readonly events: number }>(
  'test-list-limit-sums',
  `select subject, events from limit_count where member = '' order by subject`,
);
const countRows = statement<{ readonly found: number }>(
  'test-count-limits',
  'select count(*) as found from limit_count',
);
const forget = statement('test-forget-limits', 'delete from limit_count');
const setBack = statement(
  'test-set-limits-back',
  'update limit_count set ends_at = ends_at - $1, counted_at = counted_at - $1',
);

/** A process with its own memory. */
interface Process {
  readonly limits: Limits;
  readonly counts: LimitCounts;
  readonly quota: Quota;
  /** Its monotonic clock, which begins anywhere. */
  readonly time: { now: number };
}

export function describeLimitCounts({ open, dispose }: EngineFactory): void {
  describe('counts of limits', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
    });
    afterEach(() => dispose(engine));

    const additions: Promise<unknown>[] = [];
    /** A process does not wait long for the store, which counts the event nevertheless: also after the end of a test. */
    const allCounted = async () => {
      await Promise.all(additions);
      // The process learns the sums in the same turn.
      await setImmediate();
    };

    const start = async (options: { readonly rowsMax?: number; readonly max?: number } = {}): Promise<Process> => {
      const time = { now: Math.floor(Math.random() * 1_000_000) };
      const clock = { now: () => time.now };
      const stored = createLimitCounts(engine, { clock, ...options });
      const add: LimitCounts['add'] = (event) => {
        const addition = stored.add(event);
        additions.push(addition);
        return addition;
      };
      const counts = { ...stored, add };
      const limits = createLimits(clock, (text) => `<${text}>`, counts);
      const quota = limits.quota({ ...rule, max: options.max ?? rule.max });
      await limits.refresh();
      return { limits, counts, quota, time };
    };
    const guess = async ({ quota }: Process, key: string, ...members: readonly (number | string)[]) => {
      for (const member of members) await quota.count(key, { member: String(member) });
      await allCounted();
    };
    const execute = (change: typeof forget, ...parameters: readonly number[]) =>
      engine.write((session) => session.execute(change, parameters));
    const rowCount = async () => (await engine.read((session) => session.query(countRows, [])))[0]!.found;

    test('a process that is killed after each event forgets none', async () => {
      for (let event = 1; event <= 9; event += 1) {
        const killed = await start();
        await guess(killed, 'a', event);
        expect(killed.quota.blockedMs('a')).toBe(0);
      }
      const tenth = await start();
      await guess(tenth, 'a', 10);
      expect(tenth.quota.blockedMs('a')).toBe(rule.blockMs);
      const next = await start();
      expect(next.quota.blockedMs('a')).toBeGreaterThan(rule.blockMs - 60_000);
      expect(next.quota.blockedMs('b')).toBe(0);
    });

    test('control: without the rows no key is ever blocked', async () => {
      for (let event = 1; event <= 20; event += 1) {
        const killed = await start();
        await guess(killed, 'a', event);
        expect(killed.quota.blockedMs('a')).toBe(0);
        await execute(forget);
      }
    });

    test('a member counts once, also after a restart', async () => {
      for (let restart = 0; restart < 15; restart += 1) await guess(await start(), 'a', 'the same');
      const rows = await engine.read((session) => session.query(listSums, []));
      expect(rows).toEqual([{ subject: '<a>', events: 1 }]);
    });

    test('two processes count together: by the next event of each, and without one by the next refresh', async () => {
      const [one, other] = [await start(), await start()];
      await guess(one, 'a', 1, 2, 3, 4, 5);
      await guess(other, 'a', 5, 6, 7, 8, 9);
      expect([one, other].map(({ quota }) => quota.blockedMs('a'))).toEqual([0, 0]);
      await guess(other, 'a', 10);
      expect(other.quota.blockedMs('a')).toBe(rule.blockMs);
      expect(one.quota.blockedMs('a')).toBe(0);
      await one.limits.refresh();
      expect(one.quota.blockedMs('a')).toBeGreaterThan(rule.blockMs - 60_000);
    });

    test('processes that count at the same moment lose no event', async () => {
      const processes = await Promise.all(Array.from({ length: 4 }, () => start({ max: 1_000 })));
      await Promise.all(
        processes.flatMap((process, at) =>
          Array.from({ length: 20 }, (_, event) => guess(process, `key ${event % 3}`, `${at} ${event}`)),
        ),
      );
      const sums = await engine.read((session) => session.query(listSums, []));
      expect(sums.map(({ events }) => Number(events))).toEqual([28, 28, 24]);
    });

    test('a block ends with its time, and counting begins again', async () => {
      const process = await start();
      await guess(process, 'a', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
      process.time.now += rule.blockMs;
      expect(process.quota.blockedMs('a')).toBe(0);
      await guess(process, 'a', 11);
      expect(process.quota.blockedMs('a')).toBe(0);
      expect(await engine.read((session) => session.query(listSums, []))).toEqual([{ subject: '<a>', events: 1 }]);
    });

    test('a process whose clock is earlier than the last event frees nothing, and blocks no longer than the rule', async () => {
      await guess(await start(), 'a', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
      await guess(await start(), 'b', 1, 2, 3, 4, 5);
      // As if all of it had happened a day later: the clock is a day behind now.
      await execute(setBack, -24 * hourMs);
      const process = await start();
      expect(process.quota.blockedMs('a')).toBeGreaterThan(rule.blockMs - 60_000);
      expect(process.quota.blockedMs('a')).toBeLessThanOrEqual(rule.blockMs);
      await guess(process, 'b', 6, 7, 8, 9, 10);
      expect(process.quota.blockedMs('b')).toBe(rule.blockMs);
      process.time.now += rule.blockMs;
      expect([process.quota.blockedMs('a'), process.quota.blockedMs('b')]).toEqual([0, 0]);
      // The clock is right again, a day later. What was counted meanwhile is as old as it is.
      await execute(setBack, 24 * hourMs - hourMs / 2);
      expect((await start()).quota.blockedMs('b')).toBeGreaterThan(0);
    });

    test('what is over is deleted, and the rest stays', async () => {
      const process = await start();
      await guess(process, 'old', 1, 2, 3);
      await execute(setBack, 3 * hourMs);
      await guess(await start(), 'new', 1, 2);
      expect(await rowCount()).toBe(7);
      await process.counts.deleteExpired();
      expect(await engine.read((session) => session.query(listSums, []))).toEqual([{ subject: '<new>', events: 2 }]);
      expect(await rowCount()).toBe(3);
    });

    test('random names do not fill the store, and displace no name that is guessed', async () => {
      const rowsMax = 400;
      const process = await start({ rowsMax });
      await guess(process, 'guessed', 1, 2, 3, 4, 5, 6, 7, 8);
      let most = 0;
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(Array.from({ length: 50 }, (_, at) => guess(process, `stranger ${round} ${at}`, 'a secret')));
        most = Math.max(most, await rowCount());
      }
      // The rows are counted after each 200 new ones.
      expect(most).toBeLessThanOrEqual(rowsMax + 200 + 128);
      await guess(await start(), 'guessed', 9);
      const next = await start();
      await guess(next, 'guessed', 10);
      expect(next.quota.blockedMs('guessed')).toBe(rule.blockMs);
    });

    test('log-ins: the lock and the secrets that were accepted before it are known after a restart', async () => {
      const settings = {
        loginFailuresMax: 3,
        loginFailuresPerAddressMax: 100,
        loginFailuresPerNameMax: 100,
        loginLockMs: 1_800_000,
      };
      const restart = async (): Promise<LoginLimits> => {
        const { limits } = await start();
        const logins = new LoginLimits(settings, limits);
        await limits.refresh();
        return logins;
      };
      const address = '192.0.2.1';
      const before = await restart();
      before.accepted({ name: 'ws', secret: 'right', address });
      before.accepted({ name: 'other', secret: 'right', address: '192.0.2.2' });
      for (const secret of ['a', 'b', 'c']) await before.countFailure({ name: 'ws', secret, address });
      await allCounted();
      const after = await restart();
      expect(after.lockedMs({ name: 'ws', secret: 'd', address })).toBeGreaterThan(0);
      expect(after.lockedMs({ name: 'ws', secret: 'right', address })).toBe(0);
      expect(after.lockedMs({ name: 'ws', secret: 'd', address: '192.0.2.2' })).toBe(0);
      const rows = await engine.read((session) => session.query(listSums, []));
      // One for the name, one for the address, one for both, and one secret that was accepted there.
      expect(rows).toHaveLength(4);
    });
  });
}
