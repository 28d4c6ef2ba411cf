/** The upstream of the bench: answers every request with the same listing in JSON, after DELAY_MS. */
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listing } from './listing.ts';

const delayMs = Number(process.env.DELAY_MS ?? 0);
const body = JSON.stringify(listing);
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
    response.writeHead(200, head).end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
