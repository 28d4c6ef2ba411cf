/** Opens a store on PostgreSQL, or on what speaks its protocol: a pool of few connections with a limit on every wait. */
import { Pool, type PoolConfig } from 'pg';
import type { Engine } from '../sql/engine.ts';
import { placeOf } from './address.ts';
import { answerMsMax, lockMsMax, statementMsMax } from './connection.ts';
import { PostgresEngine } from './engine.ts';
import { readValue } from './value.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full` */
  readonly url: string;
  /** Connections; at least 2, since a unit may read beside itself. */
  readonly poolMax: number;
}

const connectMsMax = 2_000;
/** A unit whose program was stopped gives up what it holds, and fails when the program goes on. */
const idleInUnitMsMax = 3_000;

/** In full, so that a new release's defaults change nothing. What the URL says beside the address is stronger. */
const optionsOf = ({ url, poolMax }: PostgresOptions): PoolConfig => ({
  connectionString: url,
  application_name: 'triglyph',
  client_encoding: 'utf8',
  types: { getTypeParser: readValue },
  connectionTimeoutMillis: connectMsMax,
  statement_timeout: statementMsMax,
  lock_timeout: lockMsMax,
  idle_in_transaction_session_timeout: idleInUnitMsMax,
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
});

/** Connects when it has to: nothing is found out about the server before the first statement. */
export const openPostgres = (options: PostgresOptions): Engine => {
  const pool = new Pool(optionsOf(options));
  // An error that nobody listens to would end the process. The pool lets go of the client by itself, and whoever has it
  // lent out hears of it by the next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new PostgresEngine(pool, placeOf(options.url));
};
