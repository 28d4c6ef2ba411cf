/** `npm run bench`: compares Triglyph with its peers in one run, or with `--against DIR` this checkout with another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAnswers } from './check.ts';
import { compareCheckouts } from './compare.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { connections, provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { type Finding, type Measured, printFindings, printOtherRatios, printRounds, ratios } from './results.ts';
import type { Target, TargetName } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
    /** The folder of another checkout. */
    against: { type: 'string' },
  },
});

const shoppers = 10_000;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, leadInSeconds: 1 }
  : { rounds: 5, seconds: 4, warmUpSeconds: 6, leadInSeconds: 1 };

const idleMegabytesMax = 120;
const readyMsMax = 1000;

/** The allowed difference of bytes per answer between rounds; more means that answers were incomplete. */
const lengthTolerance = 0.02;

const measure = async (fleet: Fleet, target: Target): Promise<Measured> => {
  await checkAnswers(target, fleet.targets.triglyphJson, shoppers);
  // V8 drops compiled code while a server is idle; compiling it again is not part of a request.
  await putLoad(target, plan.leadInSeconds, shoppers);
  const server = fleet.servers[target.server];
  const before = server.cpuUs();
  const round = await putLoad(target, plan.seconds, shoppers);
  return { ...round, cpuUs: server.cpuUs() - before };
};

const checkLengths = (name: string, rounds: readonly Measured[]): void => {
  const lengths = rounds.map(({ bytes, requests }) => bytes / requests);
  if (Math.max(...lengths) > Math.min(...lengths) * (1 + lengthTolerance))
    throw new Error(`${name}: the length of answers changes between rounds (${lengths.map(Math.round).join(', ')})`);
};

const inRounds = async (fleet: Fleet, targets: readonly Target[]): Promise<Map<TargetName, Measured[]>> => {
  const measured = new Map<TargetName, Measured[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await putLoad(target, plan.warmUpSeconds, shoppers);
  for (let round = 0; round < plan.rounds; round++) {
    // Back and forth, so that no target always follows the same one.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      measured.get(target.name)!.push(await measure(fleet, target));
      process.stderr.write('.');
    }
  }
  process.stderr.write('\n');
  for (const [name, rounds] of measured) checkLengths(name, rounds);
  return measured;
};

const megabytes = (bytes: number): number => bytes / 1024 / 1024;

const limitsOf = ({ idleBytes, servers }: Fleet): readonly Finding[] => [
  {
    name: 'Idle memory, ready',
    measured: `${megabytes(idleBytes).toFixed(0)} MB`,
    limit: `at most ${idleMegabytesMax} MB`,
    holds: megabytes(idleBytes) <= idleMegabytesMax,
  },
  {
    name: 'Time to ready, data there',
    measured: `${servers.triglyph.readyMs.toFixed(0)} ms`,
    limit: `at most ${readyMsMax} ms`,
    holds: servers.triglyph.readyMs <= readyMsMax,
  },
];

const run = async (folder: string): Promise<boolean> => {
  const startedAt = performance.now();
  provideLoad();
  const fleet = await startFleet(folder, shoppers);
  try {
    const targets = Object.values(fleet.targets).filter(({ writes }) => !writes);
    const rounds = await inRounds(fleet, targets);
    const findings = [...ratios(rounds), ...limitsOf(fleet)];
    const report = [
      `listRecurringDetails, 3 card details each, ${shoppers} shoppers, ${connections} connections; ` +
        `${plan.rounds} round${plan.rounds === 1 ? '' : 's'} of ${plan.seconds} s, alternating. ${describeMachine()}`,
      printRounds(targets, rounds),
      printFindings(findings),
      printOtherRatios(rounds),
      `First start, ${shoppers} shoppers created and stored: ${(fleet.firstReadyMs / 1000).toFixed(1)} s. ` +
        `Memory of Triglyph after the load: ${megabytes(fleet.servers.triglyph.rssBytes()).toFixed(0)} MB.`,
    ].join('\n\n');
    console.log(`${report}\n\nTook ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
    if (options.write) writeSection('results', report);
    return findings.every(({ holds }) => holds);
  } finally {
    await fleet.stop();
  }
};

const compare = async (folder: string, other: string): Promise<boolean> => {
  provideLoad();
  const { table, findings } = await compareCheckouts(folder, other, shoppers, plan);
  console.log(`${describeMachine()}\n\n${table}\n\n${printFindings(findings)}`);
  return findings.every(({ holds }) => holds);
};

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-'));
try {
  const { against } = options;
  process.exitCode = (await (against === undefined ? run(folder) : compare(folder, against))) ? 0 : 1;
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
