/** Measures the listings of a scenario: all its servers and formats in one run, in alternating rounds. Every server must give the same answers. */
import type { ComparePlan } from './compare.ts';
import type { Dataset } from './datasets.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { checkLanded } from './landed.ts';
import { connections, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import type { CompiledPeers } from './peer/compiled.ts';
import {
  checkRatios,
  type Finding,
  limited,
  type Measured,
  medianCpu,
  printOtherRatios,
  printRounds,
  type Rounds,
} from './results.ts';
import { describeRounds, inRounds, measureLoad } from './rounds.ts';
import type { Scenario } from './scenarios.ts';
import type { Report } from './section.ts';
import { ask, reference, type Target, type TargetName } from './targets.ts';

const idleMegabytesMax = 120;
const readyMsMax = 1000;

/** The allowed difference of bytes per answer between rounds; more means that answers were incomplete. */
const lengthTolerance = 0.02;

/** Starts the servers of the scenario in `folder`, measures and stops them. `againstPage`: what grew since docs/bench.md is missed. */
export async function measureListings(
  folder: string,
  whole: Scenario,
  plan: ComparePlan,
  compiled: CompiledPeers,
  { againstPage = false }: { readonly againstPage?: boolean } = {},
): Promise<Report> {
  const fleet = await startFleet(folder, whole, compiled);
  try {
    const scenario = withoutMissing(whole, fleet);
    const { dataset, title, ratios } = scenario;
    const rounds = await measureRounds(fleet, scenario, plan);
    const targets = scenario.targets.map((name) => fleet.targets[name]);
    const findings = [
      ...checkRatios(rounds, ratios),
      ...checkDetails(rounds, scenario),
      ...checkStart(fleet, scenario),
      ...(againstPage ? checkLanded(scenario.name, targets, rounds) : []),
    ];
    const text = [
      `listRecurringDetails, ${title}, ${dataset.shoppers} shoppers, ${connections} connections; ` +
        `${describeRounds(plan)}. ${describeMachine()}`,
      printRounds(targets, rounds),
      printOtherRatios(rounds, ratios),
      ...whole.servers.flatMap((name) => [...compiled.missing].flatMap(([each, how]) => (each === name ? [how] : []))),
      ...(scenario.measuresStart ? [describeStart(fleet, scenario)] : []),
    ];
    return { text, findings };
  } finally {
    await fleet.stop();
  }
}

/** The scenario without the servers that are not there. */
function withoutMissing(scenario: Scenario, { servers, targets }: Fleet): Scenario {
  const isThere = (name: TargetName): boolean => servers.has(targets[name].server);
  return {
    ...scenario,
    targets: scenario.targets.filter(isThere),
    ratios: scenario.ratios.filter(({ peer }) => isThere(peer)),
  };
}

async function measureRounds(fleet: Fleet, { dataset, targets: names }: Scenario, plan: ComparePlan): Promise<Rounds> {
  for (const target of names.map((name) => fleet.targets[name]))
    await putLoad(target, warmUpOf(target, plan), dataset.shoppers);
  const rounds = await inRounds(names, plan.rounds, async (name) => {
    const target = fleet.targets[name];
    await checkAnswers(target, fleet.targets.triglyphJson, dataset);
    // V8 drops compiled code while a server is idle; compiling it again is not part of a request.
    await putLoad(target, plan.leadInSeconds, dataset.shoppers);
    return measureLoad(fleet.servers.get(target.server)!, target, plan.seconds, dataset.shoppers);
  });
  for (const [name, measured] of rounds) checkLengths(name, measured);
  return rounds;
}

/** The virtual machine of Java compiles later than V8. */
function warmUpOf({ server }: Target, { warmUpSeconds }: ComparePlan): number {
  return server === 'jaxWs' ? 4 * warmUpSeconds : warmUpSeconds;
}

function checkLengths(name: string, rounds: readonly Measured[]): void {
  const lengths = rounds.map(({ bytes, requests }) => bytes / requests);
  if (Math.max(...lengths) > Math.min(...lengths) * (1 + lengthTolerance))
    throw new Error(`${name}: the length of answers changes between rounds (${lengths.map(Math.round).join(', ')})`);
}

/** The whole request counts, so the limit is a little stricter than its name. */
function checkDetails(rounds: Rounds, { dataset, targets, usPerDetailMax }: Scenario): readonly Finding[] {
  if (usPerDetailMax === undefined) return [];
  return targets
    .filter((name) => name.startsWith('triglyph'))
    .map((name) => {
      const us = medianCpu(rounds.get(name)!) / dataset.details;
      return limited(`${name}, CPU for each detail`, us, 'at most', usPerDetailMax, 'us', 1);
    });
}

function checkStart({ idleBytes, servers }: Fleet, { measuresStart }: Scenario): readonly Finding[] {
  if (!measuresStart) return [];
  const { readyMs } = servers.get('triglyph')!;
  return [
    limited('Idle memory, ready', megabytes(idleBytes), 'at most', idleMegabytesMax, 'MB'),
    limited('Time to ready, data there', readyMs, 'at most', readyMsMax, 'ms'),
  ];
}

function describeStart({ firstReadyMs, servers }: Fleet, { dataset }: Scenario): string {
  return (
    `First start, ${dataset.shoppers} shoppers created and stored: ${(firstReadyMs / 1000).toFixed(1)} s. ` +
    `Memory of Triglyph after the load: ${megabytes(servers.get('triglyph')!.rssBytes()).toFixed(0)} MB.`
  );
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024;
}

/** The shoppers to compare: the first, the last and some between. */
const sample = (shoppers: number): readonly number[] =>
  [1, 2, 0.25, 0.5, 0.75, 1].map((part, index) =>
    index < 2 ? Math.min(part, shoppers) : Math.max(1, Math.floor(part * shoppers)),
  );

/** Throws unless the target answers so many details for every sampled shopper, equal to those of `oracle`. */
export const checkAnswers = async (
  target: Target,
  oracle: Target,
  { shoppers, details: expected }: Pick<Dataset, 'shoppers' | 'details'>,
): Promise<void> => {
  for (const number of sample(shoppers)) {
    const shopper = reference(number);
    const answer = target.read(await ask(target, shopper));
    const wanted = oracle.read(await ask(oracle, shopper));
    if (answer !== wanted) throw new Error(`${target.name} answers differently for ${shopper}:\n${answer}\n${wanted}`);
    const { details } = JSON.parse(answer) as { readonly details?: readonly object[] };
    if (details?.length !== expected) throw new Error(`${target.name}: ${shopper} has ${details?.length} details`);
  }
};
