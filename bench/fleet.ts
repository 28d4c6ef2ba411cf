/** The servers of a run: Triglyph as delivered, and the peers on the same data. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type Launch, type Server, startServer } from './server.ts';
import { ask, reference, type ServerName, type Target, type TargetName, targetsAt } from './targets.ts';

export interface Fleet {
  readonly targets: Readonly<Record<TargetName, Target>>;
  readonly servers: Readonly<Record<ServerName, Server>>;
  /** With an empty folder, until all shoppers are stored. */
  readonly firstReadyMs: number;
  /** Resident memory of Triglyph, ready and idle. */
  readonly idleBytes: number;
  stop(): Promise<void>;
}

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The first start creates the shoppers. */
const firstReadyMsMax = 60_000;
const readyMsMax = 10_000;
const idleMs = 1000;

export interface TriglyphOptions {
  readonly folder: string;
  readonly port: number;
  readonly shoppers: number;
  /** The checkout to start; this one where it is absent. */
  readonly root?: string;
  /** Parameters of `node` before the program. */
  readonly before?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Triglyph with everything enabled: credentials, validation, the durable store, the log in a file, metrics. */
export const launchTriglyph = async (options: TriglyphOptions): Promise<Launch> => {
  const { folder, port, shoppers, root = local('..'), before = [], env = {} } = options;
  const adminPort = await freePort();
  return {
    parameters: [...before, join(root, 'bin/triglyph.mjs'), 'demo'],
    env: {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      DATA_DIR: join(folder, 'data'),
      DEMO_SHOPPERS: String(shoppers),
      ...env,
    },
    readyUrl: `http://127.0.0.1:${adminPort}/readyz`,
    logFile: join(folder, 'triglyph.log'),
    readyMsMax: firstReadyMsMax,
  };
};

/** Writes the answers of Triglyph for every shopper: the peers answer the same. */
const exportAnswers = async (target: Target, shoppers: number, file: string): Promise<void> => {
  const answers: Record<string, unknown> = {};
  const atOnce = 16;
  const numbers = Array.from({ length: shoppers }, (_, index) => index + 1).values();
  const worker = async () => {
    for (const number of numbers) answers[reference(number)] = JSON.parse(await ask(target, reference(number)));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  writeFileSync(file, JSON.stringify(answers));
};

const launchPeer = (name: string, folder: string, port: number, env: Launch['env'] = {}): Launch => ({
  parameters: [local(`peer/${name}.ts`)],
  env: {
    ...env,
    PORT: String(port),
    SHOPPERS: join(folder, 'shoppers.json'),
    WSDL: local('../wsdl/Recurring-v25.wsdl'),
    NODE_ENV: 'production',
  },
  readyUrl: `http://127.0.0.1:${port}/pal/servlet/Recurring/v25?wsdl`,
  logFile: join(folder, `${name}.log`),
  readyMsMax,
});

/** Starts all servers. Triglyph starts twice: what counts is a start with the data there. */
export const startFleet = async (folder: string, shoppers: number): Promise<Fleet> => {
  mkdirSync(folder, { recursive: true });
  const ports = {
    triglyph: await freePort(),
    soapPackage: await freePort(),
    bareKoa: await freePort(),
    uncached: await freePort(),
    soapUnprefixed: await freePort(),
  };
  const targets = targetsAt(ports);
  const launch = await launchTriglyph({ folder, port: ports.triglyph, shoppers });
  const first = await startServer(launch);
  const firstReadyMs = first.readyMs;
  await first.stop();
  const copy = join(folder, 'uncached');
  cpSync(join(folder, 'data'), join(copy, 'data'), { recursive: true });

  const started: Server[] = [];
  const start = async (how: Launch): Promise<Server> => {
    const server = await startServer(how);
    started.push(server);
    return server;
  };
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  try {
    const triglyph = await start({ ...launch, readyMsMax });
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idleBytes = triglyph.rssBytes();
    await exportAnswers(targets.triglyphJson, shoppers, join(folder, 'shoppers.json'));
    const soapPackage = await start(launchPeer('soap-package', folder, ports.soapPackage));
    const bareKoa = await start(launchPeer('bare-koa', folder, ports.bareKoa));
    const env = { REMEMBERED_BYTES_MAX: '0' };
    const uncached = await start(await launchTriglyph({ folder: copy, port: ports.uncached, shoppers, env }));
    const bare = launchPeer('soap-package', folder, ports.soapUnprefixed, { PREFIXES: 'none' });
    const soapUnprefixed = await start(bare);
    const servers = { triglyph, soapPackage, bareKoa, uncached, soapUnprefixed };
    return { targets, servers, firstReadyMs, idleBytes, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
