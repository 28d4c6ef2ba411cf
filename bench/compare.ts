/** Compares this checkout with another one in one run: the same load in alternating rounds, and ratios of medians. */
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkAnswers } from './check.ts';
import { launchTriglyph } from './fleet.ts';
import { putLoad } from './load.ts';
import { type Finding, type Measured, median, medianCpu } from './results.ts';
import { freePort, type Server, startServer } from './server.ts';
import { type Target, targetsAt } from './targets.ts';

export interface ComparePlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly leadInSeconds: number;
}

/** A ratio below this is a loss beyond noise. */
const leastRatio = 0.95;
const names = ['this', 'other'] as const;
type CheckoutName = (typeof names)[number];

export interface Checkout {
  readonly name: CheckoutName;
  readonly server: Server;
  readonly targets: readonly Target[];
}

interface Comparison {
  readonly label: string;
  readonly rounds: Readonly<Record<CheckoutName, readonly Measured[]>>;
}

/** `other`: the folder of the other checkout, with its packages installed. */
export async function compareCheckouts(
  folder: string,
  other: string,
  shoppers: number,
  plan: ComparePlan,
): Promise<{ readonly table: string; readonly findings: readonly Finding[] }> {
  const checkouts = await startCheckouts(folder, other, shoppers);
  try {
    const [ours, theirs] = checkouts as [Checkout, Checkout];
    for (const [index, target] of theirs.targets.entries())
      if (!target.writes) await checkAnswers(target, ours.targets[index]!, { shoppers, details: 3 });
    const comparisons: Comparison[] = [];
    for (const index of ours.targets.keys()) comparisons.push(await compareTarget(checkouts, index, shoppers, plan));
    const startUp: Finding = {
      name: 'Time to ready',
      ...limited(theirs.server.readyMs / ours.server.readyMs),
    };
    return { table: printComparisons(comparisons), findings: [...comparisons.flatMap(findingsOf), startUp] };
  } finally {
    await Promise.all(checkouts.map(({ server }) => server.stop()));
  }
}

/** Starts both on copies of the same data. */
export async function startCheckouts(folder: string, other: string, shoppers: number): Promise<readonly Checkout[]> {
  const roots = { this: resolve(import.meta.dirname, '..'), other: resolve(other) };
  const folders = { this: join(folder, 'this'), other: join(folder, 'other') };
  for (const own of Object.values(folders)) mkdirSync(own);
  // The other checkout creates the shoppers, and this one migrates a copy: references and dates are random.
  const options = { folder: folders.other, port: await freePort(), shoppers, root: roots.other };
  await (await startServer(await launchTriglyph(options))).stop();
  cpSync(join(folders.other, 'data'), join(folders.this, 'data'), { recursive: true });
  const checkouts: Checkout[] = [];
  for (const name of names) {
    const port = await freePort();
    const launch = await launchTriglyph({ folder: folders[name], port, shoppers, root: roots[name] });
    // The first start may migrate; the second one is measured.
    await (await startServer(launch)).stop();
    const server = await startServer(launch);
    const { triglyphSoap, triglyphJson, triglyphForm, triglyphWrite } = targetsAt({ triglyph: port });
    checkouts.push({ name, server, targets: [triglyphSoap, triglyphJson, triglyphForm, triglyphWrite] });
  }
  return checkouts;
}

async function compareTarget(
  checkouts: readonly Checkout[],
  index: number,
  shoppers: number,
  plan: ComparePlan,
): Promise<Comparison> {
  const rounds: Record<CheckoutName, Measured[]> = { this: [], other: [] };
  for (const { targets } of checkouts) await putLoad(targets[index]!, plan.warmUpSeconds, shoppers);
  for (let round = 0; round < plan.rounds; round += 1)
    // Back and forth, so that neither always comes first.
    for (const { name, server, targets } of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
      const target = targets[index]!;
      await putLoad(target, plan.leadInSeconds, shoppers);
      const before = server.cpuUs();
      const measured = await putLoad(target, plan.seconds, shoppers);
      rounds[name].push({ ...measured, cpuUs: server.cpuUs() - before });
      process.stderr.write('.');
    }
  process.stderr.write('\n');
  return { label: checkouts[0]!.targets[index]!.label, rounds };
}

const p99Us = (rounds: readonly Measured[]): number => median(rounds.map((round) => round.p99Us));

function printComparisons(comparisons: readonly Comparison[]): string {
  return [
    '| request | CPU per request, us: this | other | p99, ms: this | other |',
    '|---|---:|---:|---:|---:|',
    ...comparisons.map(({ label, rounds }) => {
      const cells = [label, medianCpu(rounds.this).toFixed(0), medianCpu(rounds.other).toFixed(0)];
      return `| ${[...cells, (p99Us(rounds.this) / 1000).toFixed(1), (p99Us(rounds.other) / 1000).toFixed(1)].join(' | ')} |`;
    }),
  ].join('\n');
}

/** The other checkout's CPU time divided by this one's: above 1, this checkout is faster. */
function findingsOf({ label, rounds }: Comparison): readonly Finding[] {
  return [{ name: `${label}, CPU per request`, ...limited(medianCpu(rounds.other) / medianCpu(rounds.this)) }];
}

function limited(ratio: number): Omit<Finding, 'name'> {
  return { measured: ratio.toFixed(2), limit: `at least ${leastRatio}`, holds: ratio >= leastRatio };
}
