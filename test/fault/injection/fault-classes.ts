/** The fault classes: what is broken, how, and how often, while the clients work. */
import { setTimeout as after } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import type { Postgres } from '../../support/postgres.ts';
import type { TestProxy } from '../../support/proxy.ts';
import type { RedisServer } from '../../support/redis.ts';
import { type Point, points } from './crash-points.ts';
import type { ServerSlot } from './fleet.ts';

/** What a fault class may break. */
export interface FaultTargets {
  readonly servers: readonly ServerSlot[];
  readonly random: Random;
  readonly postgres: Postgres;
  /** A proxy before PostgreSQL, where the class needs it. */
  readonly cutter: TestProxy;
  readonly redis: RedisServer;
  /** A proxy before Redis, where the class needs it. */
  readonly slow: TestProxy;
  /** How long a process is stopped. */
  readonly stallMs: number;
}

export interface FaultClass {
  readonly name: string;
  readonly store: 'PostgreSQL' | 'SQLite';
  /** The proxies before the database or Redis. */
  readonly through: readonly ('cutter' | 'slow')[];
  /** Breaks something once, and repairs it. Returns the number of faults. */
  readonly fault: (targets: FaultTargets) => Promise<number>;
}

const interruptMsMax = 1_500;

/** A server that is ready, where there is one; else one that will be. */
const pickServer = async ({ servers, random }: FaultTargets): Promise<ServerSlot> => {
  const ready = servers.filter(({ address }) => address !== undefined);
  const server = random.pick(ready.length > 0 ? ready : servers);
  await server.ready();
  return server;
};

const killAtRandom = async (targets: FaultTargets): Promise<number> => {
  const { random } = targets;
  const server = await pickServer(targets);
  await after(30 + random.below(300));
  await server.kill();
  return 1;
};

/** Returns the items of a list in turn, so that each is used. */
const inTurn = <T>(list: readonly T[]): (() => T) => {
  let turn = 0;
  return () => list[turn++ % list.length]!;
};

const interruptInTurn = (
  signal: 'SIGKILL' | 'SIGSTOP',
  list: readonly Point[],
  then: (server: ServerSlot, targets: FaultTargets) => Promise<void>,
) => {
  const next = inTurn(list);
  return async (targets: FaultTargets): Promise<number> => {
    const server = await pickServer(targets);
    await after(targets.random.below(60));
    const isInterrupted = await server.interrupt({ point: next(), signal }, interruptMsMax);
    if (isInterrupted) await then(server, targets);
    return isInterrupted ? 1 : 0;
  };
};

/** Servers kill themselves at the points, one after the other. */
export const killAt = (list: readonly Point[]) => interruptInTurn('SIGKILL', list, async () => {});

/** The points after the commit come twice as often: only the idempotency record remembers the request there. */
const weightedPoints: readonly Point[] = points.flatMap((point) =>
  point === 'after the commit' || point === 'before caching' ? [point, point] : [point],
);

const resumeLater = async (server: ServerSlot, { stallMs }: FaultTargets): Promise<void> => {
  await after(stallMs);
  server.resume();
  await after(500);
};

const flush = async ({ redis, random }: FaultTargets): Promise<number> => {
  await redis.raw.flushall();
  await after(20 + random.below(150));
  return 1;
};

const pauseRedis = async ({ redis }: FaultTargets): Promise<number> => {
  redis.pause();
  await after(400);
  redis.resume();
  await after(300);
  return 1;
};

const killRedis = async ({ redis, random }: FaultTargets): Promise<number> => {
  await redis.kill();
  await after(50 + random.below(300));
  await redis.restart();
  await after(300 + random.below(500));
  return 1;
};

const slowness = inTurn([40, 60, 500]);
const slowRedis = async ({ slow }: FaultTargets): Promise<number> => {
  slow.delay(slowness());
  await after(700);
  slow.delay(0);
  await after(200);
  return 1;
};

/** Writes garbage, another type, or the value of another key. */
const corruptOne = async (raw: RedisServer['raw'], key: string, other: string, random: Random): Promise<unknown> => {
  const garbage = ['', 'P:', 'D', 'D:x', '{}', '\0\xff', 'x'.repeat(20_000)];
  switch (random.below(3)) {
    case 0:
      return raw.set(key, random.pick(garbage), 'PX', 60_000);
    case 1:
      return raw.multi().del(key).rpush(key, 'a', 'b').pexpire(key, 60_000).exec();
    default:
      return raw.set(key, (await raw.get(other).catch(() => null)) ?? 'D', 'PX', 60_000);
  }
};

const corruptCache = async ({ redis: { raw }, random }: FaultTargets): Promise<number> => {
  // A cursor in the middle of a small database finds nothing.
  const [, found] = await raw.scan(random.below(1_000), 'MATCH', 'idem:v2:*', 'COUNT', 200);
  const keys = found.length > 0 ? found : (await raw.scan(0, 'MATCH', 'idem:v2:*', 'COUNT', 200))[1];
  for (const key of keys) await corruptOne(raw, key, random.pick(keys), random);
  await after(20);
  return keys.length;
};

/** From here on no commit is acknowledged; waiting ones are on the disk already. */
const delayCommits = async (postgres: Postgres): Promise<void> => {
  await postgres.ask("alter system set synchronous_standby_names = 'absent'");
  await postgres.ask('select pg_reload_conf()');
  await after(150);
  // For the next start; the running server has read the setting.
  await postgres.ask('alter system reset synchronous_standby_names');
};

const terminateBackends = "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'faults_%'";

const terminate = inTurn([
  async ({ postgres }: FaultTargets) => (await postgres.ask(terminateBackends)).length,
  async ({ postgres }: FaultTargets) => {
    await delayCommits(postgres);
    const ended = await postgres.ask(`${terminateBackends} and wait_event = 'SyncRep'`);
    await postgres.ask('select pg_reload_conf()');
    return ended.length;
  },
]);

const restartPostgres = inTurn([
  async ({ postgres }: FaultTargets) => {
    await delayCommits(postgres);
    await postgres.stop();
    await postgres.start();
    return 1;
  },
  async ({ postgres }: FaultTargets) => {
    await postgres.kill();
    await postgres.start();
    return 1;
  },
]);

/** The standby is synchronous, so no acknowledged commit is lost. */
const failOver = async ({ postgres, random }: FaultTargets): Promise<number> => {
  const standby = await postgres.addStandby({ synchronous: true });
  await after(200 + random.below(500));
  await standby.promote();
  await after(700 + random.below(500));
  return 1;
};

/** With the end of the query: the word alone is also part of another statement. */
const commit = 'commit\0';
const sides = inTurn(['before the client receives', 'before the server receives'] as const);

/** The baseline: shows that the failures of other classes come from their faults. */
export const noFault: FaultClass = Object.freeze({
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
    fault: killAt(weightedPoints),
  },
  { name: 'Redis FLUSHALL', store: 'PostgreSQL', through: [], fault: flush },
  { name: 'Redis stopped for 0.4 s', store: 'PostgreSQL', through: [], fault: pauseRedis },
  { name: 'Redis killed, back empty', store: 'PostgreSQL', through: [], fault: killRedis },
  { name: 'Redis slow by 40, 60, 500 ms', store: 'PostgreSQL', through: ['slow'], fault: slowRedis },
  { name: 'Redis with wrong values', store: 'PostgreSQL', through: [], fault: corruptCache },
  {
    name: 'PostgreSQL backends terminated',
    store: 'PostgreSQL',
    through: [],
    fault: async (targets) => {
      const ended = await terminate()(targets);
      await after(100 + targets.random.below(300));
      return ended;
    },
  },
  {
    name: 'PostgreSQL restarted',
    store: 'PostgreSQL',
    through: [],
    fault: async (targets) => {
      const restarted = await restartPostgres()(targets);
      await after(700 + targets.random.below(500));
      return restarted;
    },
  },
  { name: 'PostgreSQL failed over to a standby', store: 'PostgreSQL', through: [], fault: failOver },
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
    name: 'a server is stopped',
    store: 'PostgreSQL',
    through: [],
    fault: interruptInTurn(
      'SIGSTOP',
      ['after the reservation', 'before the commit', 'after the commit', 'before the effect'],
      resumeLater,
    ),
  },
  { name: 'kill -9 at random, SQLite', store: 'SQLite', through: [], fault: killAtRandom },
  {
    name: 'kill -9 at each point, SQLite',
    store: 'SQLite',
    through: [],
    fault: killAt(weightedPoints),
  },
]);
