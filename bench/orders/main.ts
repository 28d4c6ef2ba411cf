/** `npm run bench -- --only orders`: a service of one's own against peers, and against itself next to the built-in services. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtIn, createGateway } from 'triglyph';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { operationAddress } from '../../src/contract/service.ts';
import { connections, provideLoad, putLoad } from '../load.ts';
import { describeMachine } from '../machine.ts';
import { writeSection } from '../page.ts';
import { type Finding, type Measured, median, medianCpu, printFindings } from '../results.ts';
import { freePort, type Launch, type Server, startServer } from '../server.ts';
import {
  type GatewayName,
  gatewayNames,
  type OrderTarget,
  order,
  type Ports,
  type ServerName,
  serverNames,
  targetsAt,
  titles,
} from './targets.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
/** The two gateways are compared in many rounds: the machine varies more than they may differ. */
const plan = options.quick
  ? { pairRounds: 2, rounds: 1, warmUpSeconds: 2 }
  : { pairRounds: 16, rounds: 5, warmUpSeconds: 5 };
/** The engine's cost per request does not depend on the built-in services. */
const tolerance = 0.05;

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-orders-'));
const servers = new Map<ServerName, Server>();
try {
  provideLoad();
  process.exitCode = (await run()) ? 0 : 1;
} catch (thrown) {
  console.error(thrown);
  process.exitCode = 1;
} finally {
  for (const server of servers.values()) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const secrets: Partial<Record<ServerName, string>> = {};
  for (const name of gatewayNames) secrets[name] = await prepare(name);
  const ports = Object.fromEntries(
    await Promise.all(serverNames.map(async (name) => [name, await freePort()] as const)),
  ) as Ports;
  for (const name of serverNames) servers.set(name, await startServer(launch(name, ports[name])));
  const targets = targetsAt(ports, secrets);
  const isPair = ({ server, readsOrder }: OrderTarget) => isGatewayName(server) && readsOrder;
  const pair = await measure(targets.filter(isPair), plan.pairRounds);
  const others = await measure(
    targets.filter((each) => !isPair(each)),
    plan.rounds,
  );
  const rounds = new Map([...pair, ...others]);
  const findings = (['json', 'soap11'] as const).map((format) => compareTogether(rounds, format));
  const head =
    `getOrder of one order from SQLite, ${connections} connections; ${plan.pairRounds} rounds of the orders and ${plan.rounds} of the others, alternating, each of a second. ` +
    describeMachine();
  const text = [head, print(rounds), printFindings(findings)].join('\n\n');
  console.log(text);
  if (options.write) writeSection('orders', text);
  return findings.every(({ holds }) => holds);
}

/** Creates the data of a gateway with one order, and returns the secret of its caller. */
async function prepare(name: GatewayName): Promise<string> {
  const services = name.startsWith('alone') ? [orders] : [...builtIn().services, orders];
  const gateway = await createGateway({ services, store: { dataDir: join(folder, name) } });
  try {
    const grants = { shop: [order.shop] };
    const { credentials } = gateway;
    const { secret } = await credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles: ['orders'], grants });
    const headers = { 'content-type': 'application/json', 'x-api-key': secret };
    const url = `http://gateway${operationAddress(ordersV1, placeOrder)}`;
    const { status } = await gateway.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(order) }));
    if (status !== 200) throw new Error(`the order was refused with ${status}`);
    const wsdl = await gateway.fetch(new Request('http://gateway/orders/v1?wsdl'));
    writeFileSync(join(folder, 'orders.wsdl'), await wsdl.text());
    return secret;
  } finally {
    await gateway.close();
  }
}

function isGatewayName(name: ServerName): name is GatewayName {
  return gatewayNames.some((each) => each === name);
}

function launch(name: ServerName, port: number): Launch {
  const isGateway = isGatewayName(name);
  const program = fileURLToPath(new URL(isGateway ? 'gateway.ts' : 'peer.ts', import.meta.url));
  const preload = fileURLToPath(new URL('../../scripts/own-package.mjs', import.meta.url));
  const data = join(folder, isGateway ? name : 'alone');
  mkdirSync(data, { recursive: true });
  const ready = name === 'bareKoa' || name === 'fastify' ? '/ready' : '/orders/v1?wsdl';
  return {
    parameters: ['--disable-warning=ExperimentalWarning', '--import', preload, program],
    env: {
      ...(isGateway ? { SERVED: name, DATA_DIR: data } : { PEER: name, DATABASE: join(data, 'triglyph.db') }),
      PORT: String(port),
      WSDL: join(folder, 'orders.wsdl'),
      NODE_ENV: 'production',
    },
    readyUrl: `http://127.0.0.1:${port}${ready}`,
    logFile: join(folder, `${name}.log`),
    readyMsMax: 60_000,
  };
}

type Rounds = ReadonlyMap<OrderTarget, readonly Measured[]>;

async function measure(targets: readonly OrderTarget[], count: number): Promise<Rounds> {
  const rounds = new Map<OrderTarget, Measured[]>(targets.map((target) => [target, []]));
  for (const target of targets) {
    const { url, headers, body, check } = target;
    check(await (await fetch(url, { method: 'POST', headers, body })).text());
    await putLoad(target, plan.warmUpSeconds, 1);
  }
  // Back and forth, so that no target always follows the same one.
  for (let round = 0; round < count; round += 1)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const server = servers.get(target.server)!;
      const before = server.cpuUs();
      const measured = await putLoad(target, 1, 1);
      rounds.get(target)!.push({ ...measured, cpuUs: server.cpuUs() - before });
      process.stderr.write('.');
    }
  process.stderr.write('\n');
  return rounds;
}

function compareTogether(rounds: Rounds, format: OrderTarget['format']): Finding {
  const cpuOf = (server: ServerName) =>
    medianCpu([...rounds].find(([each]) => each.server === server && each.format === format)![1]);
  const alone = cpuOf('alone') + cpuOf('aloneAgain');
  const ratio = (cpuOf('together') + cpuOf('togetherAgain')) / alone;
  const same = cpuOf('aloneAgain') / cpuOf('alone');
  return {
    name: `orders next to the built-in services against orders alone, ${titles[format]} (two processes of the same: ${same.toFixed(2)})`,
    measured: ratio.toFixed(2),
    limit: `${1 - tolerance} to ${1 + tolerance}`,
    holds: Math.abs(ratio - 1) <= tolerance,
  };
}

function print(rounds: Rounds): string {
  return [
    '| server and format | CPU per request, us | requests/s | bytes per answer |',
    '|---|---:|---:|---:|',
    ...[...rounds].map(([{ name }, each]) => {
      const perSecond = median(each.map(({ requests, us }) => (requests * 1e6) / us));
      const bytes = median(each.map(({ bytes, requests }) => bytes / requests));
      return `| ${name} | ${medianCpu(each).toFixed(0)} | ${perSecond.toFixed(0)} | ${bytes.toFixed(0)} |`;
    }),
  ].join('\n');
}
