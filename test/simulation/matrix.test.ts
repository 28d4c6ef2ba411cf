/** The crash matrix: every call to the outside fails in every way, in every format, and each retry finds one effect. */
import { expect, test } from '@jest/globals';
import type { Operation } from '../../src/contract/operation.ts';
import type { Handlers, TwoPhaseHandler } from '../../src/gateway/handler.ts';
import { type Cell, type Ran, runCell } from './matrix.ts';
import { type Form, formsOf, works } from './matrix-operations.ts';
import type { Fate } from './port.ts';
import type { Variant } from './process.ts';
import { defects } from './seeded-defects.ts';

/** A time-out whose call is done, is not, or is done after all. */
const fates: readonly Fate[] = ['error', 'timeout', 'lost', 'late', 'crashBefore', 'crashAfter'];

/** It takes some 40 s; a busy machine may take longer. */
const patienceMs = 240_000;

const forms = works.flatMap(formsOf);
const clean: Cell['faults'] = new Map();

/** Fails with all that one needs to see. */
const demand = (form: Form, faults: Cell['faults'], { calls, failures, trace }: Ran): void => {
  if (failures.length === 0) return;
  const said = [...faults].map(([at, fate]) => `${fate} at ${calls[at]} (call ${at})`).join(', ');
  throw new Error([`${form.name}; ${said || 'no fault'}: ${failures[0]}`, ...trace].join('\n'));
};

test(
  'every call x every way to fail x every format: one effect, one answer',
  async () => {
    const counts = { forms: forms.length, calls: 0, cells: 0 };
    const points = new Set<string>();
    const pointsInDisturbed = new Set<string>();
    for (const form of forms) {
      const recorded = await runCell({ ...form, faults: clean });
      demand(form, clean, recorded);
      for (const point of recorded.calls) points.add(point);
      const known = new Set(recorded.calls);
      /** Calls that are only made after a fault, each with the first run that makes it. */
      const found = new Map<string, readonly [number, Fate, number]>();
      for (const at of recorded.calls.keys())
        for (const fate of fates) {
          const faults = new Map([[at, fate]]);
          const ran = await runCell({ ...form, faults });
          demand(form, faults, ran);
          counts.cells += 1;
          for (const [later, point] of ran.calls.entries())
            if (!known.has(point) && !found.has(point)) found.set(point, [at, fate, later]);
        }
      counts.calls += recorded.calls.length;
      for (const [point, [at, first, later]] of found)
        for (const fate of fates) {
          const faults = new Map([
            [at, first],
            [later, fate],
          ]);
          demand(form, faults, await runCell({ ...form, faults }));
          counts.cells += 1;
          pointsInDisturbed.add(point);
        }
    }
    const all = new Set([...points, ...pointsInDisturbed]);
    process.stdout.write(`matrix: ${JSON.stringify(counts)}, ${all.size} points: ${[...all].join(', ')}\n`);
    expect(counts.cells).toBeGreaterThanOrEqual(counts.calls * fates.length);
    expect(counts.cells).toBeGreaterThanOrEqual(all.size * 4 * 10);
    for (const point of [
      ...['credentials', 'gate claim', 'gate settle', 'gate release', 'begin', 'commit', 'claim-scope', 'find-scope'],
      ...['settle-scope', 'savepoint', 'release savepoint', 'rollback to savepoint', 'find-shopper', 'save-detail'],
      ...['save-shopper', 'disable-detail', 'find-announced', 'save-change', 'updater', 'save-job'],
      ...['add-payment_instrument', 'find-payment_instrument', 'change-payment_instrument'],
      ...['add-balance_account', 'find-balance_account', 'change-balance_account', 'find-open-payment_instrument'],
      ...['add-account_holder', 'find-account_holder', 'change-account_holder', 'find-open-balance_account'],
      ...['find-balance-platform', 'tell-1', 'tell-2'],
    ])
      expect(all).toContain(point);
  },
  patienceMs,
);

/** What works as long as nothing fails. */
const broken = [
  'the row of the journal in a unit of its own, after the effect',
  'the gate remembers before the commit',
  'answered before the commit',
] as const;

const forEach = ['storeToken', 'createPaymentInstrument', 'createBalanceAccount'].flatMap((operation) =>
  broken.map((name) => [operation, name] as const),
);

test.each(forEach)('%s by a gateway with a defect fails in it: %s', async (operation, name) => {
  const { variant, givenAwayBy } = defects[name]!;
  const form = forms.find(({ sendings }) => sendings[0]!.body.operation === operation)!;
  const defective = { ...form, ...(variant && { variant }) };
  const recorded = await runCell({ ...defective, faults: clean });
  expect(recorded.failures).toEqual([]);
  const failed: string[] = [];
  for (const [at, point] of recorded.calls.entries())
    for (const fate of fates) {
      const { failures } = await runCell({ ...defective, faults: new Map([[at, fate]]) });
      if (failures[0] !== undefined && givenAwayBy.test(failures[0])) failed.push(`${fate} at ${point}`);
    }
  expect(failed).not.toEqual([]);
});

test('a gateway that asks each time by another name fails in it', async () => {
  const form = forms.find(({ asks }) => asks)!;
  let times = 0;
  const variant: Variant = (parts) => {
    const {
      needsLookup: inquires,
      lookup: inquire,
      handle,
    } = parts.handlers.scheduleAccountUpdater as unknown as TwoPhaseHandler<Operation>;
    const scheduleAccountUpdater: TwoPhaseHandler<Operation> = {
      needsLookup: inquires,
      handle,
      lookup: (request, store, world, id) => inquire(request, store, world, `${id}${++times}`),
    };
    return { ...parts, handlers: { ...parts.handlers, scheduleAccountUpdater } as unknown as Handlers };
  };
  const recorded = await runCell({ ...form, variant, faults: clean });
  expect(recorded.failures).toEqual([]);
  const failures: string[] = [];
  for (const at of recorded.calls.keys())
    failures.push(...(await runCell({ ...form, variant, faults: new Map([[at, 'crashAfter']]) })).failures);
  expect(failures.join()).toContain('asks by another name');
});
