/** Measures requests with an Idempotency-Key, and their replays, in a table of few records and of many, in alternating rounds. */
import { randomInt, randomUUID } from 'node:crypto';
import { replayedHeader } from '../../src/contract/retry.ts';
import { basic } from '../../test/support/server.ts';
import type { DatabaseProcesses } from './database-processes.ts';
import { inRounds, type Timed } from './rounds.ts';
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
  Authorization: basic('ws@Company.Demo', 'demo-password'),
};
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' };
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
  return inRounds(targets);
}

/** Each is for another shopper. */
export function newRequest(): KeyedRequest {
  const input = { merchantAccount: 'DemoMerchant', shopperReference: randomUUID(), card };
  return { key: randomUUID(), body: JSON.stringify({ ...input, recurring: { contract: 'RECURRING' } }) };
}

/** Returns the milliseconds; throws unless the request succeeds. */
async function send({ callers }: Served, { key, body }: KeyedRequest, replayed: 'true' | null): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${callers}${storeTokenPath}`, {
    method: 'POST',
    headers: { ...requestHeaders, 'Idempotency-Key': key },
    body,
  });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (response.status !== 200 || !text.includes('"recurringDetailReference"'))
    throw new Error(`storeToken: ${response.status} ${text}`);
  if (response.headers.get(replayedHeader) !== replayed) throw new Error('storeToken was not replayed as expected');
  return ms;
}
