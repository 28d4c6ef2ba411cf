/**
 * Up to ten thousand requests with one key at once. PostgreSQL counts the transactions itself: `xact_commit` and `xact_rollback` of
 * a database that only the gateway under test uses, read before and after through another one. The gateway is stopped
 * before the second reading, since a connection reports what it has done when it is idle for a second, or ends.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Call } from '../../src/core/formats/protocol.ts';
import { isNightly } from '../support/nightly.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { prepareProductionPlatform } from '../support/production-platform.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { cardFor } from '../support/seeded-platform.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { callIn, card, formats, meaning, openCaller, type ReceivedResponse } from '../support/traffic.ts';

/** Workers of a server look for jobs meanwhile, each look a transaction. */
const backgroundPerSecond = 5;
/** In the nightly run two servers get `many`. */
const duplicates = { many: 10_000, few: 1_500 };
/** Fewer than the requests, by far: most of the transactions are those of the first requests. */
const transactionsMaxOf = (count: number): number => (count === duplicates.many ? 2_000 : count / 2);
const connections = 200;
const outcomesMsMax = 90_000;

let postgres: Postgres;
let redis: RedisServer;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});
afterAll(() => Promise.all([redis.stop(), postgres.discard()]));

/** Also of tests that fail. */
const started: Server[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.kill()));
});

const transactions = async (database: string): Promise<number> => {
  const [row] = await postgres.ask(
    'select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = $1',
    [new URL(database).pathname.slice(1)],
  );
  return Number(row?.count);
};

/** One request in each format of its operation. */
interface Duplicated {
  readonly authorization: string;
  readonly calls: readonly {
    readonly call: Call;
    /** Decodes the response. */
    readonly meaning: (received: ReceivedResponse) => unknown;
  }[];
}

type Prepare = (production: Production, folder: string) => Promise<Duplicated>;

const storing: Prepare = async ({ credential: { username, secret } }) => {
  const input = {
    merchantAccount: 'AcmeWeb',
    shopperReference: 'one',
    card,
    recurring: { contract: ['ONECLICK', 'RECURRING'] },
  };
  return {
    authorization: basic(username, secret),
    calls: formats.map((format) => ({
      call: callIn(format, 'storeToken', input),
      meaning: (received) => meaning(format, 'storeToken', received),
    })),
  };
};

/** The operation has one format, so every response has the same bytes. */
const issuing: Prepare = async (production, folder) => {
  const { authorization, balanceAccountId } = await prepareProductionPlatform(folder, production);
  const body = JSON.stringify(cardFor(balanceAccountId));
  const call = { path: '/bcl/v2/paymentInstruments', contentType: 'application/json', body };
  return { authorization, calls: [{ call, meaning: ({ body }) => body }] };
};

interface Outcome {
  readonly transactions: number;
  readonly seconds: number;
  readonly answers: readonly { readonly received: ReceivedResponse; readonly means: unknown }[];
  readonly effects: Readonly<Record<string, unknown>> | undefined;
}

interface Load {
  readonly servers: number;
  readonly withRedis: boolean;
  readonly count: number;
  readonly prepare?: Prepare;
}

const sendDuplicates = async ({ servers, withRedis, count, prepare = storing }: Load): Promise<Outcome> => {
  const folder = tempFolder();
  const database = await postgres.createMigratedDatabase();
  const production = await prepareProduction(folder.path, {
    DATABASE_URL: database,
    ...(withRedis && { REDIS_URL: redis.url }),
  });
  // A slow machine may make requests wait for longer than an operator would.
  const variables = { ...production.variables, REQUEST_WAIT_MS_MAX: '0' };
  const { authorization, calls } = await prepare(production, folder.path);
  const start = async () => {
    const running = await Promise.all(
      Array.from({ length: servers }, () => startServer('serve', folder.path, variables)),
    );
    started.push(...running);
    return running;
  };
  const stop = (running: Awaited<ReturnType<typeof start>>) => Promise.all(running.map((server) => server.stop()));

  const before = await transactions(database);
  await stop(await start());
  const idle = (await transactions(database)) - before;

  const running = await start();
  const callers = running.map(({ callers }) => openCaller(callers, authorization, connections / servers));
  const key = randomUUID();
  const startedAt = performance.now();
  const answers: { readonly received: ReceivedResponse; readonly means: unknown }[] = [];
  let sent = 0;
  let outcomes = 0;
  /** On a busy machine the first transaction takes longer, and more answers are "in progress". */
  const wantsMore = () => outcomes < count / 2 && performance.now() - startedAt < outcomesMsMax;
  const send = async (at: number): Promise<void> => {
    while (sent < count || wantsMore()) {
      const { call, meaning } = calls[sent++ % calls.length]!;
      const received = await callers[at % callers.length]!.ask(call, key);
      if (received.status === 200) outcomes += 1;
      answers.push({ received, means: received.status === 200 ? meaning(received) : undefined });
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => send(at)));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const caller of callers) caller.close();
  await stop(running);
  const after = await transactions(database);
  const [effects] = await postgres.ask(
    `select (select count(*)::int from idempotency_record) as keys, (select count(*)::int from stored_detail) as details,
      (select count(*)::int from shopper) as shoppers, (select count(*)::int from payment_instrument) as instruments`,
    [],
    database,
  );
  folder.discard();
  return { transactions: after - before - 2 * idle, seconds, answers, effects };
};

/** Checks that all answers are the same: one original, most of the rest replays, the others "in progress". */
const proveAnswers = (answers: Outcome['answers'], count: number): { readonly inProgress: number } => {
  const distinct = new Set<string>();
  let first = 0;
  let inProgress = 0;
  const wrong: string[] = [];
  for (const { received, means } of answers) {
    const { status, headers, body } = received;
    if (status === 200) {
      if (headers['idempotent-replayed'] === undefined) first += 1;
      distinct.add(JSON.stringify([headers.pspreference, means]));
    } else if (body.includes('704') && headers['transient-error'] === 'true') inProgress += 1;
    else wrong.push(`${status} ${body}`);
  }
  expect(wrong).toEqual([]);
  expect(first).toBe(1);
  expect([...distinct]).toHaveLength(1);
  expect(answers.length).toBeGreaterThanOrEqual(count);
  expect(answers.length - inProgress).toBeGreaterThanOrEqual(count / 2);
  return { inProgress };
};

const one = { keys: 1, details: 1, shoppers: 1, instruments: 0 };

describe.each([
  { servers: 1, withRedis: true, count: duplicates.few },
  { servers: 1, withRedis: false, count: duplicates.few },
  { servers: 2, withRedis: true, count: isNightly ? duplicates.many : duplicates.few },
  { servers: 2, withRedis: false, count: duplicates.few },
])('$servers server(s), Redis: $withRedis', ({ servers, withRedis, count }) => {
  test(`one effect and one answer, in at most ${transactionsMaxOf(count)} transactions`, async () => {
    const outcome = await sendDuplicates({ servers, withRedis, count });
    const { inProgress } = proveAnswers(outcome.answers, count);
    expect(outcome.effects).toEqual(one);
    expect(outcome.transactions).toBeGreaterThan(0);
    const background = servers * outcome.seconds * backgroundPerSecond;
    // A busy machine takes more than `count` answers, of which replays read the record, several at a time.
    const allowed = transactionsMaxOf(count) * Math.max(1, outcome.answers.length / count);
    expect(outcome.transactions).toBeLessThanOrEqual(allowed + background);
    if (process.env.STORM_FIGURES !== undefined)
      process.stderr.write(
        `${JSON.stringify({ servers, withRedis, transactions: outcome.transactions, seconds: outcome.seconds, inProgress })}\n`,
      );
  });
});

test('a card request to two servers issues one card and returns the same bytes', async () => {
  const { answers, effects } = await sendDuplicates({
    servers: 2,
    withRedis: true,
    count: duplicates.few,
    prepare: issuing,
  });
  proveAnswers(answers, duplicates.few);
  expect(effects).toEqual({ keys: 1, details: 0, shoppers: 0, instruments: 1 });
});
