/** Measures listings, look-ups and writes with few shoppers and with many, in alternating rounds. */
import { randomInt } from 'node:crypto';
import { generatedShopper } from '../../src/program/testing/demo/shoppers.ts';
import { reference } from '../targets.ts';
import { card, requestHeaders } from './keyed-requests.ts';
import { type Timed, timeInRounds, timeRequest } from './rounds.ts';
import type { Served } from './stores.ts';

const operations = ['tokenLookup', 'listRecurringDetails', 'storeToken'] as const;

export interface PerShopper {
  readonly operation: (typeof operations)[number];
  readonly shoppers: number;
  readonly engine: Served['engine'];
}

/** Each request is for a random shopper. */
export function timeShoppers(servers: readonly Served[]): Promise<readonly (Timed & PerShopper)[]> {
  return timeInRounds(
    servers.flatMap((served) =>
      operations.map((operation) => ({
        operation,
        shoppers: served.shoppers,
        engine: served.engine,
        server: served.server,
        ask: () => ask(served, operation, randomInt(1, served.shoppers + 1)),
      })),
    ),
  );
}

/** Returns the milliseconds; throws unless the request succeeds. */
function ask({ callers }: Served, operation: PerShopper['operation'], shopper: number): Promise<number> {
  const { input, found } = requestOf(operation, reference(shopper), shopper);
  const body = JSON.stringify({ merchantAccount: 'DemoMerchant', ...input });
  const init = { method: 'POST', headers: requestHeaders, body };
  return timeRequest(`${callers}/pal/servlet/Recurring/v25/${operation}`, init, (text) => text.includes(found));
}

/** `found`: what the answer has. */
function requestOf(operation: PerShopper['operation'], shopperReference: string, shopper: number) {
  switch (operation) {
    case 'tokenLookup':
      // The first card that the demo creates for a shopper.
      return {
        input: { card: generatedShopper(shopper)[0]!.detail.card! },
        found: `"shopperReference":"${shopperReference}"`,
      };
    case 'listRecurringDetails':
      return { input: { shopperReference }, found: '"recurringDetailReference"' };
    case 'storeToken':
      return {
        input: { shopperReference, card, recurring: { contract: 'RECURRING' } },
        found: '"recurringDetailReference"',
      };
    default:
      return operation satisfies never;
  }
}
