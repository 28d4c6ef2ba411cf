/**
 * Servers killed while they deliver, again and again: each event arrives at least once, under one id, none is lost, and each
 * shopper's arrive in order the first time. WEBHOOK_KILLS=n for more of it. The control must fail by the same judgement.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { basic, type Production, prepareProduction, type Server, startServer, triglyph } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const kills = Number(process.env.WEBHOOK_KILLS ?? 2);
const shoppers = Array.from({ length: 8 }, (_, n) => `shopper-${n}`);
const hasty = join(import.meta.dirname, '../support/impatient-server.ts');

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

/** What each shopper's callers were answered, in their order: an event's id is the reference of its request. */
type Answered = ReadonlyMap<string, readonly string[]>;

interface Findings {
  readonly lost: readonly string[];
  /** Arrived, and nobody asked for it. */
  readonly strange: readonly string[];
  /** One id, and not always the same bytes. */
  readonly different: readonly string[];
  /** Shoppers who were first told of a later event and then of an earlier one. */
  readonly disordered: readonly string[];
  readonly again: number;
}

const nothingWrong = { lost: [], strange: [], different: [], disordered: [] };

const judge = (answered: Answered, { deliveries }: Pick<Receiver, 'deliveries'>): Findings => {
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
    strange: [...bodies.keys()].filter((id) => !wanted.has(id)),
    different: [...bodies].filter(([, { size }]) => size > 1).map(([id]) => id),
    disordered: [...answered].flatMap(([shopper, ids]) => {
      const arrived = firsts.get(shopper) ?? [];
      const inOrder = ids.filter((id) => bodies.has(id));
      return arrived.join() === inOrder.join() ? [] : [shopper];
    }),
    again: deliveries.length - bodies.size,
  };
};

interface Fleet {
  readonly servers: Server[];
  readonly production: Production;
  readonly folder: string;
  /** Webhooks that are not delivered. */
  waiting(): Promise<number>;
}

/** Writes for one shopper, one after the other, until it is told to stop; asks again until it is answered. */
const write = async ({ servers, production }: Fleet, shopper: string, isOver: () => boolean): Promise<string[]> => {
  const authorization = basic(production.credential.username, production.credential.secret);
  const ids: string[] = [];
  for (let n = 0; !isOver(); n += 1) {
    const card = {
      number: '4111111111111111',
      expiryMonth: String(1 + (n % 12)),
      expiryYear: '2040',
      holderName: 'Anna',
    };
    const body = JSON.stringify({
      merchantAccount: 'AcmeWeb',
      card,
      recurring: { contract: 'RECURRING' },
      shopperReference: shopper,
    });
    const headers = {
      'Content-Type': 'application/json',
      Authorization: authorization,
      'Idempotency-Key': randomUUID(),
    };
    for (let times = n; ; times += 1) {
      try {
        const { callers } = servers[times % servers.length]!;
        const url = `${callers}/pal/servlet/Recurring/v25/storeToken`;
        const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(3_000) });
        const { pspReference } = (await answer.json()) as { pspReference: string };
        if (answer.status === 200) {
          ids.push(pspReference);
          break;
        }
      } catch {
        // It was killed under the request: the retry finds out what was done.
      }
      await setTimeout(30);
    }
    await setTimeout(20);
  }
  return ids;
};

const open = async (
  size: number,
  database: string | undefined,
  file?: string,
): Promise<Fleet & { close(): Promise<void> }> => {
  const folder = tempFolder();
  const production = await prepareProduction(folder.path, {
    WEBHOOK_MS_MAX: '500',
    ...(database !== undefined && { DATABASE_URL: database }),
  });
  const start = () => startServer('serve', folder.path, production.variables, file);
  const servers = await Promise.all(Array.from({ length: size }, start));
  const count = `select count(*) as waiting from job where kind = 'webhook'`;
  return {
    servers,
    production,
    folder: folder.path,
    async waiting() {
      if (database !== undefined) return Number((await postgres.ask(count, [], database))[0]?.waiting);
      const file = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'), { readOnly: true });
      const { waiting } = file.prepare(count).get() as { waiting: number };
      file.close();
      return waiting;
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()));
      folder.discard();
    },
  };
};

/** Kills and starts them in turn while shoppers write, and lets the rest be delivered. */
const torment = async (fleet: Fleet, receiver: Receiver, times: number, file?: string): Promise<Answered> => {
  const { servers, production, folder } = fleet;
  let isOver = false;
  const writing = shoppers.map(async (shopper) => [shopper, await write(fleet, shopper, () => isOver)] as const);
  for (let n = 0; n < times; n += 1) {
    const before = receiver.deliveries.length;
    await until(
      () => receiver.deliveries.length,
      () => receiver.deliveries.length > before + 20,
    );
    await setTimeout(Math.random() * 300);
    const at = n % servers.length;
    await servers[at]!.kill();
    servers[at] = await startServer('serve', folder, production.variables, file);
  }
  isOver = true;
  const answered = new Map(await Promise.all(writing));
  await until(
    () => fleet.waiting(),
    async () => (await fleet.waiting()) === 0,
    60_000,
  );
  // Of the control: what is being sent counts no more as waiting.
  await setTimeout(500);
  return answered;
};

interface Torment {
  readonly size: number;
  readonly database: string | undefined;
  /** Kills. */
  readonly times: number;
  /** How long the receiver takes at most over an answer: of the control so long that some always wait for their turn. */
  readonly answerMs?: number;
}

const tormented = async ({ size, database, times, answerMs = 40 }: Torment, file?: string) => {
  const receiver = await openReceiver();
  const fleet = await open(size, database, file);
  try {
    const add = ['webhooks', 'endpoint', 'add', 'Acme', `${receiver.origin}/`];
    expect(await triglyph(add, fleet.folder, fleet.production.variables)).toMatchObject({ code: 0 });
    receiver.respond('/', async (response) => {
      // Long enough for a kill to come between the arrival and the answer.
      await setTimeout(Math.random() * answerMs);
      response.end();
    });
    const answered = await torment(fleet, receiver, times, file);
    const events = [...answered.values()].flat().length;
    const findings = judge(answered, receiver);
    if (process.env.WEBHOOK_KILLS !== undefined)
      process.stderr.write(
        `${JSON.stringify({ size, times, events, lost: findings.lost.length, again: findings.again })}\n`,
      );
    return { events, findings };
  } finally {
    await fleet.close();
    await receiver.close();
  }
};

const msMax = 60_000 + kills * 10_000;

test.concurrent.each([
  { store: 'PostgreSQL', size: 2 },
  { store: 'the embedded store', size: 1 },
])(
  `$size on $store, ${kills} kills: all are told, in order, under one id`,
  async ({ store, size }) => {
    const database = store === 'PostgreSQL' ? await postgres.createDatabase() : undefined;
    const { events, findings } = await tormented({ size, database, times: kills });
    expect(events).toBeGreaterThan(10 * kills);
    expect(findings).toMatchObject(nothingWrong);
  },
  msMax,
);

test.concurrent(
  'control: who counts a webhook as delivered before it is sent loses some',
  async () => {
    const { findings } = await tormented({ size: 1, database: undefined, times: 2, answerMs: 450 }, hasty);
    expect(findings.lost.length).toBeGreaterThan(0);
  },
  msMax,
);
