/** Opens the store that the configuration names: the embedded one in a folder, or PostgreSQL. */

import { type Config, hasDatabase } from '../config/index.ts';
import { type Engine, noDatabase, parseDatabaseUrl, publicAddress } from '../stores/index.ts';

export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolMax: number };

/** A gateway without a database has its records in Redis, or nowhere. Its audit log, until it is copied, and the sessions of its console are in memory, and need tables. */
type AnyStoreAddress =
  | StoreAddress
  | { readonly kind: 'memory'; readonly hasTables: boolean; readonly redisUrl?: string };

interface OpenOptions {
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
  audit,
  console,
}: Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'databasePoolMax' | 'redisStoreUrl' | 'stateless' | 'audit' | 'console'
>): AnyStoreAddress {
  const hasTables = audit || console;
  if (redisStoreUrl !== undefined) return { kind: 'memory', hasTables, redisUrl: redisStoreUrl };
  if (stateless) return { kind: 'memory', hasTables };
  return databaseUrl === undefined
    ? { kind: 'sqlite', dataDir }
    : { kind: 'postgres', url: databaseUrl, poolMax: databasePoolMax };
}

/** The name of the engine for people. */
export function engineTitle(
  config: Pick<Config, 'databaseUrl' | 'redisStoreUrl' | 'stateless'>,
): 'SQLite' | 'PostgreSQL' | 'Redis' | 'none' {
  if (!hasDatabase(config)) return config.stateless ? 'none' : 'Redis';
  return config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
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
    // Engines are loaded on demand: a process needs one of them at most.
    case 'sqlite': {
      const { openSqlite } = await import('../stores/sqlite/index.ts');
      return openSqlite({ dataDir: address.dataDir, exclusive, create });
    }
    case 'memory': {
      // A command may write to tables that end with it, as an import does.
      if (exclusive && !address.hasTables) return noDatabase;
      const { openMemory } = await import('../stores/sqlite/index.ts');
      return openMemory(Date.now);
    }
    case 'postgres': {
      const { openPostgres } = await import('../stores/postgres/index.ts');
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
