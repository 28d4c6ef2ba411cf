/** `node bench/processes.ts`: two server processes against one, where the machine has cores enough. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { limited, median } from './results.ts';
import { inRounds } from './rounds.ts';
import { makeStores, type Served, serveAll } from './scale/stores.ts';
import { type Report, runSection, sectionOptions } from './section.ts';
import { targetsAt } from './targets.ts';

const { values: options } = parseArgs({ options: sectionOptions });

/** One for each of two processes, one for the load, and one for PostgreSQL. */
const coresMin = 4;
const serverCores = '2,3';
const speedUpMin = 1.75;
const workerCounts = [1, 2] as const;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: 200 }
  : { rounds: 3, seconds: 3, warmUpSeconds: 4, shoppers: 2_000 };

await runSection('processes', options, async (folder, closing) => {
  if (availableParallelism() < coresMin) return tooFewCores();
  provideLoad();
  const postgres = await startPostgres();
  closing.defer(() => postgres.discard());
  const [, shared] = await makeStores(folder, postgres, plan.shoppers);
  const stores = workerCounts.map((workers) => ({
    ...shared!,
    variables: { ...shared!.variables, WORKERS: String(workers) },
  }));
  const serving = await serveAll(stores, folder, closing, serverCores);
  return report(await measure(serving));
});

function tooFewCores(): Report {
  const why = `Not measured: this takes ${coresMin} cores, and here are ${availableParallelism()}.`;
  return { text: [`${why} Two processes and the load on fewer cores take them from each other.`], findings: [] };
}

/** Requests per second of each server, by round. */
async function measure(serving: readonly Served[]): Promise<readonly (readonly number[])[]> {
  for (const served of serving) await rateOf(served, plan.warmUpSeconds);
  return [...(await inRounds(serving, plan.rounds, (served) => rateOf(served, plan.seconds))).values()];
}

async function rateOf({ callers }: Served, seconds: number): Promise<number> {
  const { triglyphJson } = targetsAt({ triglyph: Number(new URL(callers).port) });
  const { requests, us } = await putLoad(triglyphJson, seconds, plan.shoppers, { connections: 64 });
  return (requests * 1e6) / us;
}

function report(rates: readonly (readonly number[])[]): Report {
  const [one, two] = rates.map(median);
  const name = 'listRecurringDetails on PostgreSQL: requests/s, two processes against one';
  const head = `listRecurringDetails, JSON, 64 connections: ${one!.toFixed(0)} requests/s with one process, ${two!.toFixed(0)} with two.`;
  return {
    text: [`${head} ${describeMachine('servers on two cores')}`],
    findings: [limited(name, two! / one!, 'at least', speedUpMin)],
  };
}
