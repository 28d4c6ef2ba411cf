/** A seeded defect: a server that answers retries from memory, in Redis where there is one, without reading the record. */
import { Redis } from 'ioredis';
import type { StoredOutcome } from '../../src/core/idempotency/ports.ts';
import { startServer } from '../../src/program/app/server.ts';
import { type OutcomeMemory, rememberOutcomes } from '../support/remembering-store.ts';
import { openBuiltIn, readConfig } from '../support/services.ts';

const config = readConfig('production');
const backend = await openBuiltIn(config, { exclusive: true });
const store = rememberOutcomes(
  backend.store,
  config.redisUrl === undefined ? memoryOfProcess() : memoryInRedis(config.redisUrl),
);
const running = await startServer(config, { ...backend, store });
process.stdout.write(`ready: callers at ${running.callers}, admin at ${running.admin}\n`);
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});

function memoryOfProcess(): OutcomeMemory {
  const outcomes = new Map<string, StoredOutcome>();
  return {
    find: async (recordKey) => outcomes.get(recordKey),
    save: async (recordKey, stored) => outcomes.set(recordKey, stored),
  };
}

function memoryInRedis(url: string): OutcomeMemory {
  const redis = new Redis(url);
  return {
    async find(recordKey) {
      const text = await redis.get(`remembered ${recordKey}`);
      return text === null ? undefined : JSON.parse(text);
    },
    save: (recordKey, stored) => redis.set(`remembered ${recordKey}`, JSON.stringify(stored)),
  };
}
