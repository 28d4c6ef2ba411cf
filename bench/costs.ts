/** `npm run bench -- --only costs`: what each part of a server costs a request in CPU time, against a server without it. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchTriglyph, shoppersMin } from './fleet.ts';
import { describeMachine } from './machine.ts';
import { type Finding, limited, median, table } from './results.ts';
import { closedConnections, cpuPerRequest, type Running } from './rounds.ts';
import { runSection, sectionOptions } from './section.ts';
import { limitsOff } from './security/attacks.ts';
import { neighbourListing, storing100 } from './security/requests.ts';
import { freePort, startServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** Names of parts with commas between them. */
    parts: { type: 'string' },
  },
});
/** V8 compiles the same program a little differently each time it starts: several pairs of servers, with some rounds each. */
const plan = options.quick
  ? { pairs: 1, rounds: 5, roundMs: 200, warmUpMs: 1_000 }
  : { pairs: 2, rounds: 15, roundMs: 200, warmUpMs: 1_200 };
/** Microseconds of a listing that a part may add. The method does not tell less from the noise. */
const partUsMax = 10;

interface Part {
  readonly title: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of both servers. */
  readonly both?: Readonly<Record<string, string>> | undefined;
  /** Replaced in the program, where no setting takes the part out: names of replaced-sources.ts with commas between them. */
  readonly without?: string;
  /** Of a listing, in microseconds. */
  readonly usMax?: number;
}

/** Receives traces and metrics, and answers that it has them. */
const receiver = createServer((request, response) => request.resume().on('end', () => response.end())).listen(
  0,
  '127.0.0.1',
);
await once(receiver, 'listening');
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

/** Each is on in the one server and off in the other. */
const single = {
  limits: { title: 'limits of load, log-ins and searches', env: limitsOff },
  audit: { title: 'audit log', env: { AUDIT: 'off' } },
  macs: {
    title: 'MACs of rows, with details from the database instead of memory',
    both: { REMEMBERED_BYTES_MAX: '0' },
    without: 'macs',
  },
  log: { title: 'log line of each request', env: { LOG_LEVEL: 'warn' } },
  callers: { title: 'records of callers', env: { CALLER_RECORDS: 'off' } },
  cards: { title: 'search for card numbers in texts', without: 'cards' },
  console: { title: 'console, and traffic that no console shows', env: { CONSOLE: 'off' } },
} satisfies Readonly<Record<string, Part>>;

/** The last one is off in both: what remains is the noise of the method. */
const parts: Readonly<Record<string, Part>> = {
  ...single,
  all: {
    title: 'all of these together',
    env: Object.assign({}, ...Object.values<Part>(single).map(({ env }) => env)),
    without: 'macs,cards',
    usMax: 30,
  },
  // With load, 4 % of the time goes into descriptions.
  watched: {
    title: 'details of traffic, while a console shows it',
    both: { TRAFFIC: 'always' },
    env: { TRAFFIC: 'watched' },
    usMax: 30,
  },
  // Ten times what 10 % of the requests cost, which the method tells from the noise.
  recorded: {
    title: 'recording of each request in files: at 10 %, a tenth',
    both: { RECORD: 'recordings', RECORD_SHARE: '100' },
    env: { RECORD: '' },
    usMax: 30,
  },
  sampled: {
    title: 'recording of 10 % of the requests',
    both: { RECORD: 'recordings', RECORD_SHARE: '10' },
    env: { RECORD: '' },
  },
  unsampled: {
    title: 'OpenTelemetry, no trace sampled',
    both: { OTEL_EXPORTER_OTLP_ENDPOINT: receiverUrl, OTEL_TRACES_SAMPLER: 'always_off' },
    env: { OTEL_SDK_DISABLED: 'true' },
    usMax: 30,
  },
  traces: {
    title: 'OpenTelemetry, each trace sampled',
    both: { OTEL_EXPORTER_OTLP_ENDPOINT: receiverUrl, OTEL_TRACES_SAMPLER: 'always_on' },
    env: { OTEL_SDK_DISABLED: 'true' },
    usMax: 100,
  },
  noise: { title: 'nothing: the noise' },
};

const requests = {
  listing: () => neighbourListing,
  storing: () => storing100(`costs-${process.pid}`),
} as const;
type RequestName = keyof typeof requests;
const requestNames: readonly RequestName[] = ['listing', 'storing'];

await runSection('costs', options, async (folder, closing) => {
  closing.defer(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const rows: (readonly string[])[] = [];
  const findings: Finding[] = [];
  for (const name of options.parts?.split(',') ?? Object.keys(parts)) {
    const part = parts[name];
    if (part === undefined) throw new Error(`--parts ${name}: choose among ${Object.keys(parts).join(', ')}`);
    const costs = await measurePart(join(folder, name), part);
    rows.push([part.title, ...printCost(costs.listing), ...printCost(costs.storing)]);
    const us = median(costs.listing.differences);
    findings.push(limited(`${part.title}, for a listing`, us, 'at most', part.usMax ?? partUsMax, 'us', 1));
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  return {
    text: [
      `CPU time of the server for each request, in microseconds: with everything on, and what the part adds to the same server without it (median of ${plan.pairs * plan.rounds} alternating rounds, with ${plan.pairs} pairs of servers, and the middle half of them). A listing of a shopper with its details from memory, and a storing with a key, in JSON, on ${closedConnections} connections. ${describeMachine('the server on one core, the load on the other')}`,
      table(['part', 'a listing', 'the part adds', 'middle half', 'a storing', 'the part adds', 'middle half'], rows),
    ],
    findings,
  };
});

interface Cost {
  readonly on: number[];
  readonly differences: number[];
}

type Costs = Readonly<Record<RequestName, Cost>>;

async function measurePart(folder: string, part: Part): Promise<Costs> {
  const costs: Costs = { listing: { on: [], differences: [] }, storing: { on: [], differences: [] } };
  for (let pair = 0; pair < plan.pairs; pair += 1) await measurePair(`${folder}-${pair}`, part, costs);
  return costs;
}

async function measurePair(folder: string, part: Part, costs: Costs): Promise<void> {
  const [on, off] = [await start(`${folder}-on`, { both: part.both }), await start(`${folder}-off`, part)];
  try {
    for (const request of requestNames)
      for (const each of [on, off]) await cpuPerRequest(each, requests[request], plan.warmUpMs);
    for (const request of requestNames) await compare(on, off, requests[request], costs[request]);
  } finally {
    await on.server.stop();
    await off.server.stop();
  }
}

async function compare(on: Running, off: Running, request: () => Buffer, cost: Cost): Promise<void> {
  for (let round = 0; round < plan.rounds; round += 1) {
    // The one that is first changes, so that a machine that becomes slower favours none.
    const order = round % 2 === 0 ? [on, off] : [off, on];
    const us = new Map<Running, number>();
    for (const each of order) us.set(each, await cpuPerRequest(each, request, plan.roundMs));
    cost.on.push(us.get(on)!);
    cost.differences.push(us.get(on)! - us.get(off)!);
  }
}

async function start(folder: string, { both, env, without }: Partial<Part>): Promise<Running> {
  const port = await freePort();
  mkdirSync(folder);
  const chosen = { ...both, ...env };
  const preload = fileURLToPath(new URL('replaced-sources.ts', import.meta.url));
  const launch = await launchTriglyph({
    folder,
    port,
    shoppers: shoppersMin,
    ...(without !== undefined && { before: ['--import', preload] }),
    // Nothing is refused where another program holds up the server, and connections stay open.
    env: {
      REQUEST_WAIT_MS_MAX: '60000',
      REQUESTS_PER_SOCKET_MAX: '0',
      ...chosen,
      ...(chosen.RECORD && { RECORD: join(folder, chosen.RECORD) }),
      ...(without !== undefined && { BENCH_WITHOUT: without }),
    },
  });
  return { server: await startServer(launch), port };
}

function printCost({ on, differences }: Cost): readonly string[] {
  const sorted = differences.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(1);
  return [median(on).toFixed(0), median(differences).toFixed(1), `${at(0.25)} to ${at(0.75)}`];
}
