/** The crash matrix: every call fails in every way, and each retry finds one effect. */
import { expect, test } from '@jest/globals';
import type { BoundHandler } from '../../src/stores/handlers.ts';
import { formatsOf } from '../resources/operations.ts';
import type { CrashCase } from '../resources/resource.ts';
import { resources } from '../resources/services.ts';
import { otherMember } from '../resources/stored-detail.ts';
import { type Cell, type CellResult, runCell, type Sending } from './matrix.ts';
import type { CallFault } from './port.ts';
import type { Variant } from './process.ts';
import type { SimulatedRequest } from './request.ts';
import { seededDefects } from './seeded-defects.ts';

interface CrashSequence {
  readonly name: string;
  readonly asksUpdater: boolean;
  readonly sendings: readonly Sending[];
  readonly isolation: Cell['isolation'];
  readonly otherMember?: SimulatedRequest;
}

const crashCases: readonly CrashCase[] = resources.flatMap((resource) => resource.crashCases);

/** `SEQUENCES=all`, as in the nightly run, takes all sequences of each case. Otherwise every case has others of them. */
const step = process.env.SEQUENCES === 'all' ? 1 : 3;

const crashSequences: readonly CrashSequence[] = crashCases.flatMap((crashCase, index) =>
  sequencesOf(crashCase).filter((_, at) => at % step === index % step),
);

/** A request; a retry to a process that has lost its memory; a retry to another process; another request under the key. */
function sequencesOf({ request, otherRequest, outcome, asksUpdater = false }: CrashCase): CrashSequence[] {
  const formats = formatsOf(request.operation);
  return formats.flatMap((same, index) => {
    const other = formats[(index + 1) % formats.length]!;
    const sequence = (retries: readonly [typeof same, typeof same], isolation: Cell['isolation']): CrashSequence => ({
      name: `${request.text}${asksUpdater ? ' with an external updater' : ''}: ${same}, then ${retries.join(' and ')}, ${isolation}`,
      isolation,
      asksUpdater,
      sendings: [
        { request, format: same, to: 'first', outcome },
        { request, format: retries[0], to: 'first', restarted: true, outcome },
        { request, format: retries[1], to: 'second', outcome },
        { request: otherRequest, format: other, to: 'second', outcome: 'keyReused' },
      ],
    });
    const isolated = [sequence([same, other], 'locking'), sequence([other, same], 'serial')];
    // What a group does with its members does not depend on their format.
    return index === 0 ? [...isolated, { ...sequence([same, other], 'grouped'), otherMember }] : isolated;
  });
}

const callFaults: readonly CallFault[] = ['error', 'timeout', 'lost', 'late', 'crashBefore', 'crashAfter'];

const timeLimitMs = 900_000;

/** `CASE=text` keeps the sequences whose name contains it: a failure prints the name. */
const wanted = process.env.CASE ?? '';
const sequences = crashSequences.filter(({ name }) => name.includes(wanted));
const noFault: Cell['faults'] = new Map();

/** Throws with the fault, the command that repeats it, and the trace. */
function requireSuccess({ name }: CrashSequence, faults: Cell['faults'], { calls, failures, trace }: CellResult): void {
  if (failures.length === 0) return;
  const injected = [...faults].map(([at, fault]) => `${fault} at ${calls[at]} (call ${at})`).join(', ');
  const repeat = `repeat: CASE='${name}' npm run jest -- test/simulation/matrix.test.ts`;
  throw new Error([`${name}; ${injected || 'no fault'}: ${failures[0]}`, repeat, ...trace].join('\n'));
}

test(
  'every call x every fault: one effect, one answer',
  async () => {
    const counts = { sequences: sequences.length, calls: 0, cells: 0 };
    const points = new Set<string>();
    for (const sequence of sequences) {
      const undisturbed = await runCell({ ...sequence, faults: noFault });
      requireSuccess(sequence, noFault, undisturbed);
      const usual = new Set(undisturbed.calls);
      for (const point of usual) points.add(point);
      /** Calls that are made only after a fault, each with the first cell that makes it. */
      const afterFault = new Map<string, readonly [number, CallFault, number]>();
      for (const at of undisturbed.calls.keys())
        for (const fault of callFaults) {
          const faults = new Map([[at, fault]]);
          const result = await runCell({ ...sequence, faults });
          requireSuccess(sequence, faults, result);
          counts.cells += 1;
          for (const [later, point] of result.calls.entries())
            if (!usual.has(point) && !afterFault.has(point)) afterFault.set(point, [at, fault, later]);
        }
      counts.calls += undisturbed.calls.length;
      for (const [point, [at, first, later]] of afterFault)
        for (const fault of callFaults) {
          const faults = new Map([
            [at, first],
            [later, fault],
          ]);
          requireSuccess(sequence, faults, await runCell({ ...sequence, faults }));
          counts.cells += 1;
          points.add(point);
        }
    }
    process.stdout.write(`matrix: ${JSON.stringify(counts)}, ${points.size} points: ${[...points].join(', ')}\n`);
    expect(counts.cells).toBeGreaterThanOrEqual(counts.calls * callFaults.length);
    if (wanted !== '') return;
    expect(kindsOf(sequences)).toEqual(kindsOf(crashCases.flatMap(sequencesOf)));
    expect(counts.cells).toBeGreaterThanOrEqual(points.size * 4 * 10);
    for (const point of [
      ...['credentials', 'cache reserve', 'cache complete', 'cache release', 'begin', 'commit'],
      ...[
        'reserve-record',
        'find-unexpired-record',
        'complete-record',
        'savepoint',
        'release savepoint',
        'rollback to savepoint',
      ],
      ...['find-balance-platform', 'advance-endpoints-1', 'advance-endpoints-2'],
      ...['enqueue-events-1', 'enqueue-events-2'],
      ...resources.flatMap(({ statements }) => statements),
      ...crashCases.flatMap((crashCase) => crashCase.points ?? []),
    ])
      expect(points).toContain(point);
  },
  timeLimitMs,
);

/** The isolations of sequences and the formats of their first sendings. */
function kindsOf(sequences: readonly CrashSequence[]): ReadonlySet<string> {
  return new Set(sequences.flatMap(({ isolation, sendings }) => [isolation, sendings[0]!.format]));
}

/** Defects that show only where a call fails. */
const defects = [
  'the record is written in a transaction of its own, after the effect',
  'the outcome is remembered before the commit',
  'the answer is sent before the commit',
] as const;

/** The first case of each resource. */
const seeded = resources.flatMap(({ crashCases: [first] }) =>
  first === undefined ? [] : defects.map((defect) => [first.request.operation.name, defect, first] as const),
);

test.each(seeded)('seeded defect in %s: %s', async (_, name, crashCase) => {
  const { variant, symptom } = seededDefects[name]!;
  const [sequence] = sequencesOf(crashCase);
  const defective = { ...sequence!, ...(variant && { variant }) };
  const undisturbed = await runCell({ ...defective, faults: noFault });
  // An answer that does not wait for the commit may overtake it without a fault.
  if (undisturbed.failures[0] !== undefined) expect(undisturbed.failures[0]).toMatch(symptom);
  let isFound = false;
  for (const at of undisturbed.calls.keys())
    for (const fault of callFaults) {
      if (isFound) break;
      const { failures } = await runCell({ ...defective, faults: new Map([[at, fault]]) });
      isFound = failures[0] !== undefined && symptom.test(failures[0]);
    }
  expect(isFound).toBe(true);
});

test('seeded defect: each question to the updater has another id', async () => {
  const [sequence] = crashCases.filter(({ asksUpdater }) => asksUpdater).flatMap(sequencesOf);
  let times = 0;
  const variant: Variant = (parts) => {
    const change = (handler: BoundHandler): BoundHandler =>
      handler.kind !== 'twoPhase'
        ? handler
        : {
            ...handler,
            lookup: (request, store, context, id) => handler.lookup(request, store, context, `${id}${++times}`),
          };
    const implementations = parts.implementations.map((each) => ({
      ...each,
      handlers: new Map([...each.handlers].map(([operation, handler]) => [operation, change(handler)])),
    }));
    return { ...parts, implementations };
  };
  const undisturbed = await runCell({ ...sequence!, variant, faults: noFault });
  expect(undisturbed.failures).toEqual([]);
  const failures: string[] = [];
  for (const at of undisturbed.calls.keys())
    failures.push(...(await runCell({ ...sequence!, variant, faults: new Map([[at, 'crashAfter']]) })).failures);
  expect(failures.join()).toContain('asks under another id');
});
