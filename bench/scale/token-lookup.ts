/** tokenLookup over few stored cards and over many: the time of an answer, in alternating rounds. */
import { luhn } from '../../src/contract/lexical.ts';
import { basic } from '../../test/support/server.ts';
import { cardsEach, type Served } from './stores.ts';

const rounds = 6;
const asksPerRound = 400;

/** The card that the demo makes first for a shopper. */
const cardOf = (shopper: number): string => {
  const digits = `411111${String(shopper).padStart(9, '0')}`;
  for (let digit = 0; digit < 10; digit++) if (luhn(`${digits}${digit}`)) return `${digits}${digit}`;
  throw new RangeError('one of ten digits always fits');
};

const headers = {
  'Content-Type': 'application/json',
  Authorization: basic('ws@Company.Demo', 'demo-password'),
};

/** Milliseconds; throws where the answer is not the shopper's. */
const ask = async ({ callers }: Served, shopper: number): Promise<number> => {
  const card = { number: cardOf(shopper), expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const body = JSON.stringify({ merchantAccount: 'DemoMerchant', card });
  const startedAt = performance.now();
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/tokenLookup`, { method: 'POST', headers, body });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const found = `"shopperReference":"shopper-${String(shopper).padStart(6, '0')}"`;
  if (response.status !== 200 || !text.includes(found)) throw new Error(`tokenLookup: ${response.status} ${text}`);
  return ms;
};

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

export interface Timed {
  readonly cards: number;
  /** Milliseconds. */
  readonly median: number;
  /** The server's own, microseconds a request. */
  readonly cpuUs: number;
}

/** Each server in turn, there and back, other cards each time. */
export const timeLookups = async (servers: readonly Served[]): Promise<readonly Timed[]> => {
  const times = servers.map((): number[] => []);
  const cpu = servers.map(() => 0);
  const order = servers.map((_, index) => index);
  const shopperOf = ({ shoppers }: Served) => 1 + Math.floor(Math.random() * shoppers);
  for (const served of servers) for (let n = 0; n < asksPerRound; n += 1) await ask(served, shopperOf(served));
  for (let round = 0; round < rounds; round += 1)
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      const served = servers[index]!;
      const before = served.server.cpuUs();
      for (let n = 0; n < asksPerRound; n += 1) times[index]!.push(await ask(served, shopperOf(served)));
      cpu[index]! += served.server.cpuUs() - before;
    }
  return servers.map(({ shoppers }, index) => ({
    cards: shoppers * cardsEach,
    median: median(times[index]!),
    cpuUs: cpu[index]! / (rounds * asksPerRound),
  }));
};
