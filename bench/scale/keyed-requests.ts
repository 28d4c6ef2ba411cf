/** Measures requests with an Idempotency-Key, and their replays, in a table of few records and of many, in alternating rounds. */
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { replayedHeader } from '../../src/core/contract/retry.ts';
import type { Postgres } from '../../test/support/postgres.ts';
import { demoAuthorization } from '../../test/support/server.ts';
import { cpuUs } from '../server.ts';
import { type Timed, timeInRounds, timeRequest } from './rounds.ts';
import type { Served } from './stores.ts';

export interface KeyedRequests {
  readonly engine: Served['engine'];
  readonly records: number;
  readonly request: 'new' | 'replayed';
}

/** A `storeToken` and its key. */
export interface KeyedRequest {
  readonly key: string;
  readonly body: string;
}

export const storeTokenPath = '/pal/servlet/Recurring/v25/storeToken';
export const requestHeaders = {
  'Content-Type': 'application/json',
  Authorization: demoAuthorization,
};
export const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' };
const replayedKeys = 100;

/** CPU time is that of the server and of PostgreSQL. */
export async function timeKeyedRequests(
  servers: readonly (Served & { readonly records: number })[],
  processes: DatabaseProcesses,
): Promise<readonly (Timed & KeyedRequests)[]> {
  const targets = [];
  for (const served of servers) {
    const { engine, records, server } = served;
    const cpuUs = () => server.cpuUs() + (engine === 'PostgreSQL' ? processes.cpuUs() : 0);
    const known: KeyedRequest[] = Array.from({ length: replayedKeys }, newRequest);
    for (const each of known) await send(served, each, null);
    const measured = { engine, records, server: { ...server, cpuUs } };
    targets.push(
      { ...measured, request: 'new' as const, ask: () => send(served, newRequest(), null) },
      { ...measured, request: 'replayed' as const, ask: () => send(served, known[randomInt(replayedKeys)]!, 'true') },
    );
  }
  return timeInRounds(targets);
}

/** Each is for another shopper. */
export function newRequest(): KeyedRequest {
  const input = { merchantAccount: 'DemoMerchant', shopperReference: randomUUID(), card };
  return { key: randomUUID(), body: JSON.stringify({ ...input, recurring: { contract: 'RECURRING' } }) };
}

/** Returns the milliseconds; throws unless the request succeeds. */
function send({ callers }: Served, { key, body }: KeyedRequest, replayed: 'true' | null): Promise<number> {
  const headers = { ...requestHeaders, 'Idempotency-Key': key };
  return timeRequest(
    `${callers}${storeTokenPath}`,
    { method: 'POST', headers, body },
    (text, response) =>
      text.includes('"recurringDetailReference"') && response.headers.get(replayedHeader) === replayed,
  );
}

/** The processes of a PostgreSQL server: the CPU time that all of them have used. */
export interface DatabaseProcesses {
  /** Since their start; processes that have ended do not count. */
  cpuUs(): number;
}

export async function databaseProcesses(postgres: Postgres): Promise<DatabaseProcesses> {
  const [row] = await postgres.ask(`select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid`);
  const pid = String(row?.pid);
  return {
    cpuUs() {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      return children.map(Number).reduce((sum, child) => sum + used(child), 0);
    },
  };
}

function used(pid: number): number {
  try {
    return cpuUs(pid);
  } catch {
    return 0;
  }
}
