/** `npm run bench:writes`: measures writes on the embedded store; `--against DIR` compares them with another checkout. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Checkout, startCheckouts } from './compare.ts';
import {
  type Kind,
  keysOf,
  kinds,
  measureEmbeddedWrites,
  msOf,
  perSecond,
  readers,
  writersBesideReads,
} from './embedded-writes.ts';
import { type LoadOptions, provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { type Finding, type Measured, median, medianCpu, printFindings } from './results.ts';

const { values: options } = parseArgs({
  options: {
    /** The folder of the other checkout, with its packages installed. */
    against: { type: 'string' },
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
  },
});

const shoppers = 2_000;
const warmUpSeconds = 4;

interface Case {
  readonly label: string;
  run(checkout: Checkout, seconds: number): Promise<Measured>;
}

const measured = async (checkout: Checkout, name: string, seconds: number, load: LoadOptions): Promise<Measured> => {
  const target = checkout.targets.find((each) => each.name === name)!;
  const before = checkout.server.cpuUs();
  const round = await putLoad(target, seconds, shoppers, load);
  return { ...round, cpuUs: checkout.server.cpuUs() - before };
};

const writes = (kind: Kind, connections: number): Case => ({
  label: `storeToken ${kind}, ${connections} caller${connections === 1 ? '' : 's'}`,
  run: (checkout, seconds) => measured(checkout, 'triglyphWrite', seconds, { connections, keys: keysOf(kind) }),
});

const readsBesideWrites: Case = {
  label: `listRecurringDetails, ${readers} callers, during writes by ${writersBesideReads}`,
  async run(checkout, seconds) {
    const writing = measured(checkout, 'triglyphWrite', seconds + 1, { connections: writersBesideReads });
    const reading = measured(checkout, 'triglyphJson', seconds, { connections: readers });
    return (await Promise.all([reading, writing]))[0];
  },
};

const cases: readonly Case[] = [...kinds.flatMap((kind) => [writes(kind, 1), writes(kind, 32)]), readsBesideWrites];

type Rounds = Readonly<Record<Checkout['name'], readonly Measured[]>>;

const printCases = (results: ReadonlyMap<Case, Rounds>): string =>
  [
    '| request | requests/s: this | other | CPU per request, us: this | other | p50, ms: this | other | p99, ms: this | other |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...[...results].map(([{ label }, { this: ours, other: theirs }]) => {
      const cells = [ours, theirs].map((rounds) => perSecond(rounds).toFixed(0));
      // The CPU time during writes is that of both.
      const cpu = [ours, theirs].map((rounds) => (label.includes('during writes') ? '' : medianCpu(rounds).toFixed(0)));
      const times = (['p50Us', 'p99Us'] as const).flatMap((pick) => [
        msOf(ours, pick).toFixed(1),
        msOf(theirs, pick).toFixed(1),
      ]);
      return `| ${[label, ...cells, ...cpu, ...times].join(' | ')} |`;
    }),
  ].join('\n');

/** The ratios are those of the first commit without groups. 300 us of CPU time were 2.8 and 3.4 times less than it took. */
const findingsOf = (results: ReadonlyMap<Case, Rounds>): readonly Finding[] => {
  const roundsOf = (label: string) => [...results].find(([each]) => each.label.startsWith(label))![1];
  const rate = (label: string, least: number): Finding => {
    const { this: ours, other: theirs } = roundsOf(label);
    const ratio = perSecond(ours) / perSecond(theirs);
    return {
      name: `${label}: requests/s, this against other`,
      measured: ratio.toFixed(2),
      limit: `at least ${least}`,
      holds: ratio >= least,
    };
  };
  const cpu = (label: string, least: number): Finding => {
    const { this: ours, other: theirs } = roundsOf(label);
    const ratio = medianCpu(theirs) / medianCpu(ours);
    return {
      name: `${label}: CPU, other against this`,
      measured: ratio.toFixed(2),
      limit: `at least ${least}`,
      holds: ratio >= least,
    };
  };
  const p99 = median(roundsOf('listRecurringDetails').this.map(({ p99Us }) => p99Us)) / 1000;
  return [
    rate('storeToken without a key, 32', 4),
    rate('storeToken with a key, 32', 4),
    rate('storeToken without a key, 1 ', 0.95),
    rate('storeToken with a key, 1 ', 0.95),
    cpu('storeToken without a key, 32', 2.8),
    cpu('storeToken with a key, 32', 3.4),
    {
      name: 'Listings during writes, p99',
      measured: `${p99.toFixed(1)} ms`,
      limit: 'at most 10 ms',
      holds: p99 <= 10,
    },
  ];
};

const run = async (folder: string, other: string): Promise<boolean> => {
  const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
  const checkouts = await startCheckouts(folder, other, shoppers);
  try {
    const results = new Map<Case, Record<Checkout['name'], Measured[]>>();
    for (const each of cases) {
      const measurements: Record<Checkout['name'], Measured[]> = { this: [], other: [] };
      for (const checkout of checkouts) await each.run(checkout, warmUpSeconds);
      for (let round = 0; round < rounds; round += 1)
        for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
          measurements[checkout.name].push(await each.run(checkout, seconds));
          process.stderr.write('.');
        }
      results.set(each, measurements);
    }
    process.stderr.write('\n');
    const findings = findingsOf(results);
    const report = `${describeMachine()}\n\n${printCases(results)}\n\n${printFindings(findings)}`;
    console.log(report);
    if (options.write) writeSection('writes-against', report);
    return findings.every(({ holds }) => holds);
  } finally {
    await Promise.all(checkouts.map(({ server }) => server.stop()));
  }
};

const measureOwn = async (folder: string): Promise<boolean> => {
  const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
  const plan = options.quick
    ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: 500 }
    : { rounds, seconds, warmUpSeconds: 2, shoppers };
  const { text, holds } = await measureEmbeddedWrites(folder, plan);
  console.log(text);
  if (options.write) writeSection('writes', text);
  return holds;
};

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-'));
try {
  const { against } = options;
  provideLoad();
  process.exitCode = (await (against === undefined ? measureOwn(folder) : run(folder, against))) ? 0 : 1;
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
