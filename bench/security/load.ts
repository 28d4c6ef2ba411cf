/**
 * The load of overload.ts: `node bench/security/load.ts PORT SECONDS CONNECTIONS RATE AT_ONCE`. With a rate of 0, so many requests are
 * under way at the same time, and connections send in turn. With a rate, requests arrive at that rate, whatever the server does, and take a
 * connection that is free. A client that was refused comes back when `Retry-After` says.
 */
import { randomUUID } from 'node:crypto';
import { type Connection, openConnection } from './connection.ts';
import { storing100 } from './requests.ts';

const [port, seconds, connections, perSecond, atOnce] = process.argv.slice(2).map(Number);
const run = randomUUID().slice(0, 8);
/** Connections are spread over addresses, so that the limit of one address does not decide. */
const perAddress = 128;

const free: Connection[] = [];
/** Those of clients that were refused and wait, and which of them are closed. */
const away = new Set<Connection>();
const closed = new Set<Connection>();
const sentAt = new Map<Connection, number>();
const accepted: number[] = [];
const refused: number[] = [];
let other = 0;
let sent = 0;
let withoutConnection = 0;
let underWay = 0;
let isMeasured = false;

function send(connection: Connection): void {
  sentAt.set(connection, performance.now());
  if (isMeasured) sent += 1;
  underWay += 1;
  connection.send(storing100(run));
}

function receive(status: number, connection: Connection, retryAfter: number): void {
  const ms = performance.now() - sentAt.get(connection)!;
  underWay -= 1;
  const isRefused = status === 429 || status === 503;
  if (isMeasured) {
    if (status === 200) accepted.push(ms);
    else if (isRefused) refused.push(ms);
    else other += 1;
  }
  if (isRefused) {
    away.add(connection);
    setTimeout(comeBack, retryAfter * 1000, connection);
  } else release(connection);
}

/** The server may have ended a connection that was idle for KEEP_ALIVE_MS. */
function comeBack(connection: Connection): void {
  away.delete(connection);
  if (closed.delete(connection)) open(connection.from);
  else release(connection);
}

function release(connection: Connection): void {
  free.push(connection);
  if (perSecond === 0 && underWay < atOnce!) send(free.shift()!);
}

for (let at = 0; at < connections!; at += 1) open(`127.0.1.${1 + Math.floor(at / perAddress)}`);

function open(from: string): void {
  openConnection({
    port: port!,
    from,
    onOpen: release,
    onAnswer: receive,
    onClose(connection) {
      if (away.has(connection)) closed.add(connection);
      else other += 1;
    },
  });
}

const startedAt = performance.now();
let arrived = 0;
function arrive(): void {
  const due = Math.floor(((performance.now() - startedAt) * perSecond!) / 1000);
  for (; arrived < due; arrived += 1) {
    const connection = free.shift();
    if (connection !== undefined) send(connection);
    else if (isMeasured) withoutConnection += 1;
  }
  setTimeout(arrive, 1);
}
if (perSecond! > 0) arrive();

const leadInMs = 3_000;
setTimeout(() => {
  isMeasured = true;
  console.log('measured from now on');
}, leadInMs);
setTimeout(
  () => {
    const at = (values: readonly number[], share: number) =>
      values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
    console.log(
      JSON.stringify({
        goodput: accepted.length / seconds!,
        sent: sent / seconds!,
        withoutConnection: withoutConnection / seconds!,
        acceptedP50Ms: at(accepted, 0.5),
        acceptedP99Ms: at(accepted, 0.99),
        refused: refused.length / seconds!,
        refusedP50Ms: at(refused, 0.5),
        refusedP99Ms: at(refused, 0.99),
        other,
      }),
    );
    process.exit(0);
  },
  leadInMs + seconds! * 1000,
);
