/** `npm run bench -- --only upstream`: the gateway in front of a JSON server against proxies that pass JSON on unread. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProtocols, type NamedProtocol } from '../../src/formats/index.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { loadCore } from '../cores.ts';
import { connections, type LoadTarget, provideLoad, putLoad } from '../load.ts';
import { describeMachine } from '../machine.ts';
import { writeSection } from '../page.ts';
import { type Finding, type Measured, median, medianCpu, printFindings } from '../results.ts';
import { freePort, type Launch, type Server, startServer } from '../server.ts';
import { hasNginx, nginxParameters } from './nginx.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const plan = options.quick ? { rounds: 1, seconds: 1, warmUpSeconds: 2 } : { rounds: 5, seconds: 1, warmUpSeconds: 3 };

const limits = { json: 1.25, soap: 1.6, addedMs: 0.5 } as const;
const peerPackages = ['@fastify/http-proxy@11.6.3', 'http-proxy-3@2.0.1'];
const peerFolder = fileURLToPath(new URL('../../.cache/bench', import.meta.url));
const slowMs = 500;
const slowRequests = 1_000;
const poolMax = 64;

const serverNames = ['gateway', 'fastifyProxy', 'httpProxy3', 'nginx'] as const;
type ServerName = (typeof serverNames)[number];

interface UpstreamTarget extends LoadTarget {
  /** Absent for the upstream itself. */
  readonly server: ServerName | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-upstream-'));
const running: Server[] = [];
try {
  provideLoad();
  installPeers();
  process.exitCode = (await run()) ? 0 : 1;
} catch (thrown) {
  console.error(thrown);
  process.exitCode = 1;
} finally {
  for (const server of running.toReversed()) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const names = hasNginx() ? serverNames : serverNames.filter((name) => name !== 'nginx');
  if (names.length < serverNames.length) console.log('nginx is not installed: apt-get install nginx-light.');
  const upstreamPort = await freePort();
  await start(launchUpstream(upstreamPort, 0));
  const servers = new Map<ServerName, Server>();
  const ports = new Map<ServerName, number>();
  for (const name of names) {
    ports.set(name, await freePort());
    servers.set(name, await start(await launch(name, ports.get(name)!, upstreamPort)));
  }
  const targets = targetsAt(ports, upstreamPort);
  const rounds = await measure(targets, servers, connections);
  const single = await measure(targets, servers, 1);
  const findings = [...compare(rounds, single), ...(await measureSlowUpstream())];
  const head =
    `A listing of two cards and an account; ${plan.rounds} rounds of ${plan.seconds} s, alternating, ${connections} connections, and 1 for the latency. ` +
    describeMachine('the gateway and its peers on a core, the upstream and the load together on the other');
  const text = [head, print(rounds, single), printFindings(findings)].join('\n\n');
  console.log(text);
  if (options.write) writeSection('upstream', text);
  return findings.every(({ holds }) => holds);
}

/** Scripts of the packages are not run: none of them needs one. */
function installPeers(): void {
  const isInstalled = (name: string) =>
    existsSync(join(peerFolder, 'node_modules', name.slice(0, name.lastIndexOf('@'))));
  if (peerPackages.every(isInstalled)) return;
  mkdirSync(peerFolder, { recursive: true });
  writeFileSync(join(peerFolder, 'package.json'), '{ "private": true }\n');
  const flags = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', '--prefix', peerFolder];
  spawnSync('npm', [...flags, ...peerPackages], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function start(launch: Launch): Promise<Server> {
  const server = await startServer(launch);
  running.push(server);
  return server;
}

function local(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function launchUpstream(port: number, delayMs: number): Launch {
  return {
    parameters: [local('answering.ts')],
    cores: loadCore,
    env: { PORT: String(port), DELAY_MS: String(delayMs) },
    readyUrl: `http://127.0.0.1:${port}/`,
    logFile: join(folder, 'upstream.log'),
    readyMsMax: 60_000,
  };
}

async function launch(name: ServerName, port: number, upstreamPort: number): Promise<Launch> {
  const logFile = join(folder, `${name}-${port}.log`);
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const env = { PORT: String(port), UPSTREAM: upstream, NODE_ENV: 'production' };
  const ready = { readyUrl: `http://127.0.0.1:${port}/`, logFile, readyMsMax: 60_000 };
  switch (name) {
    case 'gateway': {
      const adminPort = await freePort();
      const data = join(folder, `data-${port}`);
      return {
        ...ready,
        parameters: [local('../../bin/triglyph.mjs'), 'serve', '--upstream', upstream],
        env: { PORT: String(port), ADMIN_PORT: String(adminPort), DATA_DIR: data },
        readyUrl: `http://127.0.0.1:${adminPort}/readyz`,
      };
    }
    case 'fastifyProxy':
    case 'httpProxy3':
      return { ...ready, parameters: [local('peer.ts')], env: { ...env, PEER: name, PEER_MODULES: peerFolder } };
    case 'nginx':
      return { ...ready, program: 'nginx', parameters: nginxParameters(folder, port, upstreamPort), env: {} };
    default:
      return name satisfies never;
  }
}

function targetsAt(ports: ReadonlyMap<ServerName, number>, upstreamPort: number): readonly UpstreamTarget[] {
  const protocols = createProtocols([recurringV25]);
  const operation = recurringV25.operations.get('listRecurringDetails')!;
  const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
  const authorization = `Basic ${Buffer.from('ws@Company.Demo:demo-password').toString('base64')}`;
  const at = (name: string, server: ServerName | undefined, format: NamedProtocol): UpstreamTarget => {
    const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, input);
    const port = server === undefined ? upstreamPort : ports.get(server)!;
    const headers = { Authorization: authorization, 'Content-Type': contentType };
    return { name, server, url: `http://127.0.0.1:${port}${path}`, headers, body };
  };
  return [
    at('Triglyph, SOAP to JSON', 'gateway', 'soap11'),
    at('Triglyph, FORM to JSON', 'gateway', 'form'),
    at('Triglyph, JSON to JSON', 'gateway', 'json'),
    at('`@fastify/http-proxy`, JSON unread', 'fastifyProxy', 'json'),
    at('`http-proxy-3`, JSON unread', 'httpProxy3', 'json'),
    ...(ports.has('nginx') ? [at('nginx, JSON unread', 'nginx', 'json')] : []),
    at('no proxy: the upstream itself', undefined, 'json'),
  ];
}

type Rounds = ReadonlyMap<UpstreamTarget, readonly Measured[]>;

async function measure(
  targets: readonly UpstreamTarget[],
  servers: ReadonlyMap<ServerName, Server>,
  open: number,
): Promise<Rounds> {
  const rounds = new Map<UpstreamTarget, Measured[]>(targets.map((target) => [target, []]));
  const shoppers = 1000;
  for (const target of targets) await putLoad(target, plan.warmUpSeconds, shoppers, { connections: open });
  // Back and forth, so that no target always follows the same one.
  for (let round = 0; round < plan.rounds; round += 1)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const cpuUs = () => (target.server === undefined ? 0 : servers.get(target.server)!.cpuUs());
      const before = cpuUs();
      const measured = await putLoad(target, plan.seconds, shoppers, { connections: open });
      rounds.get(target)!.push({ ...measured, cpuUs: cpuUs() - before });
      process.stderr.write('.');
    }
  process.stderr.write('\n');
  return rounds;
}

function compare(rounds: Rounds, single: Rounds): readonly Finding[] {
  const cpuOf = (start: string) => medianCpu([...rounds].find(([{ name }]) => name.startsWith(start))![1]);
  const p50Us = (start: string) =>
    median([...single].find(([{ name }]) => name.startsWith(start))![1].map((round) => round.p50Us));
  const fastest = Math.min(cpuOf('`@fastify'), cpuOf('`http-proxy'));
  const ratio = (name: string, start: string, limit: number): Finding => {
    const measured = cpuOf(start) / fastest;
    return { name, measured: measured.toFixed(2), limit: `at most ${limit}`, holds: measured <= limit };
  };
  const added = (name: string, start: string): Finding => {
    const ms = (p50Us(start) - p50Us('no proxy')) / 1000;
    return {
      name,
      measured: `${ms.toFixed(2)} ms`,
      limit: `below ${limits.addedMs} ms`,
      holds: ms < limits.addedMs,
    };
  };
  return [
    ratio('CPU per request against the faster Node proxy, JSON to JSON', 'Triglyph, JSON', limits.json),
    ratio('CPU per request against the faster Node proxy, SOAP to JSON', 'Triglyph, SOAP', limits.soap),
    added('p50 added, JSON to JSON, one connection', 'Triglyph, JSON'),
    added('p50 added, SOAP to JSON, one connection', 'Triglyph, SOAP'),
  ];
}

/** Far more requests at once than the upstream has connections: what waits is bounded, and the rest is refused at once. */
async function measureSlowUpstream(): Promise<readonly Finding[]> {
  const upstreamPort = await freePort();
  await start(launchUpstream(upstreamPort, slowMs));
  const port = await freePort();
  const launched = await launch('gateway', port, upstreamPort);
  // One address and one credential send all requests, and the queue to the upstream is what is measured.
  const unlimited = { CONNECTIONS_PER_ADDRESS_MAX: '0', REQUESTS_PER_CREDENTIAL_MAX: '0', REQUEST_WAIT_MS_MAX: '0' };
  const server = await start({ ...launched, env: { ...launched.env, ...unlimited } });
  const { url, headers, body } = targetsAt(new Map([['gateway', port]]), upstreamPort)[2]!;
  const agent = new Agent({ keepAlive: true, maxSockets: slowRequests });
  const before = server.rssBytes();
  const statuses = await Promise.all(
    Array.from({ length: slowRequests }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const sent = request(url, { method: 'POST', headers, agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end(body);
      return promise;
    }),
  );
  const grownMb = (server.rssBytes() - before) / 2 ** 20;
  agent.destroy();
  const inFlightMax = Number(await (await fetch(`http://127.0.0.1:${upstreamPort}/`)).text());
  const count = (status: number) => statuses.filter((each) => each === status).length;
  const other = statuses.length - count(200) - count(503);
  return [
    {
      name: `${slowRequests} requests at once, upstream with ${slowMs} ms: ${count(200)} answered, ${count(503)} refused with 503; at most at the upstream`,
      measured: `${inFlightMax}`,
      limit: `${poolMax}, and no other answer`,
      holds: inFlightMax <= poolMax && other === 0,
    },
    {
      name: 'memory that this takes',
      measured: `${grownMb.toFixed(0)} MB`,
      limit: 'at most 100 MB',
      holds: grownMb <= 100,
    },
  ];
}

function print(rounds: Rounds, single: Rounds): string {
  return [
    '| gateway or proxy | CPU per request, us | requests/s | p50 with 1 connection, ms | bytes per answer |',
    '|---|---:|---:|---:|---:|',
    ...[...rounds].map(([target, each]) => {
      const cpu = target.server === undefined ? '' : medianCpu(each).toFixed(0);
      const perSecond = median(each.map(({ requests, us }) => (requests * 1e6) / us)).toFixed(0);
      const p50 = (median(single.get(target)!.map(({ p50Us }) => p50Us)) / 1000).toFixed(2);
      const bytes = median(each.map(({ bytes, requests }) => bytes / requests)).toFixed(0);
      return `| ${target.name} | ${cpu} | ${perSecond} | ${p50} | ${bytes} |`;
    }),
  ].join('\n');
}
