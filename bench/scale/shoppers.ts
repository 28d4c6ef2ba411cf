/** Measures listings and writes with few shoppers and with many, in alternating rounds. */
import { randomInt } from 'node:crypto';
import { basic } from '../../test/support/server.ts';
import { reference } from '../targets.ts';
import { inRounds, type Timed } from './rounds.ts';
import type { Served } from './stores.ts';

const operations = ['listRecurringDetails', 'storeToken'] as const;

const headers = {
  'Content-Type': 'application/json',
  Authorization: basic('ws@Company.Demo', 'demo-password'),
};

const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2040', holderName: 'Anna van Dijk' };

export interface PerShopper {
  readonly operation: (typeof operations)[number];
  readonly shoppers: number;
  readonly engine: Served['engine'];
}

/** Each request is for a random shopper. */
export function timeShoppers(servers: readonly Served[]): Promise<readonly (Timed & PerShopper)[]> {
  return inRounds(
    servers.flatMap((served) =>
      operations.map((operation) => ({
        operation,
        shoppers: served.shoppers,
        engine: served.engine,
        server: served.server,
        ask: () => ask(served, operation, reference(randomInt(1, served.shoppers + 1))),
      })),
    ),
  );
}

/** Returns the milliseconds; throws unless the request succeeds. */
async function ask({ callers }: Served, operation: PerShopper['operation'], shopperReference: string): Promise<number> {
  const input = { merchantAccount: 'DemoMerchant', shopperReference, ...inputOf(operation) };
  const startedAt = performance.now();
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/${operation}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (response.status !== 200 || !text.includes('"recurringDetailReference"'))
    throw new Error(`${operation}: ${response.status} ${text}`);
  return ms;
}

function inputOf(operation: PerShopper['operation']): object {
  switch (operation) {
    case 'listRecurringDetails':
      return {};
    case 'storeToken':
      return { card, recurring: { contract: 'RECURRING' } };
    default:
      return operation satisfies never;
  }
}
