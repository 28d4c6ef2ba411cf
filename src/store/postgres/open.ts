/** Opens a store on PostgreSQL or a compatible server: a small pool, with a limit on every wait. */
import { Pool, type PoolConfig } from 'pg';
import type { DescribedEngine } from '../sql/engine.ts';
import { publicAddress } from './address.ts';
import { answerMsMax, lockMsMax, statementMsMax } from './connection.ts';
import { PostgresEngine } from './engine.ts';
import { readValue } from './value.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full` */
  readonly url: string;
  /** Connections; at least 2, since the work of a transaction may read outside of it. */
  readonly poolMax: number;
}

const connectMsMax = 2_000;
/** The transaction of a suspended process releases its locks after this time, and fails when the process continues. */
const idleInTransactionMsMax = 3_000;

/** Connects at the first statement, not before. */
export function openPostgres(options: PostgresOptions): DescribedEngine {
  const pool = new Pool(optionsOf(options));
  // An error without a listener would end the process. The pool removes the client by itself; a borrowed client fails at
  // its next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new PostgresEngine(pool, publicAddress(options.url));
}

/** Complete, so that new defaults of the client change nothing. Parameters of the URL take precedence. */
function optionsOf({ url, poolMax }: PostgresOptions): PoolConfig {
  return {
    connectionString: url,
    application_name: 'triglyph',
    client_encoding: 'utf8',
    types: { getTypeParser: readValue },
    connectionTimeoutMillis: connectMsMax,
    statement_timeout: statementMsMax,
    lock_timeout: lockMsMax,
    idle_in_transaction_session_timeout: idleInTransactionMsMax,
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
