/** A server process of a fault-injection run: the production code with crash points, with or without idempotency records. */
import { startServer } from '../../../src/program/app/server.ts';
import { openRedisCache } from '../../../src/stores/redis/cache.ts';
import { openServed } from '../../resources/served.ts';
import { noCache } from '../../support/no-cache.ts';
import { announce, listenForInterruptions, type Point, recordsVariable } from './crash-points.ts';
import { instrumentCache, instrumentStore } from './instrumented-store.ts';

const pass = listenForInterruptions<Point>();
const { config, backend } = await openServed();
const cache =
  config.redisUrl === undefined ? noCache : openRedisCache({ url: config.redisUrl, clock: backend.context.clock });
const records = process.env[recordsVariable] !== 'off';
const store = instrumentStore(backend.store, pass, { records });
announce(await startServer(config, { ...backend, store }, { cache: instrumentCache(cache, pass) }));
