/** Databases that lose their last commits, or none: a standby is promoted, or a backup is restored. Every retry has one answer. */
import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isNightly } from '../support/nightly.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import {
  closeSite,
  expectAllLost,
  expectNothingLost,
  type FinalAnswer,
  failOverUnderLoad,
  openSite,
  type Site,
  type Survived,
  storeToken,
} from './site.ts';

/** The seeded defect, as the program of a server. */
const remembering = join(import.meta.dirname, 'remembering-server.ts');

let postgres: Postgres;
let redis: RedisServer;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});
afterAll(() => Promise.all([redis?.stop(), postgres?.discard()]));

/** Prepares a loss; what is committed from then on is gone after the returned function. */
type PrepareLoss = (site: DatabaseSite) => Promise<() => Promise<void>>;

interface DatabaseSite extends Site {
  /** How many details are stored. */
  countDetails(): Promise<number>;
}

interface EngineOptions {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly withRedis: boolean;
  readonly file?: string;
}

async function openDatabaseSite({ engine, withRedis, file }: EngineOptions): Promise<DatabaseSite> {
  const database = engine === 'PostgreSQL' ? await postgres.createMigratedDatabase() : undefined;
  const variables = { ...(database && { DATABASE_URL: database }), ...(withRedis && { REDIS_URL: redis.url }) };
  const site = await openSite({ servers: database === undefined ? 1 : 2, variables, file });
  const count = 'select count(*) as count from stored_detail';
  return {
    ...site,
    async countDetails() {
      if (database !== undefined) return Number((await postgres.ask(count, [], database))[0]?.count);
      const file = new DatabaseSync(join(site.folder.path, 'data', 'triglyph.db'), { readOnly: true });
      const row = file.prepare(count).get();
      file.close();
      return Number(row?.count);
    },
  };
}

const newKeys = (count: number): readonly string[] => Array.from({ length: count }, () => randomUUID());

interface Observed {
  /** How many details the loss left. */
  readonly left: number;
  /** In the end. */
  readonly details: number;
  /** Of each key: the answer before the loss, and those after it. */
  readonly durable: readonly KeyAnswers[];
  readonly lost: readonly KeyAnswers[];
}

interface KeyAnswers {
  readonly before: FinalAnswer;
  readonly after: readonly FinalAnswer[];
}

const durableCount = 3;
const lostCount = 6;

/** Stores details, loses the later ones, and retries all of them at both servers. */
async function observeLoss(options: EngineOptions, prepareLoss: PrepareLoss): Promise<Observed> {
  const site = await openDatabaseSite(options);
  try {
    const store = async (key: string, at: number) => {
      const before = await storeToken(site, key, at);
      // The other server has answered, too.
      await storeToken(site, key, at + 1);
      return before;
    };
    const all = async <T>(keys: readonly string[], work: (key: string, at: number) => Promise<T>): Promise<T[]> =>
      Promise.all(keys.map(work));
    const [durable, lost] = [newKeys(durableCount), newKeys(lostCount)];
    const durableBefore = await all(durable, store);
    const lose = await prepareLoss(site);
    const lostBefore = await all(lost, store);
    await lose();
    const left = await site.countDetails();
    const again = async (key: string, at: number): Promise<readonly FinalAnswer[]> => {
      const answers: FinalAnswer[] = [];
      for (const next of [at, at + 1, at]) answers.push(await storeToken(site, key, next));
      return answers;
    };
    const pair = (befores: readonly FinalAnswer[], afters: readonly (readonly FinalAnswer[])[]) =>
      befores.map((before, at) => ({ before, after: afters[at]! }));
    return {
      left,
      durable: pair(durableBefore, await all(durable, again)),
      lost: pair(lostBefore, await all(lost, again)),
      details: await site.countDetails(),
    };
  } finally {
    await closeSite(site);
  }
}

const promoteStandbyBehind: PrepareLoss = async () => {
  const standby = await postgres.addStandby();
  await standby.cutOff();
  return () => standby.promote();
};

const restorePostgres: PrepareLoss = () => postgres.backUp();

/** The server is stopped while files are copied. */
const restoreSqlite: PrepareLoss = async (site) => {
  const data = join(site.folder.path, 'data');
  const backup = join(site.folder.path, 'backup');
  const whileStopped = async (work: () => void) => {
    await site.servers[0]!.stop();
    work();
    site.servers[0] = await site.start();
  };
  await whileStopped(() => cpSync(data, backup, { recursive: true }));
  return () =>
    whileStopped(() => {
      rmSync(data, { recursive: true });
      cpSync(backup, data, { recursive: true });
    });
};

const losses: readonly { readonly name: string; readonly options: EngineOptions; readonly prepareLoss: PrepareLoss }[] =
  [
    ...[true, false].flatMap((withRedis) => {
      const options = { engine: 'PostgreSQL', withRedis } as const;
      const also = withRedis ? 'Redis' : 'no Redis';
      return [
        { name: `a promoted standby that was behind, ${also}`, options, prepareLoss: promoteStandbyBehind },
        { name: `restored files of PostgreSQL, ${also}`, options, prepareLoss: restorePostgres },
      ];
    }),
    {
      name: 'restored files of SQLite, Redis',
      options: { engine: 'SQLite', withRedis: true },
      prepareLoss: restoreSqlite,
    },
  ];

/** The nightly run also has the loss of files without Redis: the other two of these show it apart. */
describe.each(
  losses.filter(({ options, prepareLoss }) => isNightly || options.withRedis || prepareLoss !== restorePostgres),
)('$name', ({ options, prepareLoss }) => {
  test('what is lost is executed anew, once, and answered alike by every server', async () => {
    const { left, details, durable, lost } = await observeLoss(options, prepareLoss);
    // The loss has happened.
    expect(left).toBe(durableCount);
    for (const { before, after } of durable) {
      expect(before).toMatchObject({ status: 200, replayed: false });
      for (const each of after) expect(each).toEqual({ ...before, replayed: true });
    }
    for (const { before, after } of lost) {
      const [first, ...retries] = after;
      expect(first).toMatchObject({ status: 200, replayed: false });
      expect(first!.reference).not.toBe(before.reference);
      for (const each of retries) expect(each).toEqual({ ...first, replayed: true });
    }
    expect(details).toBe(durableCount + lostCount);
  });
});

/** The nightly run has a control of each loss. */
describe.each(
  losses.filter(
    ({ options, prepareLoss }) => isNightly || options.withRedis === (prepareLoss !== promoteStandbyBehind),
  ),
)('$name', ({ options, prepareLoss }) => {
  test('seeded defect: a server that remembers outcomes answers for effects that are gone', async () => {
    const { left, details, lost } = await observeLoss({ ...options, file: remembering }, prepareLoss);
    expect(left).toBe(durableCount);
    expect(
      lost.filter(({ before, after }) => after.some(({ reference }) => reference === before.reference)),
    ).toHaveLength(lostCount);
    expect(details).toBeLessThan(durableCount + lostCount);
  });
});

/** Clients store details while the primary is killed and a standby takes its place. */
async function failOverAtOneAddress(options: { readonly synchronous: boolean }): Promise<Survived> {
  const site = await openDatabaseSite({ engine: 'PostgreSQL', withRedis: true });
  try {
    const standby = await postgres.addStandby(options);
    if (!options.synchronous) await standby.cutOff();
    return await failOverUnderLoad(site, {
      failOver: () => standby.promote(),
      countDetails: () => site.countDetails(),
    });
  } finally {
    await closeSite(site);
  }
}

describe('a failover under load', () => {
  test('to a synchronous standby loses nothing', async () =>
    expectNothingLost(await failOverAtOneAddress({ synchronous: true })));
  test('control: to a standby that was behind it loses every answer', async () =>
    expectAllLost(await failOverAtOneAddress({ synchronous: false })));
});
