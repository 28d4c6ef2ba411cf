/** `node bench/processes.ts`: two server processes against one, where the machine has cores enough. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { median, printFindings } from './results.ts';
import { makeStores, type Served, serveAt } from './scale/stores.ts';
import { targetsAt } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
  },
});

/** One for each of two processes, one for the load, and one for PostgreSQL. */
const coresMin = 4;
const serverCores = '2,3';
const speedUpMin = 1.75;
const workerCounts = [1, 2] as const;
const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: 200 }
  : { rounds: 3, seconds: 3, warmUpSeconds: 4, shoppers: 2_000 };

const { text, holds } = availableParallelism() < coresMin ? tooFewCores() : await run();
console.log(text);
if (options.write) writeSection('processes', text);
process.exitCode = holds ? 0 : 1;

interface Report {
  readonly text: string;
  readonly holds: boolean;
}

function tooFewCores(): Report {
  const why = `Not measured: this takes ${coresMin} cores, and here are ${availableParallelism()}.`;
  return { text: `${why} Two processes and the load on fewer cores take them from each other.`, holds: true };
}

async function run(): Promise<Report> {
  provideLoad();
  const folder = mkdtempSync(`${tmpdir()}/triglyph-bench-processes-`);
  const postgres = await startPostgres();
  const serving: Served[] = [];
  try {
    const [, shared] = await makeStores(folder, postgres, plan.shoppers);
    for (const workers of workerCounts) {
      const variables = { ...shared!.variables, WORKERS: String(workers) };
      serving.push(await serveAt('demo', { ...shared!, variables }, folder, serverCores));
    }
    return report(await measure(serving));
  } finally {
    for (const { server } of serving) await server.stop();
    await postgres.discard();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Requests per second of each server, by round. */
async function measure(serving: readonly Served[]): Promise<readonly (readonly number[])[]> {
  const rates = serving.map((): number[] => []);
  for (const served of serving) await rateOf(served, plan.warmUpSeconds);
  for (let round = 0; round < plan.rounds; round += 1)
    for (const [index, served] of serving.entries()) rates[index]!.push(await rateOf(served, plan.seconds));
  return rates;
}

async function rateOf({ callers }: Served, seconds: number): Promise<number> {
  const { triglyphJson } = targetsAt({ triglyph: Number(new URL(callers).port) });
  const { requests, us } = await putLoad(triglyphJson, seconds, plan.shoppers, { connections: 64 });
  return (requests * 1e6) / us;
}

function report(rates: readonly (readonly number[])[]): Report {
  const [one, two] = rates.map(median);
  const ratio = two! / one!;
  const finding = {
    name: 'listRecurringDetails on PostgreSQL: requests/s, two processes against one',
    measured: ratio.toFixed(2),
    limit: `at least ${speedUpMin}`,
    holds: ratio >= speedUpMin,
  };
  const head = `listRecurringDetails, JSON, 64 connections: ${one!.toFixed(0)} requests/s with one process, ${two!.toFixed(0)} with two.`;
  return {
    text: `${head} ${describeMachine('servers on two cores')}\n\n${printFindings([finding])}`,
    holds: ratio >= speedUpMin,
  };
}
