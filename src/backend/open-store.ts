/** Opens the store that the configuration names: the embedded one in a folder, or PostgreSQL. */

import type { Config } from '../config/config.ts';
import { parseDatabaseUrl, publicAddress } from '../store/postgres/address.ts';
import type { Engine } from '../store/sql/engine.ts';
import { openMemory } from '../store/sqlite/memory.ts';
import { openSqlite } from '../store/sqlite/open.ts';

export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolMax: number };

/** What a gateway without a database has for itself ends with its process. Its records are in Redis, or nowhere. */
export type AnyStoreAddress = StoreAddress | { readonly kind: 'memory'; readonly redisUrl?: string };

export interface OpenOptions {
  /**
   * Fails while a process serves from the folder, and lets no process serve until the store is closed. PostgreSQL may have
   * any number of servers.
   */
  readonly exclusive: boolean;
  /** Whether a missing folder or file is created. */
  readonly create: boolean;
}

export function storeAddress({
  dataDir,
  databaseUrl,
  databasePoolMax,
  redisStoreUrl,
  stateless,
}: Pick<Config, 'dataDir' | 'databaseUrl' | 'databasePoolMax' | 'redisStoreUrl' | 'stateless'>): AnyStoreAddress {
  if (redisStoreUrl !== undefined) return { kind: 'memory', redisUrl: redisStoreUrl };
  if (stateless) return { kind: 'memory' };
  return databaseUrl === undefined
    ? { kind: 'sqlite', dataDir }
    : { kind: 'postgres', url: databaseUrl, poolMax: databasePoolMax };
}

/** The name of the engine for people. */
export function engineTitle({ databaseUrl }: Pick<Config, 'databaseUrl'>): 'SQLite' | 'PostgreSQL' {
  return databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
}

/** Returns the address for messages, without a password. */
export function describeStore(address: AnyStoreAddress): string {
  switch (address.kind) {
    case 'sqlite':
      return address.dataDir;
    case 'memory':
      return address.redisUrl === undefined
        ? 'a gateway that stores nothing'
        : `Redis at ${publicRedis(address.redisUrl)}`;
    case 'postgres': {
      const parsed = parseDatabaseUrl(address.url);
      return 'hint' in parsed ? 'PostgreSQL' : `PostgreSQL at ${publicAddress(parsed)}`;
    }
    default:
      return address satisfies never;
  }
}

/** Throws StoreUnavailable, or a plain error that names the serving process or the missing store. */
export async function openStore(address: AnyStoreAddress, { exclusive, create }: OpenOptions): Promise<Engine> {
  switch (address.kind) {
    case 'sqlite':
      return openSqlite({ dataDir: address.dataDir, exclusive, create });
    case 'memory':
      return openMemory(Date.now);
    case 'postgres': {
      // Loaded on demand: the embedded store needs no client.
      const { openPostgres } = await import('../store/postgres/open.ts');
      return openPostgres(address);
    }
    default:
      return address satisfies never;
  }
}

/** Without user and password. */
function publicRedis(url: string): string {
  return url.replace(/^[^/]*\/\/(?:[^@/]*@)?/, '');
}
