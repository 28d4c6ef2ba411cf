/** Measures tokenLookup with few stored cards and with many, in alternating rounds. */
import { generatedShopper } from '../../src/testing/demo/shoppers.ts';
import { basic } from '../../test/support/server.ts';
import { inRounds, type Timed } from './rounds.ts';
import { cardsEach, type Served } from './stores.ts';

/** The first card that the demo creates for a shopper. */
const cardOf = (shopper: number) => generatedShopper(shopper)[0]!.detail.card!;

const headers = {
  'Content-Type': 'application/json',
  Authorization: basic('ws@Company.Demo', 'demo-password'),
};

/** Looks a card up, and returns the milliseconds; throws unless the answer names the shopper. */
const ask = async ({ callers }: Served, shopper: number): Promise<number> => {
  const body = JSON.stringify({ merchantAccount: 'DemoMerchant', card: cardOf(shopper) });
  const startedAt = performance.now();
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/tokenLookup`, { method: 'POST', headers, body });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const found = `"shopperReference":"shopper-${String(shopper).padStart(6, '0')}"`;
  if (response.status !== 200 || !text.includes(found)) throw new Error(`tokenLookup: ${response.status} ${text}`);
  return ms;
};

export interface Lookups {
  readonly cards: number;
  readonly engine: Served['engine'];
}

/** Each request is for a random card. */
export const timeLookups = (servers: readonly Served[]): Promise<readonly (Timed & Lookups)[]> =>
  inRounds(
    servers.map((served) => ({
      cards: served.shoppers * cardsEach,
      engine: served.engine,
      server: served.server,
      ask: () => ask(served, 1 + Math.floor(Math.random() * served.shoppers)),
    })),
  );
