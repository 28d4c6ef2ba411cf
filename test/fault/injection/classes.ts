/** The classes of faults: what is broken, how, and how often, while the clients go on. */
import { setTimeout as after } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import type { Postgres } from '../../support/postgres.ts';
import type { Proxy as Cutter } from '../../support/proxy.ts';
import type { RedisServer } from '../../support/redis.ts';
import type { Place } from './fleet.ts';
import { type Point, points } from './points.ts';
import type { SlowProxy } from './slow-proxy.ts';

/** What a class may break. */
export interface Field {
  readonly places: readonly Place[];
  readonly random: Random;
  readonly postgres: Postgres;
  /** Stands before PostgreSQL, where the class asks for it. */
  readonly cutter: Cutter;
  readonly redis: RedisServer;
  /** Stands before Redis, where the class asks for it. */
  readonly slow: SlowProxy;
  /** How long a process stands still. */
  readonly stallMs: number;
}

export interface FaultClass {
  readonly name: string;
  readonly store: 'PostgreSQL' | 'SQLite';
  /** What stands before the database or Redis in this class. */
  readonly through: readonly ('cutter' | 'slow')[];
  /** Breaks something once, and leaves all of it whole again. Gives how many faults that were. */
  readonly fault: (field: Field) => Promise<number>;
}

const strikeMsMax = 1_500;

/** One that answers, where there is one; else whichever is up next. */
const someServer = async ({ places, random }: Field): Promise<Place> => {
  const up = places.filter(({ address }) => address !== undefined);
  const place = random.pick(up.length > 0 ? up : places);
  await place.ready();
  return place;
};

const killAtRandom = async (field: Field): Promise<number> => {
  const { random } = field;
  const place = await someServer(field);
  await after(30 + random.below(300));
  place.kill();
  return 1;
};

/** Each class that goes through points takes them in turn, so that all of them come up. */
const turns = <T>(list: readonly T[]): (() => T) => {
  let turn = 0;
  return () => list[turn++ % list.length]!;
};

const strikeInTurn = (
  signal: 'SIGKILL' | 'SIGSTOP',
  list: readonly Point[],
  then: (place: Place, field: Field) => Promise<void>,
) => {
  const next = turns(list);
  return async (field: Field): Promise<number> => {
    const place = await someServer(field);
    await after(field.random.below(60));
    const struck = await place.strike({ point: next(), signal }, strikeMsMax);
    if (struck) await then(place, field);
    return struck ? 1 : 0;
  };
};

/** Servers that kill themselves at the points, one after the other. */
export const killAt = (list: readonly Point[]) => strikeInTurn('SIGKILL', list, async () => {});

/** The points after the commit come twice as often: it is there that a gate alone forgets. */
const inTurn: readonly Point[] = points.flatMap((point) =>
  point === 'after the commit' || point === 'before the record' ? [point, point] : [point],
);

const stand = async (place: Place, { stallMs }: Field): Promise<void> => {
  await after(stallMs);
  place.resume();
  await after(500);
};

const flush = async ({ redis, random }: Field): Promise<number> => {
  await redis.raw.flushall();
  await after(20 + random.below(150));
  return 1;
};

const pauseRedis = async ({ redis }: Field): Promise<number> => {
  redis.pause();
  await after(400);
  redis.resume();
  await after(300);
  return 1;
};

const killRedis = async ({ redis, random }: Field): Promise<number> => {
  await redis.kill();
  await after(50 + random.below(300));
  await redis.restart();
  await after(300 + random.below(500));
  return 1;
};

const slowness = turns([40, 60, 500]);
const slowRedis = async ({ slow }: Field): Promise<number> => {
  slow.delay(slowness());
  await after(700);
  slow.delay(0);
  await after(200);
  return 1;
};

/** Garbage, another type, or the record of another key. */
const spoilOne = async (raw: RedisServer['raw'], key: string, other: string, random: Random): Promise<unknown> => {
  const garbage = ['', 'P:', 'D:x', 'D:null', '{}', '\0\xff', 'x'.repeat(20_000)];
  switch (random.below(3)) {
    case 0:
      return raw.set(key, random.pick(garbage), 'PX', 60_000);
    case 1:
      return raw.multi().del(key).rpush(key, 'a', 'b').pexpire(key, 60_000).exec();
    default:
      return raw.set(key, (await raw.get(other).catch(() => null)) ?? 'D:', 'PX', 60_000);
  }
};

const spoilRecords = async ({ redis: { raw }, random }: Field): Promise<number> => {
  const [, keys] = await raw.scan(random.below(1_000), 'MATCH', 'idem:v1:*', 'COUNT', 200);
  for (const key of keys) await spoilOne(raw, key, random.pick(keys), random);
  await after(20);
  return keys.length;
};

/** No commit is acknowledged from here on; those that wait are on the disk, and nobody has been told. */
const holdCommits = async (postgres: Postgres): Promise<void> => {
  await postgres.ask("alter system set synchronous_standby_names = 'nobody'");
  await postgres.ask('select pg_reload_conf()');
  await after(150);
  // For whoever starts next; the server that runs has read it already.
  await postgres.ask('alter system reset synchronous_standby_names');
};

const others = "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'faults_%'";

const terminate = turns([
  async ({ postgres }: Field) => (await postgres.ask(others)).length,
  async ({ postgres }: Field) => {
    await holdCommits(postgres);
    const ended = await postgres.ask(`${others} and wait_event = 'SyncRep'`);
    await postgres.ask('select pg_reload_conf()');
    return ended.length;
  },
]);

const restartPostgres = turns([
  async ({ postgres }: Field) => {
    await holdCommits(postgres);
    await postgres.stop();
    await postgres.start();
    return 1;
  },
  async ({ postgres }: Field) => {
    await postgres.kill();
    await postgres.start();
    return 1;
  },
]);

/** The query itself: the word alone stands in another statement too. */
const commit = 'commit\0';
const sides = turns(['before the client hears', 'before the server hears'] as const);

/** Nothing breaks: what a class shows is then the doing of its faults. */
export const calm: FaultClass = Object.freeze({
  name: 'no fault',
  store: 'PostgreSQL',
  through: [],
  fault: async () => {
    await after(100);
    return 0;
  },
});

export const faultClasses: readonly FaultClass[] = Object.freeze<FaultClass[]>([
  { name: 'kill -9 at random', store: 'PostgreSQL', through: [], fault: killAtRandom },
  {
    name: 'kill -9 at each point',
    store: 'PostgreSQL',
    through: [],
    fault: killAt(inTurn),
  },
  { name: 'Redis FLUSHALL', store: 'PostgreSQL', through: [], fault: flush },
  { name: 'Redis stopped for 0.4 s', store: 'PostgreSQL', through: [], fault: pauseRedis },
  { name: 'Redis killed, back empty', store: 'PostgreSQL', through: [], fault: killRedis },
  { name: 'Redis slow by 40, 60, 500 ms', store: 'PostgreSQL', through: ['slow'], fault: slowRedis },
  { name: 'Redis with wrong values', store: 'PostgreSQL', through: [], fault: spoilRecords },
  {
    name: 'PostgreSQL backends terminated',
    store: 'PostgreSQL',
    through: [],
    fault: async (field) => {
      const ended = await terminate()(field);
      await after(100 + field.random.below(300));
      return ended;
    },
  },
  {
    name: 'PostgreSQL restarted',
    store: 'PostgreSQL',
    through: [],
    fault: async (field) => {
      const restarted = await restartPostgres()(field);
      await after(700 + field.random.below(500));
      return restarted;
    },
  },
  {
    name: 'connection cut at COMMIT',
    store: 'PostgreSQL',
    through: ['cutter'],
    fault: async ({ cutter, random }) => {
      cutter.cut(commit, sides());
      await after(20 + random.below(60));
      return 1;
    },
  },
  {
    name: 'a server stands still',
    store: 'PostgreSQL',
    through: [],
    fault: strikeInTurn(
      'SIGSTOP',
      ['after the claim', 'before the commit', 'after the commit', 'before the effect'],
      stand,
    ),
  },
  { name: 'kill -9 at random, SQLite', store: 'SQLite', through: [], fault: killAtRandom },
  {
    name: 'kill -9 at each point, SQLite',
    store: 'SQLite',
    through: [],
    fault: killAt(inTurn),
  },
]);
