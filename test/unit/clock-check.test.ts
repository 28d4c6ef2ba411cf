/** A clock that is days away from the last time of a server is found at the start, and one that jumps while a server runs. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClockCheck, pauseAfterJumps } from '../../src/backend/clock-check.ts';
import type { ObservedState } from '../../src/http/metrics/gauges.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { openMigratedMemory } from '../support/migrated.ts';

const day = 24 * 60 * 60 * 1_000;
const start = Date.UTC(2026, 0, 15);
const daysMax = 7;

let machine: number;
let database: number;
let monotonic: number;
let engine: Engine;
beforeEach(async () => {
  machine = start;
  database = start;
  monotonic = 5;
  const embedded = await openMigratedMemory(() => database);
  // Of a database with a clock of its own.
  engine = {
    dialect: 'postgres',
    read: (work) => embedded.read(work),
    write: (work, options) => embedded.write(work, options),
    close: () => embedded.close(),
  };
});

const pass = (ms: number): void => {
  machine += ms;
  database += ms;
  monotonic += ms;
};
/** Of a new process. */
const check = (days = daysMax) =>
  createClockCheck({
    engine,
    clock: { now: () => machine },
    daysMax: days,
    place: './data',
    monotonic: { now: () => monotonic },
  });

describe('at the start', () => {
  test('a store without a recorded time accepts every clock', async () => {
    machine += 4_000 * day;
    expect(await check().findFault()).toBeUndefined();
    await check().start(false);
  });

  test.each([8, -8, 400, -20_000])(
    'a clock that is off by %i days is refused, with both times and the cure',
    async (days) => {
      await check().start(false);
      machine += days * day;
      database += days * day;
      const fault = await check().findFault();
      expect(fault).toContain(new Date(machine).toISOString().slice(0, 10));
      expect(fault).toContain(`${Math.abs(days)} days ${days > 0 ? 'after' : 'before'} the last time`);
      expect(fault).toContain('./data: 2026-01-15 00:00:00 UTC');
      expect(fault).toContain('--accept-clock');
      await expect(check().start(false)).rejects.toThrow('--accept-clock');
      // Control.
      expect(await check(0).findFault()).toBeUndefined();
    },
  );

  test.each([6, -6])('one that is off by %i days is accepted', async (days) => {
    await check().start(false);
    machine += days * day;
    database += days * day;
    await check().start(false);
  });

  test.each([30, -30])('one that is off by %i days is accepted once, and then known', async (days) => {
    await check().start(false);
    machine += days * day;
    database += days * day;
    await check().start(true);
    await check().start(false);
  });

  test('the clock of the database counts, too', async () => {
    await check().start(false);
    database += 40 * day;
    expect(await check().findFault()).toMatch(/^The clock of the database says 2026-02-24 .*, 40 days after/);
  });
});

describe('while a server runs', () => {
  let ran: number;
  let logged: string[];
  let metrics: Pick<ObservedState, 'deletionPaused'>;
  let work: () => Promise<void>;
  beforeEach(async () => {
    const running = check();
    await running.start(false);
    ran = 0;
    logged = [];
    metrics = {};
    work = pauseAfterJumps(
      { clockCheck: running },
      { write: (_, message) => logged.push(message) },
      metrics,
    )(async () => {
      ran += 1;
    });
  });

  test.each(['machine', 'database'] as const)(
    'after a jump of the clock of the %s nothing is deleted until it is right again',
    async (which) => {
      const set = (ms: number) => {
        if (which === 'machine') machine += ms;
        else database += ms;
      };
      set(40 * day);
      for (let ticks = 0; ticks < 3; ticks += 1) {
        pass(600_000);
        await work();
      }
      expect({ ran, logged, ...metrics }).toEqual({
        ran: 0,
        logged: ['a clock was set: nothing is deleted by time'],
        deletionPaused: true,
      });
      // A restart does not take the wrong time for the right one.
      expect(await check().findFault()).toContain('40 days after');
      set(-40 * day);
      await work();
      expect({ ran, ...metrics }).toEqual({ ran: 1, deletionPaused: false });
      expect(logged).toHaveLength(2);
      expect(await check().findFault()).toBeUndefined();
    },
  );

  test('control: time that passes and small corrections pause nothing', async () => {
    for (let ticks = 0; ticks < 20; ticks += 1) {
      pass(4 * day);
      machine += 60_000;
      await work();
    }
    expect({ ran, logged, ...metrics }).toEqual({ ran: 20, logged: [], deletionPaused: false });
    expect(await check().findFault()).toBeUndefined();
  });
});
