/** `node bench/engines.ts`: listings on PostgreSQL against the embedded store, and keyed writes on PostgreSQL against unkeyed ones. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { startRedis } from '../test/support/redis.ts';
import { type LoadCase, writeCases } from './embedded-writes.ts';
import { shoppersMin } from './fleet.ts';
import { provideLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import { type Finding, figuresOf, limited, type Measured, medianCpu, msOf, perSecond, table } from './results.ts';
import { describeRounds, inRounds, measureLoad } from './rounds.ts';
import { makeStores, type Served, serveAll } from './scale/stores.ts';
import { runSection, sectionOptions } from './section.ts';
import { type TargetName, targetsAt } from './targets.ts';

const { values: options } = parseArgs({ options: sectionOptions });

const plan = options.quick
  ? { rounds: 1, seconds: 2, warmUpSeconds: 2, shoppers: shoppersMin }
  : { rounds: 3, seconds: 2, warmUpSeconds: 2, shoppers: 2_000 };
const listingMax = 2;
const keyedMin = 0.85;

interface Case extends LoadCase {
  readonly engine: Served['engine'];
}

const cases: readonly Case[] = [
  ...(['SQLite', 'PostgreSQL'] as const).flatMap((engine) => [
    listing('SOAP', 'triglyphSoap', engine),
    listing('JSON', 'triglyphJson', engine),
  ]),
  ...writeCases.map((each) => ({ ...each, engine: 'PostgreSQL' as const })),
];

type Results = ReadonlyMap<Case, readonly Measured[]>;

await runSection('engines', options, async (folder, closing) => {
  provideLoad();
  const postgres = await startPostgres({ durable: true });
  closing.defer(() => postgres.discard());
  const redis = await startRedis();
  closing.defer(() => redis.stop());
  const stores = await makeStores(folder, postgres, plan.shoppers);
  const withRedis = stores.map((store) =>
    store.engine === 'PostgreSQL' ? { ...store, variables: { ...store.variables, REDIS_URL: redis.url } } : store,
  );
  const serving = await serveAll(withRedis, folder, closing);
  for (const each of cases) await measureCase(serving, each, plan.warmUpSeconds);
  const results = await inRounds(cases, plan.rounds, (each) => measureCase(serving, each, plan.seconds));
  const head = `The same ${plan.shoppers} shoppers with three cards on both stores, PostgreSQL with fsync and Redis; ${describeRounds(plan)}.`;
  return { text: [`${head} ${describeMachine()}`, print(results)], findings: findingsOf(results) };
});

async function measureCase(
  serving: readonly Served[],
  { engine, target, load }: Case,
  seconds: number,
): Promise<Measured> {
  const { server, callers } = serving.find((each) => each.engine === engine)!;
  const targets = targetsAt({ triglyph: Number(new URL(callers).port) });
  return measureLoad(server, targets[target], seconds, plan.shoppers, load());
}

function listing(format: string, target: TargetName, engine: Case['engine']): Case {
  return { label: `listRecurringDetails, ${format}, 32 callers`, engine, target, load: () => ({ connections: 32 }) };
}

function print(results: Results): string {
  return table(
    ['request', 'store', 'requests/s', 'CPU per request, us', 'p50, ms', 'p99, ms'],
    [...results].map(([{ label, engine }, rounds]) => {
      const { perSecond: rate, cpuUs, p50Ms, p99Ms } = figuresOf(rounds);
      return [label, engine, rate, cpuUs, p50Ms, p99Ms];
    }),
  );
}

function findingsOf(results: Results): readonly Finding[] {
  const roundsOf = (label: string, engine: Case['engine'] = 'PostgreSQL') =>
    [...results].find(([each]) => each.engine === engine && each.label.startsWith(label))![1];
  const listings = ['SOAP', 'JSON'].map((format): Finding => {
    const label = `listRecurringDetails, ${format}`;
    const ratio = medianCpu(roundsOf(label)) / medianCpu(roundsOf(label, 'SQLite'));
    return limited(`${label}: CPU, PostgreSQL against the embedded store`, ratio, 'at most', listingMax);
  });
  const throughput =
    perSecond(roundsOf('storeToken with a key, 32')) / perSecond(roundsOf('storeToken without a key, 32'));
  const latency =
    msOf(roundsOf('storeToken without a key, 1 '), 'p50Us') / msOf(roundsOf('storeToken with a key, 1 '), 'p50Us');
  const on = 'storeToken on PostgreSQL';
  return [
    ...listings,
    limited(`${on}, 32 callers: requests/s, with a key against without`, throughput, 'at least', keyedMin),
    limited(`${on}, 1 caller: p50, without a key against with`, latency, 'at least', keyedMin),
  ];
}
