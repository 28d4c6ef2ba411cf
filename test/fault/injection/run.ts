/** One run: clients send to the servers, faults of one class are injected, and the checker reads the result. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Random } from '../../simulation/random.ts';
import type { Variables } from '../../support/commands.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { openProxy, type TestProxy } from '../../support/proxy.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { checkHistory, type Doubled, doubledIn, type Verdict } from './checker.ts';
import { resendAll, runClient } from './client.ts';
import { type CountingStore, prepareStores, type Stores } from './counting-store.ts';
import { recordsVariable } from './crash-points.ts';
import type { FaultClass, FaultTargets } from './fault-classes.ts';
import { type ServerProgram, startFleet } from './fleet.ts';
import { openHistory, readHistory } from './history.ts';

const program: ServerProgram = {
  file: join(import.meta.dirname, 'server.ts'),
  // The example imports the package by its name.
  flags: ['--import', join(import.meta.dirname, '../../../scripts/own-package.mjs')],
};

/** The databases, Redis and proxies that the runs share. */
export interface Infrastructure {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly redis: RedisServer;
  readonly cutter: TestProxy;
  readonly slow: TestProxy;
  readonly stores: Stores;
  close(): Promise<void>;
}

export const startInfrastructure = async (options: { readonly durable: boolean }): Promise<Infrastructure> => {
  const folder = mkdtempSync(join(tmpdir(), 'triglyph-faults-'));
  const ending: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  try {
    const postgres = await startPostgres(options);
    ending.push(() => postgres.discard());
    const redis = await startRedis();
    ending.push(() => redis.stop());
    const cutter = await openProxy(postgres.port);
    ending.push(() => cutter.close());
    const slow = await openProxy(redis.port);
    ending.push(() => slow.close());
    const stores = await prepareStores(folder, postgres);
    return { folder, postgres, redis, cutter, slow, stores, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
};

export interface Plan {
  /** Whether the servers write idempotency records. */
  readonly records: boolean;
  readonly seed: number;
  readonly clients: number;
  /** The minimal duration of the faults. */
  readonly seconds: number;
  /** The maximal duration, where `enough` is not reached. */
  readonly secondsMax: number;
  /** Called repeatedly: whether the run has seen enough. */
  readonly enough: (seen: { readonly doubled: Doubled; readonly kills: number; readonly faults: number }) => boolean;
  readonly stallMs: number;
}

export interface Report {
  readonly name: string;
  readonly store: FaultClass['store'];
  readonly records: boolean;
  readonly faults: number;
  readonly kills: number;
  readonly seconds: number;
  readonly verdict: Verdict;
}

const variablesOf = ({ through, store }: FaultClass, { redis, slow }: Infrastructure, own: Variables): Variables => ({
  ...own,
  ...(store === 'PostgreSQL' && {
    REDIS_URL: through.includes('slow') ? `redis://127.0.0.1:${slow.port}` : redis.url,
  }),
});

const storeOf = (
  { through, store }: FaultClass,
  { stores, cutter }: Infrastructure,
): Promise<CountingStore> | CountingStore =>
  store === 'SQLite' ? stores.sqlite() : stores.postgres(through.includes('cutter') ? cutter.port : undefined);

/** Resolves when the run has seen enough, or after the maximal duration. */
const waitUntilEnough = async (
  plan: Plan,
  store: CountingStore,
  seen: () => { kills: number; faults: number },
): Promise<void> => {
  const startedAt = performance.now();
  await after(plan.seconds * 1_000);
  while (performance.now() - startedAt < plan.secondsMax * 1_000) {
    // A database that is restarting does not answer.
    const effects = await store.effects().catch(() => []);
    if (plan.enough({ doubled: doubledIn(effects), ...seen() })) return;
    await after(200);
  }
};

export const runFaults = async (
  faultClass: FaultClass,
  infrastructure: Infrastructure,
  plan: Plan,
): Promise<Report> => {
  const startedAt = performance.now();
  const { stores, postgres, redis, cutter, slow } = infrastructure;
  const random = new Random(plan.seed);
  const run = `${plan.records ? 'on' : 'off'}-${Math.trunc(Math.random() * 1e9).toString(36)}`;
  const folder = mkdtempSync(join(infrastructure.folder, 'run-'));
  const store = await storeOf(faultClass, infrastructure);
  const variables = {
    ...variablesOf(faultClass, infrastructure, store.variables),
    ...(!plan.records && { [recordsVariable]: 'off' }),
  };
  const fleet = await startFleet(faultClass.store === 'SQLite' ? 1 : 2, folder, variables, program);
  const over = new AbortController();
  try {
    const { servers } = fleet;
    const history = openHistory(join(folder, 'history.jsonl'));
    const setting = { servers, history, random, apiKeys: stores.apiKeys, run };
    const working = Array.from({ length: plan.clients }, (_, index) => runClient(setting, `s${index}`, over.signal));
    const targets: FaultTargets = { servers, random, postgres, cutter, redis, slow, stallMs: plan.stallMs };
    let faults = 0;
    const injecting = (async () => {
      while (!over.signal.aborted) faults += await faultClass.fault(targets);
    })();
    await Promise.race([
      waitUntilEnough(plan, store, () => ({ kills: fleet.kills(), faults })),
      injecting,
      Promise.race(working.map(rejection)),
    ]);
    over.abort();
    await injecting;
    const used = (await Promise.all(working)).flat();
    for (const server of servers) await server.ready();
    await resendAll(setting, used, plan.clients);
    await fleet.stop();
    history.close();
    return {
      name: faultClass.name,
      store: faultClass.store,
      records: plan.records,
      faults,
      kills: fleet.kills(),
      seconds: (performance.now() - startedAt) / 1_000,
      verdict: checkHistory(readHistory(history.path), await store.effects(), run),
    };
  } finally {
    over.abort();
    await fleet.discard();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Rejects where a client throws, and never resolves: a client that throws must end the run. */
const rejection = (work: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    work.catch(reject);
  });
