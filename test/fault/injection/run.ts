/** One run: clients at the servers, faults of one class, and the judge at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Random } from '../../simulation/random.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { type Proxy as Cutter, openProxy } from '../../support/proxy.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import type { Variables } from '../../support/server.ts';
import { type Doubled, doubledIn, judge, type Verdict } from './checker.ts';
import type { FaultClass, Field } from './classes.ts';
import { askAgain, work } from './client.ts';
import { type Counted, prepareStores, type Stores } from './counted.ts';
import { startFleet } from './fleet.ts';
import { openLedger, readLedger } from './history.ts';
import { journalVariable } from './points.ts';
import { openSlowProxy, type SlowProxy } from './slow-proxy.ts';

const clients = 24;

/** The outside parts, which the runs share. */
export interface Ground {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly redis: RedisServer;
  readonly cutter: Cutter;
  readonly slow: SlowProxy;
  readonly stores: Stores;
  close(): Promise<void>;
}

export const openGround = async (options: { readonly durable: boolean }): Promise<Ground> => {
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
    const slow = await openSlowProxy(redis.port);
    ending.push(() => slow.close());
    const stores = await prepareStores(folder, postgres);
    return { folder, postgres, redis, cutter, slow, stores, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
};

export interface Plan {
  readonly journal: boolean;
  readonly seed: number;
  /** How long there are faults at least. */
  readonly seconds: number;
  /** With faults going on for as long as the aim is not reached, but no longer than this. */
  readonly secondsMax: number;
  /** Asked every now and then: whether the run has seen enough. */
  readonly enough: (seen: { readonly doubled: Doubled; readonly kills: number; readonly faults: number }) => boolean;
  readonly stallMs: number;
}

export interface Report {
  readonly name: string;
  readonly store: FaultClass['store'];
  readonly journal: boolean;
  readonly faults: number;
  readonly kills: number;
  readonly seconds: number;
  readonly verdict: Verdict;
}

const variablesOf = ({ through, store }: FaultClass, { redis, slow }: Ground, own: Variables): Variables => ({
  ...own,
  ...(store === 'PostgreSQL' && {
    REDIS_URL: through.includes('slow') ? `redis://127.0.0.1:${slow.port}` : redis.url,
  }),
});

const storeOf = ({ through, store }: FaultClass, { stores, cutter }: Ground): Promise<Counted> | Counted =>
  store === 'SQLite' ? stores.sqlite() : stores.postgres(through.includes('cutter') ? cutter.port : undefined);

/** Looks until there is enough, or the time is up. */
const watch = async (plan: Plan, counted: Counted, seen: () => { kills: number; faults: number }): Promise<void> => {
  const startedAt = performance.now();
  await after(plan.seconds * 1_000);
  while (performance.now() - startedAt < plan.secondsMax * 1_000) {
    // A database that is just being restarted has no answer.
    const effects = await counted.effects().catch(() => []);
    if (plan.enough({ doubled: doubledIn(effects), ...seen() })) return;
    await after(200);
  }
};

export const runFaults = async (faultClass: FaultClass, ground: Ground, plan: Plan): Promise<Report> => {
  const startedAt = performance.now();
  const { stores, postgres, redis, cutter, slow } = ground;
  const random = new Random(plan.seed);
  const run = `${plan.journal ? 'on' : 'off'}-${Math.trunc(Math.random() * 1e9).toString(36)}`;
  const folder = mkdtempSync(join(ground.folder, 'run-'));
  const counted = await storeOf(faultClass, ground);
  const fleet = await startFleet(faultClass.store === 'SQLite' ? 1 : 2, folder, {
    ...variablesOf(faultClass, ground, counted.variables),
    ...(!plan.journal && { [journalVariable]: 'off' }),
  });
  const over = new AbortController();
  try {
    const { places } = fleet;
    const ledger = openLedger(join(folder, 'ledger.jsonl'));
    const around = { places, ledger, random, authorizations: stores.authorizations, run };
    const working = Array.from({ length: clients }, (_, index) => work(around, `s${index}`, over.signal));
    const field: Field = { places, random, postgres, cutter, redis, slow, stallMs: plan.stallMs };
    let faults = 0;
    const breaking = (async () => {
      while (!over.signal.aborted) faults += await faultClass.fault(field);
    })();
    await Promise.race([
      watch(plan, counted, () => ({ kills: fleet.kills(), faults })),
      breaking,
      Promise.race(working.map(failing)),
    ]);
    over.abort();
    await breaking;
    const used = (await Promise.all(working)).flat();
    for (const place of places) await place.ready();
    await askAgain(around, used, clients);
    await fleet.stop();
    ledger.close();
    return {
      name: faultClass.name,
      store: faultClass.store,
      journal: plan.journal,
      faults,
      kills: fleet.kills(),
      seconds: (performance.now() - startedAt) / 1_000,
      verdict: judge(readLedger(ledger.path), await counted.effects(), run),
    };
  } finally {
    over.abort();
    await fleet.discard();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Settles only where the work does not go well: a client that throws must end the run. */
const failing = (work: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    work.catch(reject);
  });
