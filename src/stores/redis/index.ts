/** Redis as a cache and as the store of records. It is loaded where it is configured. */
export { type CacheEvent, openRedisCache } from './cache.ts';
export { inspectDurability } from './durability.ts';
export { RecordCommands } from './record-commands.ts';
export * from './record-store.ts';
