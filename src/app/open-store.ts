/** Which store is meant, and how it is opened: the embedded one in a folder, or a PostgreSQL. */

import { placeOf } from '../store/postgres/address.ts';
import type { Engine } from '../store/sql/engine.ts';
import { openSqlite } from '../store/sqlite/open.ts';
import type { Config } from './config.ts';

export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolMax: number };

export const storeOf = ({
  dataDir,
  databaseUrl,
  databasePoolMax,
}: Pick<Config, 'dataDir' | 'databaseUrl' | 'databasePoolMax'>): StoreAddress =>
  databaseUrl === undefined
    ? { kind: 'sqlite', dataDir }
    : { kind: 'postgres', url: databaseUrl, poolMax: databasePoolMax };

/** For messages: never a password. */
export const shownStore = (address: StoreAddress): string => {
  switch (address.kind) {
    case 'sqlite':
      return address.dataDir;
    case 'postgres':
      return `PostgreSQL at ${placeOf(address.url)}`;
    default:
      return address satisfies never;
  }
};

/**
 * `exclusive`: refused while a process serves from the folder, and no process may serve until it is closed; a PostgreSQL has
 * any number of servers. Throws `StoreUnavailable`, or a plain error naming who serves.
 */
export const openStore = async (
  address: StoreAddress,
  { exclusive }: { readonly exclusive: boolean },
): Promise<Engine> => {
  switch (address.kind) {
    case 'sqlite':
      return openSqlite({ dataDir: address.dataDir, exclusive });
    case 'postgres': {
      // Loaded where it is used: the embedded store needs no client.
      const { openPostgres } = await import('../store/postgres/open.ts');
      return openPostgres(address);
    }
    default:
      return address satisfies never;
  }
};
