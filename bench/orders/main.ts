/** `npm run bench -- --only orders`: a service of one's own against peers, and against itself next to the built-in services. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtIn, createGateway } from 'triglyph';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { operationAddress } from '../../src/core/contract/service.ts';
import { connections, provideLoad, putLoad } from '../load.ts';
import { describeMachine } from '../machine.ts';
import { type Finding, figuresOf, type Measured, medianCpu, table } from '../results.ts';
import { inRounds, measureLoad } from '../rounds.ts';
import { runSection, sectionOptions } from '../section.ts';
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

const { values: options } = parseArgs({ options: sectionOptions });
/** The two gateways are compared in many rounds: the machine varies more than they may differ. */
const plan = options.quick
  ? { pairRounds: 2, rounds: 1, warmUpSeconds: 2 }
  : { pairRounds: 16, rounds: 5, warmUpSeconds: 5 };
/** The engine's cost per request does not depend on the built-in services. */
const tolerance = 0.05;

await runSection('orders', options, async (folder, closing) => {
  provideLoad();
  const secrets: Partial<Record<ServerName, string>> = {};
  for (const name of gatewayNames) secrets[name] = await prepare(name, folder);
  const ports = Object.fromEntries(
    await Promise.all(serverNames.map(async (name) => [name, await freePort()] as const)),
  ) as Ports;
  const servers = new Map<ServerName, Server>();
  for (const name of serverNames) {
    const server = await startServer(launch(name, ports[name], folder));
    closing.defer(() => server.stop());
    servers.set(name, server);
  }
  const targets = targetsAt(ports, secrets);
  const isPair = ({ server, readsOrder }: OrderTarget) => isGatewayName(server) && readsOrder;
  const pair = await measure(targets.filter(isPair), servers, plan.pairRounds);
  const others = await measure(
    targets.filter((each) => !isPair(each)),
    servers,
    plan.rounds,
  );
  const rounds = new Map([...pair, ...others]);
  const findings = (['json', 'soap11'] as const).map((format) => compareTogether(rounds, format));
  const head =
    `getOrder of one order from SQLite, ${connections} connections; ${plan.pairRounds} rounds of the orders and ${plan.rounds} of the others, alternating, each of a second. ` +
    describeMachine();
  return { text: [head, print(rounds)], findings };
});

/** Creates the data of a gateway with one order, and returns the secret of its caller. */
async function prepare(name: GatewayName, folder: string): Promise<string> {
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

function launch(name: ServerName, port: number, folder: string): Launch {
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

async function measure(
  targets: readonly OrderTarget[],
  servers: ReadonlyMap<ServerName, Server>,
  count: number,
): Promise<Rounds> {
  for (const target of targets) {
    const { url, headers, body, check } = target;
    check(await (await fetch(url, { method: 'POST', headers, body })).text());
    await putLoad(target, plan.warmUpSeconds, 1);
  }
  return inRounds(targets, count, (target) => measureLoad(servers.get(target.server)!, target, 1, 1));
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
  return table(
    ['server and format', 'CPU per request, us', 'requests/s', 'bytes per answer'],
    [...rounds].map(([{ name }, each]) => {
      const { cpuUs, perSecond, bytes } = figuresOf(each);
      return [name, cpuUs, perSecond, bytes];
    }),
  );
}
