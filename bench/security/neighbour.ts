/** The neighbour: listings on four connections, with pauses. `node bench/security/neighbour.ts PORT SECONDS [anew]`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from './connection.ts';
import { neighbourListing } from './requests.ts';

const [port, seconds, anew] = process.argv.slice(2);
const from = '127.0.0.3';
const pauseMs = 10;
const answerMsMax = 3_000;

/** Milliseconds of each answer with 200. */
const times: number[] = [];
let failed = 0;

interface Client {
  ask(): Promise<boolean>;
  close(): void;
}

/** One request after the other, on a connection that stays open, or on one for each. */
async function runClient(endsAt: number): Promise<void> {
  let client: Client | undefined;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    client ??= await openClient();
    const answered = client !== undefined && (await client.ask());
    if (answered) times.push(performance.now() - startedAt);
    else failed += 1;
    if (!answered || anew !== undefined) {
      client?.close();
      client = undefined;
    }
    await sleep(pauseMs);
  }
  client?.close();
}

/** Undefined where no connection could be made in time. */
async function openClient(): Promise<Client | undefined> {
  let settle: (answered: boolean) => void = () => {};
  const opened = Promise.withResolvers<boolean>();
  const connection = openConnection({
    port: Number(port),
    from,
    onOpen: () => opened.resolve(true),
    onAnswer: (status) => settle(status === 200),
    onClose() {
      opened.resolve(false);
      settle(false);
    },
  });
  const late = () => sleep(answerMsMax, false, { ref: false });
  if (!(await Promise.race([opened.promise, late()]))) {
    connection.close();
    return undefined;
  }
  return {
    close: connection.close,
    ask() {
      const answer = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      connection.send(neighbourListing);
      return Promise.race([answer, late()]);
    },
  };
}

const endsAt = performance.now() + Number(seconds) * 1000;
await Promise.all(Array.from({ length: 4 }, () => runClient(endsAt)));
const sorted = times.toSorted((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.POSITIVE_INFINITY;
console.log(JSON.stringify({ answers: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }));
process.exit(0);
