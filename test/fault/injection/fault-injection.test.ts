/** Fault injection in short: all faults in turn with idempotency records, and the seeded defect of having none. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { doubledEverywhere, isClean } from './checker.ts';
import { closeConnections } from './client.ts';
import { type FaultClass, faultClasses, killAt } from './fault-classes.ts';
import { roles } from './request.ts';
import { type Infrastructure, type Plan, runFaults, startInfrastructure } from './run.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Longer than a reservation counts as fresh. */
const stallMs = 2_300;
/** A third of those of `npm run fault-injection`: a fault needs requests in flight, and not a busy processor. */
const clients = 8;

let infrastructure: Infrastructure;
beforeAll(async () => {
  process.stderr.write(`fault injection: repeat with SEED=${seed} npm run jest -- test/fault/injection\n`);
  infrastructure = await startInfrastructure({ durable: false });
});
afterAll(async () => {
  closeConnections();
  await infrastructure?.close();
});

/** Faults of all classes of a store, one class after the other; `seen` counts them by class. */
const classesInTurn = (store: FaultClass['store'], seen: Map<string, number>): FaultClass => {
  const classes = faultClasses.filter((each) => each.store === store);
  let turn = 0;
  return {
    name: `all in turn, ${store}`,
    store,
    through: classes.flatMap(({ through }) => through),
    async fault(targets) {
      const { name, fault } = classes[turn++ % classes.length]!;
      const faults = await fault(targets);
      seen.set(name, (seen.get(name) ?? 0) + faults);
      return faults;
    },
  };
};

test.each(['PostgreSQL', 'SQLite'] as const)(
  '%s: each key has one effect and one answer, whatever fails',
  async (store) => {
    const seen = new Map<string, number>();
    const names = faultClasses.filter((each) => each.store === store).map(({ name }) => name);
    const plan: Plan = {
      records: true,
      seed,
      clients,
      stallMs,
      seconds: 4,
      secondsMax: 300,
      enough: () => names.every((name) => (seen.get(name) ?? 0) > 0),
    };
    const { verdict } = await runFaults(classesInTurn(store, seen), infrastructure, plan);
    expect(verdict).toMatchObject({ doubled: 0, lost: 0, different: 0, wrong: 0, open: 0, findings: [] });
    expect(isClean(verdict)).toBe(true);
    expect([...seen.keys()].filter((name) => seen.get(name)! > 0).sort()).toEqual([...names].sort());
  },
);

describe('seeded defect: without idempotency records effects are doubled', () => {
  // The request has had its effect, and only the record could show it.
  const critical = killAt(['after the commit', 'before caching']);
  const killed = faultClasses.filter(({ name }) => name.startsWith('kill -9 at each point'));
  const others = faultClasses.filter(({ name }) => name === 'Redis FLUSHALL' || name === 'Redis stopped for 0.4 s');
  const classes = [...killed.map((each) => ({ ...each, fault: critical })), ...others];
  test.each(classes)('$name', async (faultClass) => {
    const plan: Plan = {
      records: false,
      seed,
      clients,
      stallMs,
      seconds: 0.5,
      // It ends as soon as it is seen: on a busy machine a server takes long to start again.
      secondsMax: 900,
      enough: ({ doubled }) => doubledEverywhere(doubled),
    };
    const { verdict } = await runFaults(faultClass, infrastructure, plan);
    for (const role of roles) expect(verdict.doubledIn[role]).toBeGreaterThan(0);
    expect(isClean(verdict)).toBe(false);
  });
  test('covers four fault classes', () => {
    expect(classes).toHaveLength(4);
  });
});
