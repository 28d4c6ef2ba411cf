/** `npm run bench -- --only stores`: a forwarded write with a key on each store, with one gateway and with several, and the start of a gateway. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { triglyph } from '../../test/support/commands.ts';
import { type Server, startServer } from '../../test/support/server.ts';
import { type Figures, figuresFile } from '../growing/figures.ts';
import { describeMachine } from '../machine.ts';
import { type Finding, limited, median, table } from '../results.ts';
import { runSection, sectionOptions } from '../section.ts';
import { cpuUs, memoryBytes } from '../server.ts';
import { type MeasuredStore, openStores, type StoredBytes, type Stores } from './measured-stores.ts';

const { values: options } = parseArgs({ options: sectionOptions });

const plan = options.quick
  ? { rounds: 1, requests: 500, warmUp: 1_000, starts: 1 }
  : { rounds: 3, requests: 1_500, warmUp: 2_500, starts: 5 };

const limits = { ofPostgres: 0.6, linear: 0.9, startMs: 300, startMegabytes: 90 } as const;
const connectionsOfGateway = 16;
const triesMax = 5;
const repeatMs = 250;
/** The start is over, and its memory is returned. */
const settledMs = 4_000;
const mebibyte = 2 ** 20;

type Mode = 'none' | 'header';

/** Of one request: CPU of all gateways, and of the processes of the store. */
interface Cost {
  readonly gatewayUs: number;
  readonly storeUs: number;
}

interface Fleet {
  readonly name: string;
  readonly mode: Mode;
  readonly gateways: number;
  readonly store: MeasuredStore;
  readonly servers: readonly Server[];
  readonly costs: Cost[];
  /** Of each request; absent where it is not measured. */
  bytes?: Pick<StoredBytes, 'memory' | 'log'>;
}

const fleets = [
  ['none', 'PostgreSQL', [1]],
  ['none', 'Redis', [1, 2, 4]],
  ['none', 'Redis Cluster', [1, 2, 4]],
  ['header', 'PostgreSQL', [1]],
  ['header', 'Redis', [1]],
  ['header', 'no store', [1]],
] as const;

/** Requests that were refused with 503, and sent again. */
let repeated = 0;

/** Starts a gateway. */
type Start = (mode: Mode, store: MeasuredStore) => Promise<Server>;

await runSection('stores', options, async (folder, closing) => {
  const upstream = createServer((request, response) => {
    const answer = () =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"response":"[detail-successfully-disabled]"}');
    request.resume().once('end', answer);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  closing.defer(() => {
    upstream.close();
    upstream.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const keyFile = join(folder, 'keys');
  await triglyph(['keys', 'create', keyFile], folder);
  const file = installPackage(join(folder, 'package'));
  const { stores, stop } = await openStores();
  closing.defer(stop);
  const off = { CALLER_RECORDS: 'off', AUDIT: 'off', CONSOLE: 'off' };
  const common = { ...off, KEY_FILE: keyFile, LOG_LEVEL: 'warn', NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const start: Start = (mode, { variables }) =>
    startServer(
      'serve',
      folder,
      { ...variables, ...common },
      { file, parameters: ['--upstream', url, '--upstream-idempotency', mode] },
    );
  const measured: Fleet[] = [];
  for (const [mode, name, counts] of fleets)
    for (const gateways of counts) {
      measured.push(await measure(start, mode, name, stores[name], gateways));
      process.stderr.write('.');
    }
  const starts = await measureStarts(start, stores);
  process.stderr.write('\n');
  const head =
    `${plan.rounds} rounds of ${plan.requests} requests to each gateway, over ${connectionsOfGateway} connections each; each request has a key of its own, and ${repeated} were repeated after a 503. ` +
    `PostgreSQL with fsync, Redis with \`appendfsync always\`, the cluster of three masters and three replicas with \`min-replicas-to-write 1\`. ${describeMachine('nothing pinned')}`;
  if (options.write) writeFileSync(figuresFile, `${JSON.stringify(figuresOf(measured), null, 2)}\n`);
  return {
    text: [head, print(measured), describeBytes(measured), starts.table],
    findings: [...findingsOf(measured), ...starts.findings],
  };
});

/** The files of the package, as one that installs it has them. Returns the program. */
function installPackage(place: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  mkdirSync(place);
  // A process of its own, so that the bundler takes no memory of the load.
  const build = `import { bundle } from './scripts/bundle.mjs'; await bundle(${JSON.stringify(join(place, 'dist'))});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', build], { cwd: root, stdio: 'ignore' });
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(place, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  return join(place, 'bin/triglyph.mjs');
}

async function measure(start: Start, mode: Mode, name: string, store: MeasuredStore, gateways: number): Promise<Fleet> {
  const servers: Server[] = [];
  try {
    for (let at = 0; at < gateways; at += 1) servers.push(await start(mode, store));
    const fleet: Fleet = { name, mode, gateways, store, servers, costs: [] };
    const empty = await store.bytes?.();
    await load(fleet, plan.warmUp, 'warm');
    for (let round = 0; round < plan.rounds; round += 1) {
      const before = await cpuOf(fleet);
      await load(fleet, plan.requests, `${round}`);
      const after = await cpuOf(fleet);
      const sent = plan.requests * gateways;
      fleet.costs.push({
        gatewayUs: (after.gatewayUs - before.gatewayUs) / sent,
        storeUs: (after.storeUs - before.storeUs) / sent,
      });
    }
    const full = await store.bytes?.();
    if (empty !== undefined && full !== undefined) fleet.bytes = bytesOfRecord(empty, full);
    return fleet;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function bytesOfRecord(empty: StoredBytes, full: StoredBytes): Pick<StoredBytes, 'memory' | 'log'> {
  const records = full.records - empty.records;
  return { memory: (full.memory - empty.memory) / records, log: (full.log - empty.log) / records };
}

async function cpuOf({ servers, store }: Fleet): Promise<Cost> {
  const gatewayUs = servers.reduce((sum, { pid }) => sum + cpuUs(pid), 0);
  return { gatewayUs, storeUs: await store.cpuUs() };
}

/** So many requests to each gateway, all at the same time. */
async function load({ mode, name, gateways, servers }: Fleet, requests: number, round: string): Promise<void> {
  const clientOf = (at: number) => {
    let sent = 0;
    return async (): Promise<void> => {
      while (sent < requests) {
        sent += 1;
        const key = `${mode} ${name} ${gateways} ${round} ${at} ${sent}`.replaceAll(' ', '-');
        await disable(servers[at]!, key);
      }
    };
  };
  await Promise.all(
    servers.flatMap((_, at) => {
      const client = clientOf(at);
      return Array.from({ length: connectionsOfGateway }, client);
    }),
  );
}

/** Repeats a refused request, as a caller does: on a busy machine a replica may confirm too late. */
async function disable({ callers }: Server, key: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v25/disable`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'idempotency-key': key },
      body: '{"merchantAccount":"Shop","shopperReference":"anna"}',
    });
    const text = await response.text();
    if (response.status === 200) return;
    if (response.status !== 503 || tries === triesMax) throw new Error(`${response.status} ${text}`);
    repeated += 1;
    await setTimeout(repeatMs);
  }
}

/** Of gateways that are started one after the other, with the compile cache of the first start. */
async function measureStarts(
  start: Start,
  stores: Stores['stores'],
): Promise<{ readonly table: string; readonly findings: readonly Finding[] }> {
  const rows: (readonly string[])[] = [];
  const findings: Finding[] = [];
  for (const [name, store] of Object.entries(stores)) {
    await (await start('header', store)).stop();
    const us: number[] = [];
    const bytes: number[] = [];
    for (let count = 0; count < plan.starts; count += 1) {
      const server = await start('header', store);
      us.push(cpuUs(server.pid));
      await setTimeout(settledMs);
      bytes.push(memoryBytes(server.pid, 'VmRSS'));
      await server.stop();
    }
    const ms = median(us) / 1_000;
    const megabytes = median(bytes) / mebibyte;
    rows.push([name, ms.toFixed(0), megabytes.toFixed(0)]);
    if (name === 'PostgreSQL') continue;
    findings.push(
      limited(`start, ${name}: CPU`, ms, 'at most', limits.startMs, 'ms'),
      limited(`start, ${name}: memory`, megabytes, 'at most', limits.startMegabytes, 'MiB'),
    );
  }
  return { table: table(['start of a gateway', 'CPU, ms', 'memory, MiB'], rows), findings };
}

function gatewayUsOf({ costs }: Fleet): number {
  return median(costs.map(({ gatewayUs }) => gatewayUs));
}

function storeUsOf({ costs }: Fleet): number {
  return median(costs.map(({ storeUs }) => storeUs));
}

function wholeUsOf({ costs }: Fleet): number {
  return median(costs.map(({ gatewayUs, storeUs }) => gatewayUs + storeUs));
}

function print(measured: readonly Fleet[]): string {
  return table(
    [
      ...['idempotency', 'store', 'gateways', 'CPU of gateways per request, us', 'lowest to highest'],
      ...['CPU of the store, us', 'both'],
    ],
    measured.map((fleet) => {
      const { name, mode, gateways, costs } = fleet;
      const gateway = costs.map(({ gatewayUs }) => gatewayUs);
      return [
        ...[`\`${mode}\``, name, gateways, gatewayUsOf(fleet).toFixed(0)],
        `${Math.min(...gateway).toFixed(0)} to ${Math.max(...gateway).toFixed(0)}`,
        ...[storeUsOf(fleet), wholeUsOf(fleet)].map((us) => us.toFixed(0)),
      ];
    }),
  );
}

/** The one with all requests of several gateways: its first allocations weigh least. */
function measuredBytes(measured: readonly Fleet[]): Pick<StoredBytes, 'memory' | 'log'> {
  return measured.findLast(({ mode, bytes }) => mode === 'none' && bytes !== undefined)!.bytes!;
}

function describeBytes(measured: readonly Fleet[]): string {
  const { memory, log } = measuredBytes(measured);
  return `A record with its outcome takes ${memory.toFixed(0)} bytes of the memory of Redis, and the request writes ${log.toFixed(0)} bytes to its append-only file.`;
}

/** What `bench/growing.ts` multiplies. */
function figuresOf(measured: readonly Fleet[]): Figures {
  const cost = (name: string) => measured.find((fleet) => fleet.name === name && fleet.mode === 'none')!;
  const { memory, log } = measuredBytes(measured);
  const redis = cost('Redis');
  return {
    gatewayUs: Math.round(gatewayUsOf(redis)),
    storeUs: Math.round(storeUsOf(redis)),
    recordBytes: Math.round(memory),
    logBytes: Math.round(log),
  };
}

function findingsOf(measured: readonly Fleet[]): readonly Finding[] {
  const one = (mode: Mode, name: string) =>
    measured.find((fleet) => fleet.mode === mode && fleet.name === name && fleet.gateways === 1)!;
  const ofPostgres = (mode: Mode, name: string): Finding =>
    limited(
      `\`${mode}\`, ${name}: CPU of a gateway, of that on PostgreSQL`,
      gatewayUsOf(one(mode, name)) / gatewayUsOf(one(mode, 'PostgreSQL')),
      'at most',
      limits.ofPostgres,
    );
  const linear = measured.flatMap((fleet): readonly Finding[] => {
    const { mode, name, gateways } = fleet;
    if (gateways === 1) return [];
    const share = wholeUsOf(one(mode, name)) / wholeUsOf(fleet);
    const title = `\`${mode}\`, ${name}: ${gateways} gateways, requests for the CPU of one`;
    return [limited(title, share, 'at least', limits.linear)];
  });
  return [ofPostgres('none', 'Redis'), ofPostgres('none', 'Redis Cluster'), ofPostgres('header', 'Redis'), ...linear];
}
