/** `npm run bench -- --only memory`: what holds the memory of a server under load, and what less of it costs. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launchTriglyph } from './fleet.ts';
import { provideLoad, putLoad } from './load.ts';
import { describeMachine } from './machine.ts';
import type { MemoryReport } from './memory-report.ts';
import { median, table } from './results.ts';
import { runSection, sectionOptions } from './section.ts';
import { freePort, type Server, startServer } from './server.ts';
import { targetsAt } from './targets.ts';

const { values: options } = parseArgs({ options: sectionOptions });
const rounds = options.quick ? 2 : 7;
const shoppers = 10_000;
/** V8 lets the young generation grow after the start. */
const idleMs = 2_500;

interface Variant {
  readonly title: string;
  readonly flag?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const variants: readonly Variant[] = [
  { title: 'as delivered' },
  { title: '`--max-semi-space-size=8`', flag: '--max-semi-space-size=8' },
  { title: '`--max-semi-space-size=4`', flag: '--max-semi-space-size=4' },
  { title: '`--max-semi-space-size=1`', flag: '--max-semi-space-size=1' },
  { title: '`REMEMBERED_BYTES_MAX` of 32 MiB, a half', env: { REMEMBERED_BYTES_MAX: String(32 * 2 ** 20) } },
];

interface Running {
  readonly title: string;
  readonly server: Server;
  readonly port: number;
  readonly file: string;
  readonly idleBytes: number;
  /** CPU time of each request in microseconds, by round. */
  readonly cpuUs: number[];
}

await runSection('memory', options, async (folder, closing) => {
  provideLoad();
  await (await startServer(await launchTriglyph({ folder, port: await freePort(), shoppers }))).stop();
  const running: Running[] = [];
  for (const [index, variant] of variants.entries()) {
    const each = await start(folder, String(index), variant);
    closing.defer(() => each.server.stop());
    running.push(each);
  }
  // The first rounds warm up.
  for (let round = -2; round < rounds; round += 1)
    for (const { server, port, cpuUs } of running) {
      const { triglyphSoap, triglyphJson } = targetsAt({ triglyph: port });
      const before = server.cpuUs();
      let requests = 0;
      for (const target of [triglyphSoap, triglyphJson]) requests += (await putLoad(target, 1, shoppers)).requests;
      if (round >= 0) cpuUs.push((server.cpuUs() - before) / requests);
    }
  const rows: string[][] = [];
  for (const each of running) rows.push(await rowOf(each));
  const text = [
    `Listings in SOAP and JSON of ${shoppers} shoppers with three cards, 32 connections, ${rounds} alternating rounds. ${describeMachine()}`,
    table(
      [
        'server',
        'idle, MB',
        'under load, MB',
        'space for young objects',
        'in use after a collection',
        'outside of the heap',
        'CPU per request, us: lowest',
        'median',
      ],
      rows,
    ),
  ];
  return { text, findings: [] };
});

async function start(folder: string, name: string, { title, flag = '', env }: Variant): Promise<Running> {
  const own = join(folder, name);
  mkdirSync(own);
  cpSync(join(folder, 'data'), join(own, 'data'), { recursive: true });
  const [port, file] = [await freePort(), join(own, 'memory.json')];
  const preload = new URL('memory-report.ts', import.meta.url).href;
  const nodeOptions = `--import ${preload} --expose-gc ${flag}`;
  const launch = await launchTriglyph({
    folder: own,
    port,
    shoppers,
    env: { ...env, MEMORY: file, NODE_OPTIONS: nodeOptions },
  });
  const server = await startServer(launch);
  await sleep(idleMs);
  return { title, server, port, file, idleBytes: server.rssBytes(), cpuUs: [] };
}

async function rowOf({ title, server, file, idleBytes, cpuUs }: Running): Promise<string[]> {
  const loadedBytes = server.rssBytes();
  server.signal('SIGUSR2');
  while (!existsSync(file)) await sleep(50);
  await sleep(500);
  const { before, after, youngBytes }: MemoryReport = JSON.parse(readFileSync(file, 'utf8'));
  const bytes = [idleBytes, loadedBytes, youngBytes, after.heapUsed, before.external];
  const megabytes = bytes.map((each) => (each / 2 ** 20).toFixed(0));
  return [title, ...megabytes, Math.min(...cpuUs).toFixed(0), median(cpuUs).toFixed(0)];
}
