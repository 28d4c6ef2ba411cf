/** Opens a store on PostgreSQL or a compatible server: a small pool, with a limit on every wait. */

import { type Client, type CustomTypesConfig, Pool, type PoolConfig } from 'pg';
import { type DatabaseAddress, parseDatabaseUrl } from '../postgres-address.ts';
import type { Engine } from '../sql/engine.ts';
import { ClosingClient } from './closing-client.ts';
import { answerMsMax, idleInTransactionMsMax, lockMsMax, statementMsMax } from './connection.ts';
import { PostgresEngine } from './engine.ts';
import { DatabaseHosts } from './hosts.ts';
import { ServerWatch, type WatchTimes, watchTimes } from './server-watch.ts';

interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full`, with commas between several hosts. */
  readonly url: string;
  /** Connections; at least 2, since the work of a transaction may read outside of it. */
  readonly poolMax: number;
  /** Of statements without a time limit; other times are for tests. */
  readonly watchTimes?: WatchTimes;
}

/** Connects at the first statement, not before. */
export function openPostgres(options: PostgresOptions): Engine {
  const address = parseDatabaseUrl(options.url);
  if ('hint' in address) throw new Error(`the URL of the database cannot be used: ${address.hint}`);
  const hosts = new DatabaseHosts(address);
  const poolOptions = optionsOf(options, address);
  const watch = new ServerWatch(
    (client) => ({ ...poolOptions, connectionString: hosts.urlOf(client) }),
    address.isPooled,
    options.watchTimes ?? watchTimes,
  );
  const pool = new Pool({
    ...poolOptions,
    Client: clientOf(hosts),
    onConnect: (client) => hosts.verify(client),
  });
  // An error without a listener would end the process. The pool removes the client by itself; a borrowed client fails at
  // its next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new PostgresEngine(pool, address, hosts, watch);
}

/** Each new client of the pool goes to the host that is next then. */
function clientOf(hosts: DatabaseHosts): typeof Client {
  return class extends ClosingClient {
    constructor(options?: PoolConfig) {
      const url = hosts.next;
      super({ ...options, connectionString: url });
      hosts.assign(this, url);
    }
  };
}

/** Complete, so that new defaults of the client change nothing. Parameters of the URL take precedence. */
function optionsOf({ poolMax }: PostgresOptions, { isPooled }: DatabaseAddress): PoolConfig {
  return {
    application_name: 'triglyph',
    client_encoding: 'utf8',
    types: { getTypeParser: readValue },
    // The limit of `ClosingClient` does not count while this process stands still.
    connectionTimeoutMillis: 0,
    // PgBouncer refuses connections with these parameters.
    ...(!isPooled && {
      statement_timeout: statementMsMax,
      lock_timeout: lockMsMax,
      idle_in_transaction_session_timeout: idleInTransactionMsMax,
    }),
    query_timeout: answerMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    enableChannelBinding: true,
    pipeline: true,
    min: 0,
    max: poolMax,
    idleTimeoutMillis: 30_000,
    maxUses: Number.POSITIVE_INFINITY,
    maxLifetimeSeconds: 0,
    allowExitOnIdle: false,
  };
}

/** Readers of values by the OID of their type (pg_type). */
const readers: ReadonlyMap<number, (text: string) => number> = new Map([
  [16, booleanNumber],
  [20, wholeNumber],
  [21, wholeNumber],
  [23, wholeNumber],
  [700, Number],
  [701, Number],
  [1700, Number],
]);

/** Returns the parser of a type, as the client requires it. */
const readValue = ((type: number) => readers.get(type) ?? unchanged) as CustomTypesConfig['getTypeParser'];

/** 1 or 0, as in SQLite. */
function booleanNumber(text: string): number {
  return text === 't' ? 1 : 0;
}

/** Counts are far below 2^53; a number beyond it would not be exact. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('the database returned a number beyond 2^53');
  return value;
}

function unchanged(text: string): string {
  return text;
}
