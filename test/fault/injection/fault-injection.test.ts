/** Fault injection in short: all faults in turn with the journal, and controls without it, which must fail. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { roles } from '../../../src/contract/operation.ts';
import { doubledEverywhere, holds } from './checker.ts';
import { type FaultClass, faultClasses, killAt } from './classes.ts';
import { hangUp } from './client.ts';
import { type Ground, openGround, type Plan, runFaults } from './run.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Longer than a claim is taken for fresh. */
const stallMs = 2_300;
const msMax = 240_000;

let ground: Ground;
beforeAll(async () => {
  process.stderr.write(`fault injection: seed ${seed}, repeated by SEED=${seed}\n`);
  ground = await openGround({ durable: false });
}, msMax);
afterAll(async () => {
  hangUp();
  await ground?.close();
});

/** Faults of all classes of a store, one class after the other; `seen` counts them by class. */
const inTurn = (store: FaultClass['store'], seen: Map<string, number>): FaultClass => {
  const classes = faultClasses.filter((each) => each.store === store);
  let turn = 0;
  return {
    name: `all in turn, ${store}`,
    store,
    through: classes.flatMap(({ through }) => through),
    async fault(field) {
      const { name, fault } = classes[turn++ % classes.length]!;
      const faults = await fault(field);
      seen.set(name, (seen.get(name) ?? 0) + faults);
      return faults;
    },
  };
};

test.each(['PostgreSQL', 'SQLite'] as const)(
  '%s: each key has its effect once and one answer, whatever breaks',
  async (store) => {
    const seen = new Map<string, number>();
    const names = faultClasses.filter((each) => each.store === store).map(({ name }) => name);
    const plan: Plan = {
      journal: true,
      seed,
      stallMs,
      seconds: 4,
      secondsMax: 60,
      enough: () => names.every((name) => (seen.get(name) ?? 0) > 0),
    };
    const { verdict } = await runFaults(inTurn(store, seen), ground, plan);
    expect(verdict).toMatchObject({ doubled: 0, lost: 0, different: 0, wrong: 0, open: 0, findings: [] });
    expect(holds(verdict)).toBe(true);
    expect([...seen.keys()].filter((name) => seen.get(name)! > 0).sort()).toEqual([...names].sort());
  },
  msMax,
);

describe('the control: without the journal effects are doubled', () => {
  // Where a request is surely in the one bad place: it had its effect, and nobody but the journal could know.
  const bad = killAt(['after the commit', 'before the record']);
  const killed = faultClasses.filter(({ name }) => name.startsWith('kill -9 at each point'));
  const others = faultClasses.filter(({ name }) => name === 'Redis FLUSHALL' || name === 'Redis stopped for 0.4 s');
  const controls = [...killed.map((each) => ({ ...each, fault: bad })), ...others];
  test.each(controls)(
    '$name',
    async (faultClass) => {
      const plan: Plan = {
        journal: false,
        seed,
        stallMs,
        seconds: 0.5,
        secondsMax: 60,
        enough: ({ doubled }) => doubledEverywhere(doubled),
      };
      const { verdict } = await runFaults(faultClass, ground, plan);
      for (const role of roles) expect(verdict.doubledIn[role]).toBeGreaterThan(0);
      expect(holds(verdict)).toBe(false);
    },
    msMax,
  );
  test('has all four', () => {
    expect(controls).toHaveLength(4);
  });
});
