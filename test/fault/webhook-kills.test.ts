/**
 * Kills servers while they deliver webhooks and checks the deliveries: every event arrives at least once, under one id, and the
 * first deliveries of a shopper are in order. `KILLS=20` is the long run. A seeded defect must fail the same check.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Random } from '../simulation/random.ts';
import { triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { seed } from '../support/seed.ts';
import { basic, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { isFoundWithin, until } from '../support/until.ts';
import { postgresOf, sqliteOf } from './databases.ts';
import type { Fleet, ServerProgram } from './injection/fleet.ts';
import { isLongRun, kills, runUnderKills, sendTo } from './injection/kill-run.ts';

const random = new Random(seed);
const endingJobsEarly: ServerProgram = { file: join(import.meta.dirname, 'server-ending-jobs-early.ts') };

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

/** The pspReferences of each shopper's requests, in order; the reference of a request is the id of its event. */
type Answered = ReadonlyMap<string, readonly string[]>;

interface DeliveryReport {
  readonly lost: readonly string[];
  /** Delivered ids without a request. */
  readonly unexpected: readonly string[];
  /** Ids that arrived with different bodies. */
  readonly different: readonly string[];
  /** Shoppers whose first deliveries were out of order. */
  readonly disordered: readonly string[];
  readonly redelivered: number;
}

const noViolations = { lost: [], unexpected: [], different: [], disordered: [] };

const checkDeliveries = (answered: Answered, { deliveries }: Pick<Receiver, 'deliveries'>): DeliveryReport => {
  const bodies = new Map<string, Set<string>>();
  const firsts = new Map<string, string[]>();
  for (const { body } of deliveries) {
    const { eventId, data } = JSON.parse(body);
    if (!bodies.has(eventId))
      firsts.set(data.shopperReference, [...(firsts.get(data.shopperReference) ?? []), eventId]);
    bodies.set(eventId, (bodies.get(eventId) ?? new Set()).add(body));
  }
  const wanted = new Set([...answered.values()].flat());
  return {
    lost: [...wanted].filter((id) => !bodies.has(id)),
    unexpected: [...bodies.keys()].filter((id) => !wanted.has(id)),
    different: [...bodies].filter(([, { size }]) => size > 1).map(([id]) => id),
    disordered: [...answered].flatMap(([shopper, ids]) => {
      const arrived = firsts.get(shopper) ?? [];
      const inOrder = ids.filter((id) => bodies.has(id));
      return arrived.join() === inOrder.join() ? [] : [shopper];
    }),
    redelivered: deliveries.length - bodies.size,
  };
};

interface KillTest {
  readonly size: 1 | 2;
  readonly databaseUrl?: string;
  readonly kills?: number;
  /** The receiver's longest response time; long for the seeded defect, so that some webhooks always wait. */
  readonly answerMs?: number;
  readonly program?: ServerProgram;
}

/** Kills and restarts the servers in turn while shoppers store details, then waits until all webhooks are delivered. */
async function runKillTest({ size, databaseUrl, kills: count = kills, answerMs = 40, program }: KillTest) {
  const { path: folder, discard } = tempFolder();
  const receiver = await openReceiver();
  const { credential, variables } = await prepareProduction(folder, {
    WEBHOOK_MS_MAX: '500',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });
  const add = ['webhooks', 'endpoint', 'add', 'Acme', `${receiver.origin}/`];
  expect(await triglyph(add, folder, variables)).toMatchObject({ code: 0 });
  receiver.respond('/', async (response) => {
    // Long enough for a kill to come between the arrival and the answer.
    await setTimeout(random.below(answerMs));
    response.end();
  });
  const database =
    databaseUrl === undefined ? sqliteOf(join(variables.DATA_DIR!, 'triglyph.db')) : postgresOf(postgres, databaseUrl);
  const waiting = async () =>
    Number((await database.query("select count(*) as waiting from job where kind = 'webhook'"))[0]?.waiting);
  const answered = new Map(Array.from({ length: 8 }, (_, client): [string, string[]] => [`shopper-${client}`, []]));
  const authorization = basic(credential.username, credential.secret);

  /** Stores a detail of the shopper; retries until it succeeds. */
  async function step(fleet: Fleet, client: number, turn: number): Promise<void> {
    const shopper = `shopper-${client}`;
    const body = JSON.stringify({
      merchantAccount: 'AcmeWeb',
      card: {
        number: '4111111111111111',
        expiryMonth: String(1 + (turn % 12)),
        expiryYear: '2040',
        holderName: 'Anna',
      },
      recurring: { contract: 'RECURRING' },
      shopperReference: shopper,
    });
    const call = { path: '/pal/servlet/Recurring/v25/storeToken', contentType: 'application/json', body };
    const headers = { authorization, 'idempotency-key': randomUUID() };
    for (let times = turn; ; times += 1) {
      const answer = await sendTo(fleet, times, call, headers);
      if (typeof answer === 'object' && answer.status === 200) {
        answered.get(shopper)!.push(JSON.parse(answer.text).pspReference);
        break;
      }
      await setTimeout(30);
    }
    await setTimeout(20);
  }

  const track = {
    ...(program && { program }),
    folder,
    variables,
    servers: size,
    clients: answered.size,
    random,
    kills: count,
    step,
    async isRipe() {
      const before = receiver.deliveries.length;
      await until(
        () => receiver.deliveries.length,
        () => receiver.deliveries.length > before + 20,
      );
    },
  };
  try {
    return await runUnderKills(track, async () => {
      await until(waiting, async () => (await waiting()) === 0);
      // With the seeded defect a webhook in flight no longer counts as waiting.
      await setTimeout(500);
      const events = [...answered.values()].flat().length;
      const report = checkDeliveries(answered, receiver);
      const { lost, redelivered } = report;
      if (isLongRun)
        process.stderr.write(`${JSON.stringify({ size, kills: count, events, lost: lost.length, redelivered })}\n`);
      return { events, report };
    });
  } finally {
    await receiver.close();
    discard();
  }
}

test.concurrent.each([
  { store: 'PostgreSQL', size: 2 },
  { store: 'the embedded store', size: 1 },
] as const)(
  `$size on $store, ${kills} kills: every event is delivered in order, under one id`,
  async ({ store, size }) => {
    const on = store === 'PostgreSQL' ? { databaseUrl: await postgres.createMigratedDatabase() } : {};
    const { events, report } = await runKillTest({ size, ...on });
    expect(events).toBeGreaterThan(10 * kills);
    expect(report).toMatchObject(noViolations);
  },
);

test.concurrent('seeded defect: a server that ends webhook jobs before sending loses events', async () => {
  const attempt: KillTest = { size: 1, kills: 2, answerMs: 450, program: endingJobsEarly };
  expect(await isFoundWithin(async () => (await runKillTest(attempt)).report.lost.length > 0)).toBe(true);
});
