/** `npm run bench -- --only upstream`: the gateway in front of a JSON server against proxies that pass JSON on unread. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProtocols, type NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { demoAuthorization } from '../../test/support/server.ts';
import { connections, type LoadTarget, provideLoad, putLoad, statusOf } from '../load.ts';
import { describeMachine, loadCore } from '../machine.ts';
import { type Finding, figuresOf, limited, type Measured, medianCpu, msOf, table } from '../results.ts';
import { describeRounds, inRounds, measureLoad } from '../rounds.ts';
import { runSection, sectionOptions } from '../section.ts';
import { freePort, type Launch, type Server, startServer } from '../server.ts';
import { hasNginx, nginxParameters } from './nginx.ts';

const { values: options } = parseArgs({ options: sectionOptions });
const plan = options.quick ? { rounds: 1, seconds: 1, warmUpSeconds: 2 } : { rounds: 5, seconds: 1, warmUpSeconds: 3 };

const limits = { json: 1.25, soap: 1.5, imported: 1.1, addedMs: 0.5 } as const;
const peerPackages = ['@fastify/http-proxy@11.6.3', 'http-proxy-3@2.0.1'];
const peerFolder = fileURLToPath(new URL('../../.cache/bench', import.meta.url));
const slowMs = 500;
const slowRequests = 1_000;
const poolMax = 64;

const serverNames = ['gateway', 'imported', 'fastifyProxy', 'httpProxy3', 'nginx'] as const;
const gatewayJson = 'Triglyph, JSON to JSON';
type ServerName = (typeof serverNames)[number];

interface UpstreamTarget extends LoadTarget {
  /** Absent for the upstream itself. */
  readonly server: ServerName | undefined;
}

/** Starts a server that the section ends with. */
type Start = (launch: Launch) => Promise<Server>;

await runSection('upstream', options, async (folder, closing) => {
  provideLoad();
  installPeers();
  const start: Start = async (launched) => {
    const server = await startServer(launched);
    closing.defer(() => server.stop());
    return server;
  };
  const names = hasNginx() ? serverNames : serverNames.filter((name) => name !== 'nginx');
  if (names.length < serverNames.length) console.log('nginx is not installed: apt-get install nginx-light.');
  const upstreamPort = await freePort();
  await start(launchUpstream(folder, upstreamPort, 0));
  const servers = new Map<ServerName, Server>();
  const ports = new Map<ServerName, number>();
  for (const name of names) {
    ports.set(name, await freePort());
    servers.set(name, await start(await launch(name, folder, ports.get(name)!, upstreamPort)));
  }
  const targets = targetsAt(ports, upstreamPort);
  const rounds = await measure(targets, servers, connections);
  const single = await measure(targets, servers, 1);
  const findings = [...compare(rounds, single), ...(await measureSlowUpstream(folder, start))];
  const head =
    `A listing of two cards and an account; ${describeRounds(plan)}, ${connections} connections, and 1 for the latency. ` +
    describeMachine('the gateway and its peers on a core, the upstream and the load together on the other');
  return { text: [head, print(rounds, single)], findings };
});

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

function local(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function launchUpstream(folder: string, port: number, delayMs: number): Launch {
  return {
    parameters: [local('answering.ts')],
    cores: loadCore,
    env: { PORT: String(port), DELAY_MS: String(delayMs) },
    readyUrl: `http://127.0.0.1:${port}/`,
    logFile: join(folder, 'upstream.log'),
    readyMsMax: 60_000,
  };
}

async function launch(name: ServerName, folder: string, port: number, upstreamPort: number): Promise<Launch> {
  const logFile = join(folder, `${name}-${port}.log`);
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const env = { PORT: String(port), UPSTREAM: upstream, NODE_ENV: 'production' };
  const ready = { readyUrl: `http://127.0.0.1:${port}/`, logFile, readyMsMax: 60_000 };
  switch (name) {
    case 'gateway':
    case 'imported': {
      const adminPort = await freePort();
      const data = join(folder, `data-${port}`);
      return {
        ...ready,
        parameters: [local('../../bin/triglyph.mjs'), 'serve', '--upstream', upstream, ...documentOf(name)],
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

/** The document that the gateway imports. */
function documentOf(name: 'gateway' | 'imported'): readonly string[] {
  return name === 'imported' ? ['--openapi', local('../../openapi.json'), '--reads', 'listRecurringDetails'] : [];
}

function targetsAt(ports: ReadonlyMap<ServerName, number>, upstreamPort: number): readonly UpstreamTarget[] {
  const protocols = createProtocols([recurringV25]);
  const operation = recurringV25.operations.get('listRecurringDetails')!;
  const input = { merchantAccount: 'DemoMerchant', shopperReference: 'SHOPPER' };
  const at = (name: string, server: ServerName | undefined, format: NamedProtocol): UpstreamTarget => {
    const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, input);
    const port = server === undefined ? upstreamPort : ports.get(server)!;
    const headers = { Authorization: demoAuthorization, 'Content-Type': contentType };
    return { name, server, url: `http://127.0.0.1:${port}${path}`, headers, body };
  };
  /** The same operation by the contract of the OpenAPI document. */
  const imported = (title: string, format: 'soap11' | 'json', path: string, body: string): UpstreamTarget => {
    const { headers } = at(title, 'imported', format);
    const url = `http://127.0.0.1:${ports.get('imported')}${path}`;
    return { name: `Triglyph, imported contract, ${title}`, server: 'imported', url, headers, body };
  };
  const message = `<listRecurringDetails xmlns="urn:openapi:triglyph"><merchantAccount>${input.merchantAccount}</merchantAccount><shopperReference>${input.shopperReference}</shopperReference></listRecurringDetails>`;
  const envelope = `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>${message}</Body></Envelope>`;
  const importedPath = '/pal/servlet/Recurring/v68/listRecurringDetails';
  return [
    at('Triglyph, SOAP to JSON', 'gateway', 'soap11'),
    imported('SOAP to JSON', 'soap11', '/Triglyph/v1', envelope),
    at('Triglyph, FORM to JSON', 'gateway', 'form'),
    at(gatewayJson, 'gateway', 'json'),
    imported('JSON to JSON', 'json', importedPath, JSON.stringify(input)),
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
  const shoppers = 1000;
  for (const target of targets) await putLoad(target, plan.warmUpSeconds, shoppers, { connections: open });
  const noServer = { cpuUs: () => 0 };
  return inRounds(targets, plan.rounds, (target) => {
    const server = target.server === undefined ? noServer : servers.get(target.server)!;
    return measureLoad(server, target, plan.seconds, shoppers, { connections: open });
  });
}

function compare(rounds: Rounds, single: Rounds): readonly Finding[] {
  const cpuOf = (start: string) => medianCpu([...rounds].find(([{ name }]) => name.startsWith(start))![1]);
  const p50Ms = (start: string) => msOf([...single].find(([{ name }]) => name.startsWith(start))![1], 'p50Us');
  const fastest = Math.min(cpuOf('`@fastify'), cpuOf('`http-proxy'));
  const added = (start: string) => p50Ms(start) - p50Ms('no proxy');
  const against = 'CPU per request against the faster Node proxy';
  return [
    limited(`${against}, JSON to JSON`, cpuOf('Triglyph, JSON') / fastest, 'at most', limits.json),
    limited(`${against}, SOAP to JSON`, cpuOf('Triglyph, SOAP') / fastest, 'at most', limits.soap),
    ...['JSON', 'SOAP'].map((format) => {
      const share = cpuOf(`Triglyph, imported contract, ${format}`) / cpuOf(`Triglyph, ${format}`);
      return limited(
        `imported contract against the built-in one, ${format} to JSON`,
        share,
        'at most',
        limits.imported,
      );
    }),
    limited('p50 added, JSON to JSON, one connection', added('Triglyph, JSON'), 'below', limits.addedMs, 'ms', 2),
    limited('p50 added, SOAP to JSON, one connection', added('Triglyph, SOAP'), 'below', limits.addedMs, 'ms', 2),
  ];
}

/** Far more requests at once than the upstream has connections: what waits is bounded, and the rest is refused at once. */
async function measureSlowUpstream(folder: string, start: Start): Promise<readonly Finding[]> {
  const upstreamPort = await freePort();
  await start(launchUpstream(folder, upstreamPort, slowMs));
  const port = await freePort();
  const launched = await launch('gateway', folder, port, upstreamPort);
  // One address and one credential send all requests, and the queue to the upstream is what is measured.
  const unlimited = { CONNECTIONS_PER_ADDRESS_MAX: '0', REQUESTS_PER_CREDENTIAL_MAX: '0', REQUEST_WAIT_MS_MAX: '0' };
  const server = await start({ ...launched, env: { ...launched.env, ...unlimited } });
  const { url, headers, body } = targetsAt(new Map([['gateway', port]]), upstreamPort).find(
    ({ name }) => name === gatewayJson,
  )!;
  const agent = new Agent({ keepAlive: true, maxSockets: slowRequests });
  const before = server.rssBytes();
  const statuses = await Promise.all(
    Array.from({ length: slowRequests }, () => statusOf(url, { headers, body }, agent)),
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
    limited('memory that this takes', grownMb, 'at most', 100, 'MB'),
  ];
}

function print(rounds: Rounds, single: Rounds): string {
  return table(
    ['gateway or proxy', 'CPU per request, us', 'requests/s', 'p50 with 1 connection, ms', 'bytes per answer'],
    [...rounds].map(([target, each]) => {
      const { cpuUs, perSecond, bytes } = figuresOf(each);
      const p50 = msOf(single.get(target)!, 'p50Us').toFixed(2);
      return [target.name, target.server === undefined ? '' : cpuUs, perSecond, p50, bytes];
    }),
  );
}
