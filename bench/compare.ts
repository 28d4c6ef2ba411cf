/** Compares this checkout with another one in one run: the same load in alternating rounds, and ratios of medians. */
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type LoadCase, writeCases } from './embedded-writes.ts';
import { launchTriglyph } from './fleet.ts';
import { checkAnswers } from './listings.ts';
import { putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { figuresOf, limited, type Measured, medianCpu, table } from './results.ts';
import { inRounds, measureLoad } from './rounds.ts';
import type { Report } from './section.ts';
import { freePort, type Server, startServer } from './server.ts';
import { type Target, type TargetName, targetsAt } from './targets.ts';

export interface ComparePlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly leadInSeconds: number;
}

/** A ratio below this is a loss beyond noise. */
const leastRatio = 0.95;
const listings = ['triglyphSoap', 'triglyphJson', 'triglyphForm'] as const;

interface Checkout {
  readonly server: Server;
  readonly targets: Readonly<Record<TargetName, Target>>;
}

/** `other`: the folder of the other checkout, with its packages installed. */
export async function compareCheckouts(
  folder: string,
  other: string,
  shoppers: number,
  plan: ComparePlan,
): Promise<Report> {
  const checkouts = await startCheckouts(folder, other, shoppers);
  try {
    const [ours, theirs] = checkouts as [Checkout, Checkout];
    for (const name of listings) await checkAnswers(theirs.targets[name], ours.targets[name], { shoppers, details: 3 });
    const cases: readonly LoadCase[] = [
      ...listings.map((target) => ({ label: ours.targets[target].label, target, load: () => ({}) })),
      ...writeCases,
    ];
    const compared: { readonly label: string; readonly rounds: readonly (readonly Measured[])[] }[] = [];
    for (const each of cases)
      compared.push({ label: each.label, rounds: await compareCase(checkouts, each, shoppers, plan) });
    return {
      text: [
        describeMachine(),
        table(
          [
            ...['request', 'CPU per request, us: this', 'other'],
            ...['requests/s: this', 'other', 'p99, ms: this', 'other'],
          ],
          compared.map(({ label, rounds }) => {
            const both = rounds.map(figuresOf);
            return [label, ...(['cpuUs', 'perSecond', 'p99Ms'] as const).flatMap((of) => both.map((each) => each[of]))];
          }),
        ),
      ],
      // The other checkout's CPU time divided by this one's: above 1, this checkout is faster.
      findings: [
        ...compared.map(({ label, rounds: [own, others] }) =>
          limited(`${label}, CPU per request`, medianCpu(others!) / medianCpu(own!), 'at least', leastRatio),
        ),
        limited('Time to ready', theirs.server.readyMs / ours.server.readyMs, 'at least', leastRatio),
      ],
    };
  } finally {
    await Promise.all(checkouts.map(({ server }) => server.stop()));
  }
}

/** Starts both on copies of the same data, this one first. */
async function startCheckouts(folder: string, other: string, shoppers: number): Promise<readonly Checkout[]> {
  const roots = { this: resolve(import.meta.dirname, '..'), other: resolve(other) };
  const folders = { this: join(folder, 'this'), other: join(folder, 'other') };
  for (const own of Object.values(folders)) mkdirSync(own);
  // The other checkout creates the shoppers, and this one migrates a copy: references and dates are random.
  const options = { folder: folders.other, port: await freePort(), shoppers, root: roots.other };
  await (await startServer(await launchTriglyph(options))).stop();
  cpSync(join(folders.other, 'data'), join(folders.this, 'data'), { recursive: true });
  const checkouts: Checkout[] = [];
  for (const name of ['this', 'other'] as const) {
    const port = await freePort();
    const launch = await launchTriglyph({ folder: folders[name], port, shoppers, root: roots[name] });
    // The first start may migrate; the second one is measured.
    await (await startServer(launch)).stop();
    checkouts.push({ server: await startServer(launch), targets: targetsAt({ triglyph: port }) });
  }
  return checkouts;
}

/** The rounds of each checkout. */
async function compareCase(
  checkouts: readonly Checkout[],
  { target, load }: LoadCase,
  shoppers: number,
  { rounds, seconds, warmUpSeconds, leadInSeconds }: ComparePlan,
): Promise<readonly (readonly Measured[])[]> {
  for (const { targets } of checkouts) await putLoad(targets[target], warmUpSeconds, shoppers, load());
  const results = await inRounds(checkouts, rounds, async ({ server, targets }) => {
    await putLoad(targets[target], leadInSeconds, shoppers, load());
    return measureLoad(server, targets[target], seconds, shoppers, load());
  });
  return [...results.values()];
}
