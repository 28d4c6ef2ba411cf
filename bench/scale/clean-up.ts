/** Measures keyed writes at a fixed rate in one server: before the clean-up of expired records, beside it, and after it. */
import { mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { openPostgres } from '../../src/stores/postgres/open.ts';
import { databaseName, openSqlite } from '../../src/stores/sqlite/open.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { statusOf } from '../load.ts';
import { describeMachine } from '../machine.ts';
import { type Finding, limited, table } from '../results.ts';
import type { Report } from '../section.ts';
import { type EngineName, fillRecords } from './fill-records.ts';
import { type KeyedRequest, newRequest, requestHeaders, storeTokenPath } from './keyed-requests.ts';
import { type MeasuredStore, makeStores, type Served, serveAt } from './stores.ts';

export interface CleanUpOptions {
  readonly engine: EngineName;
  readonly expired: number;
  /** Requests a second. */
  readonly rate: number;
  /** How long is measured before the clean-up and after it. */
  readonly quietSeconds: number;
}

type Phase = 'before' | 'deletion' | 'free pages' | 'after' | 'before and after';

interface Times {
  readonly phase: Phase;
  readonly seconds: number;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Of the p99 of writes beside the clean-up, against the one before and after it. */
const slowdownMax = 1.5;
const shoppers = 1_000;
const lookEveryMs = 500;
/** Then pages are no longer given back. */
const settledMs = 15_000;
/** Caches and compiled code: requests of this time do not count. */
const warmUpMs = 15_000;
/** Limits that would refuse requests, which wait instead: their waiting is what is measured. */
const withoutLimits = { CARDS_STORED_PER_MINUTE_MAX: '0', SIMILAR_CARDS_PER_DAY_MAX: '0', REQUEST_WAIT_MS_MAX: '0' };

const oldestExpiry = 'select min(expires_at) as expires_at from idempotency_record';
const countFreePages = 'select freelist_count as free from pragma_freelist_count';

/** What the bench reads of the store while the server uses it. */
interface Watched {
  oldestExpiry(): Promise<number>;
  /** Always 0 on PostgreSQL, whose autovacuum leaves them to new rows. */
  freePages(): Promise<number>;
  close(): void;
}

interface Answered {
  /** When the request was due. */
  readonly at: number;
  /** Milliseconds from then on. */
  readonly ms: number;
}

interface Traffic {
  readonly answered: readonly Answered[];
  /** Waits for the last answers. Throws if a request failed. */
  stop(): Promise<void>;
}

/** Returns a table of the phases, and whether the clean-up slows writes down. */
export async function measureCleanUp(folder: string, options: CleanUpOptions): Promise<Report> {
  const postgres = options.engine === 'PostgreSQL' ? await startPostgres({ durable: true }) : undefined;
  try {
    const store = await makeStore(folder, postgres);
    await fillExpired(store, options.expired);
    const times = await measureTraffic(store, folder, options, postgres);
    return { text: describeTimes(options, times), findings: findingsOf(options, times) };
  } finally {
    await postgres?.discard();
  }
}

async function makeStore(folder: string, postgres: Postgres | undefined): Promise<MeasuredStore> {
  mkdirSync(folder, { recursive: true });
  if (postgres !== undefined) return (await makeStores(folder, postgres, shoppers))[1]!;
  const variables = { DATA_DIR: join(folder, 'data'), DEMO_SHOPPERS: String(shoppers) };
  const store: MeasuredStore = { engine: 'SQLite', shoppers, variables };
  await (await serveAt('demo', store, folder)).server.stop();
  return store;
}

/** They expired in the last day. */
async function fillExpired({ engine: name, variables }: MeasuredStore, records: number): Promise<void> {
  const engine =
    name === 'SQLite'
      ? openSqlite({ dataDir: variables.DATA_DIR!, exclusive: true })
      : openPostgres({ url: variables.DATABASE_URL!, poolMax: 1 });
  try {
    await fillRecords({ name, engine, from: 0, records, days: [-1, 0] });
  } finally {
    await engine.close();
  }
}

async function measureTraffic(
  store: MeasuredStore,
  folder: string,
  { rate, quietSeconds }: CleanUpOptions,
  postgres: Postgres | undefined,
): Promise<readonly Times[]> {
  const quietMs = quietSeconds * 1000;
  const variables = {
    ...store.variables,
    ...withoutLimits,
    BENCH_CLEAN_UP_MS: String(warmUpMs + quietMs),
    NODE_OPTIONS: `--import=${new URL('early-clean-up.ts', import.meta.url).href}`,
  };
  const served = await serveAt('demo', { ...store, variables }, folder);
  const watched = watch(store, postgres);
  const traffic = startTraffic(served, rate);
  try {
    await setTimeout(warmUpMs);
    const marks: (readonly [Phase, number])[] = [['before', performance.now()]];
    const enter = (phase: Phase, at = performance.now()) => marks.push([phase, at]);
    const first = await watched.oldestExpiry();
    while ((await watched.oldestExpiry()) === first) await setTimeout(lookEveryMs);
    enter('deletion');
    while ((await watched.oldestExpiry()) <= Date.now()) await setTimeout(lookEveryMs);
    if (store.engine === 'SQLite') {
      enter('free pages');
      enter('after', await untilSettled(watched));
    } else enter('after');
    await setTimeout(quietMs);
    const endedAt = performance.now();
    await traffic.stop();
    const parts = marks.map(([phase, from], index) => ({ phase, from, to: marks[index + 1]?.[1] ?? endedAt }));
    const quiet = parts.filter(({ phase }) => phase === 'before' || phase === 'after');
    const times = [
      ...parts.map((part) => timesOf(part.phase, [part], traffic.answered)),
      timesOf('before and after', quiet, traffic.answered),
    ];
    return times.filter(({ requests }) => requests > 0);
  } finally {
    watched.close();
    await served.server.stop();
  }
}

function watch({ variables }: MeasuredStore, postgres: Postgres | undefined): Watched {
  if (postgres !== undefined) {
    const ask = (text: string) => postgres.ask(text, [], variables.DATABASE_URL);
    return {
      oldestExpiry: async () => Number((await ask(oldestExpiry))[0]?.expires_at),
      freePages: async () => 0,
      close() {},
    };
  }
  const database = new DatabaseSync(join(variables.DATA_DIR!, databaseName), { readOnly: true, timeout: 5_000 });
  const [oldest, free] = [database.prepare(oldestExpiry), database.prepare(countFreePages)];
  return {
    oldestExpiry: async () => Number(oldest.get()?.expires_at),
    freePages: async () => Number(free.get()?.free),
    close: () => database.close(),
  };
}

/** Returns when the last pages were given back. */
async function untilSettled(watched: Watched): Promise<number> {
  let lowest = await watched.freePages();
  let changedAt = performance.now();
  while (performance.now() - changedAt < settledMs) {
    await setTimeout(lookEveryMs);
    const free = await watched.freePages();
    if (free < lowest) changedAt = performance.now();
    lowest = Math.min(lowest, free);
  }
  return changedAt;
}

/** Requests are due at fixed times, whether earlier ones were answered or not, and their times begin then. */
function startTraffic({ callers }: Served, rate: number): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const answered: Answered[] = [];
  const failures: unknown[] = [];
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; startedAt + (sent * 1000) / rate <= performance.now(); sent += 1) {
      const at = startedAt + (sent * 1000) / rate;
      const request = newRequest();
      const one = store(`${callers}${storeTokenPath}`, request, agent)
        // The server may close an idle connection when it is used again. The key makes the second request a retry.
        .catch(() => store(`${callers}${storeTokenPath}`, request, agent))
        .then(() => void answered.push({ at, ms: performance.now() - at }))
        .catch((thrown: unknown) => void failures.push(thrown))
        .finally(() => running.delete(one));
      running.add(one);
    }
  }, 1);
  return {
    answered,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      agent.destroy();
      if (failures.length > 0) throw new Error(`${failures.length} of ${sent} requests failed`, { cause: failures[0] });
    },
  };
}

async function store(url: string, { key, body }: KeyedRequest, agent: Agent): Promise<void> {
  const status = await statusOf(url, { headers: { ...requestHeaders, 'Idempotency-Key': key }, body }, agent);
  if (status !== 200) throw new Error(`storeToken: ${status}`);
}

function timesOf(
  phase: Phase,
  parts: readonly { readonly from: number; readonly to: number }[],
  answered: readonly Answered[],
): Times {
  const seconds = parts.reduce((sum, { from, to }) => sum + (to - from), 0) / 1000;
  const times = answered
    .filter(({ at }) => parts.some(({ from, to }) => at >= from && at < to))
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(part * (times.length - 1))] ?? Number.NaN;
  return { phase, seconds, requests: times.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

const slowdown = (times: readonly Times[], { p99 }: Times): number => p99 / times.at(-1)!.p99;

function describeTimes({ engine, expired, rate }: CleanUpOptions, times: readonly Times[]): readonly string[] {
  return [
    describeMachine('the server on one core'),
    `${engine}, ${expired} expired records, ${rate} writes a second.`,
    table(
      ['phase', 's', 'writes', 'p50, ms', 'p99, ms', 'longest, ms', 'p99 against before and after'],
      times.map((each) => [
        ...[each.phase, each.seconds.toFixed(0), each.requests],
        ...[each.p50, each.p99, each.max].map((ms) => ms.toFixed(1)),
        slowdown(times, each).toFixed(2),
      ]),
    ),
  ];
}

function findingsOf({ engine, expired }: CleanUpOptions, times: readonly Times[]): readonly Finding[] {
  return times
    .filter(({ phase }) => phase === 'deletion' || phase === 'free pages')
    .map((each) =>
      limited(
        `Clean-up of ${expired} records on ${engine}, ${each.phase}: p99 of writes against before and after`,
        slowdown(times, each),
        'at most',
        slowdownMax,
      ),
    );
}
