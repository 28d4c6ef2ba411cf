/** `node bench/engines.ts`: listings on PostgreSQL against the embedded store, and keyed writes on PostgreSQL against unkeyed ones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { startRedis } from '../test/support/redis.ts';
import { keysOf, kinds, msOf, perSecond } from './embedded-writes.ts';
import { type LoadOptions, provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { type Finding, type Measured, medianCpu, printFindings } from './results.ts';
import { makeStores, type Served, serveAt } from './scale/stores.ts';
import { type TargetName, targetsAt } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    /** One short round. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
  },
});

const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: 200 }
  : { rounds: 3, seconds: 2, warmUpSeconds: 2, shoppers: 2_000 };
const listingMax = 2;
const keyedMin = 0.85;

interface Case {
  readonly label: string;
  readonly engine: Served['engine'];
  readonly target: TargetName;
  readonly load: () => LoadOptions;
}

const cases: readonly Case[] = [
  ...(['SQLite', 'PostgreSQL'] as const).flatMap((engine) => [
    listing('SOAP', 'triglyphSoap', engine),
    listing('JSON', 'triglyphJson', engine),
  ]),
  ...kinds.flatMap((kind) =>
    [1, 32].map((connections) => ({
      label: `storeToken ${kind}, ${connections} caller${connections === 1 ? '' : 's'}`,
      engine: 'PostgreSQL' as const,
      target: 'triglyphWrite' as const,
      load: () => ({ connections, keys: keysOf(kind) }),
    })),
  ),
];

type Results = ReadonlyMap<Case, Measured[]>;

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-engines-'));
try {
  provideLoad();
  process.exitCode = (await run()) ? 0 : 1;
} catch (thrown) {
  console.error(thrown);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const postgres = await startPostgres({ durable: true });
  const redis = await startRedis();
  const serving: Served[] = [];
  try {
    for (const store of await makeStores(folder, postgres, plan.shoppers)) {
      const isShared = store.engine === 'PostgreSQL';
      const variables = { ...store.variables, ...(isShared ? { REDIS_URL: redis.url } : {}) };
      serving.push(await serveAt('demo', { ...store, variables }, folder));
    }
    const results = await measure(serving);
    const findings = findingsOf(results);
    const head = `The same ${plan.shoppers} shoppers with three cards on both stores, PostgreSQL with fsync and Redis; ${plan.rounds} round${plan.rounds === 1 ? '' : 's'} of ${plan.seconds} s, alternating.`;
    const text = [`${head} ${describeMachine()}`, print(results), printFindings(findings)].join('\n\n');
    console.log(text);
    if (options.write) writeSection('engines', text);
    return findings.every(({ holds }) => holds);
  } finally {
    for (const { server } of serving) await server.stop();
    await redis.stop();
    await postgres.discard();
  }
}

async function measure(serving: readonly Served[]): Promise<Results> {
  const results = new Map<Case, Measured[]>(cases.map((each) => [each, []]));
  for (const each of cases) await measureCase(serving, each, plan.warmUpSeconds);
  for (let round = 0; round < plan.rounds; round += 1)
    for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
      results.get(each)!.push(await measureCase(serving, each, plan.seconds));
      process.stderr.write('.');
    }
  process.stderr.write('\n');
  return results;
}

async function measureCase(
  serving: readonly Served[],
  { engine, target, load }: Case,
  seconds: number,
): Promise<Measured> {
  const { server, callers } = serving.find((each) => each.engine === engine)!;
  const targets = targetsAt({ triglyph: Number(new URL(callers).port) });
  const before = server.cpuUs();
  const round = await putLoad(targets[target], seconds, plan.shoppers, load());
  return { ...round, cpuUs: server.cpuUs() - before };
}

function listing(format: string, target: TargetName, engine: Case['engine']): Case {
  return { label: `listRecurringDetails, ${format}, 32 callers`, engine, target, load: () => ({ connections: 32 }) };
}

function print(results: Results): string {
  return [
    '| request | store | requests/s | CPU per request, us | p50, ms | p99, ms |',
    '|---|---|---:|---:|---:|---:|',
    ...[...results].map(([{ label, engine }, rounds]) => {
      const cells = [perSecond(rounds).toFixed(0), medianCpu(rounds).toFixed(0)];
      return `| ${[label, engine, ...cells, msOf(rounds, 'p50Us').toFixed(1), msOf(rounds, 'p99Us').toFixed(1)].join(' | ')} |`;
    }),
  ].join('\n');
}

function findingsOf(results: Results): readonly Finding[] {
  const roundsOf = (label: string, engine: Case['engine'] = 'PostgreSQL') =>
    [...results].find(([each]) => each.engine === engine && each.label.startsWith(label))![1];
  const listings = ['SOAP', 'JSON'].map((format): Finding => {
    const label = `listRecurringDetails, ${format}`;
    const ratio = medianCpu(roundsOf(label)) / medianCpu(roundsOf(label, 'SQLite'));
    return {
      name: `${label}: CPU, PostgreSQL against the embedded store`,
      measured: ratio.toFixed(2),
      limit: `at most ${listingMax}`,
      holds: ratio <= listingMax,
    };
  });
  const throughput =
    perSecond(roundsOf('storeToken with a key, 32')) / perSecond(roundsOf('storeToken without a key, 32'));
  const latency =
    msOf(roundsOf('storeToken without a key, 1 '), 'p50Us') / msOf(roundsOf('storeToken with a key, 1 '), 'p50Us');
  return [
    ...listings,
    atLeast('storeToken on PostgreSQL, 32 callers: requests/s, with a key against without', throughput),
    atLeast('storeToken on PostgreSQL, 1 caller: p50, without a key against with', latency),
  ];
}

function atLeast(name: string, ratio: number): Finding {
  return { name, measured: ratio.toFixed(2), limit: `at least ${keyedMin}`, holds: ratio >= keyedMin };
}
