/** The upstream of the bench: answers every request with the same listing in JSON, after DELAY_MS, or as ANSWERS says. */
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listing } from './listing.ts';

const delayMs = Number(process.env.DELAY_MS ?? 0);
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`member${at}`, 'of no contract']));
/** What a shadow may answer; null is nothing. */
const answers: Readonly<Record<string, readonly [status: number, body: string] | null>> = {
  equal: [200, JSON.stringify(listing)],
  different: [200, JSON.stringify({ ...listing, shopperReference: 'another' })],
  'unknown members': [200, JSON.stringify({ ...listing, ...members(2_000) })],
  'very many members': [200, JSON.stringify({ ...listing, ...members(200_000) })],
  'no JSON': [200, '<html>'.repeat(10_000)],
  refusals: [500, JSON.stringify({ status: 500, errorCode: '905', message: 'out of order' })],
  nothing: null,
};
const answer = answers[process.env.ANSWERS ?? 'equal'] ?? null;
const [status, body] = answer ?? [0, ''];
const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
let inFlight = 0;
let inFlightMax = 0;

createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(inFlightMax));
    return;
  }
  inFlight += 1;
  inFlightMax = Math.max(inFlightMax, inFlight);
  response.once('close', () => {
    inFlight -= 1;
  });
  request.resume().once('end', async () => {
    if (delayMs > 0) await wait(delayMs);
    if (answer !== null) response.writeHead(status, head).end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
