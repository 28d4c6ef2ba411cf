/** The servers of a run: Triglyph as delivered, and the peers on the same data. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createData, createdByDemo } from './datasets.ts';
import { type CompiledName, type CompiledPeers, compiledNames } from './peer/compiled.ts';
import { exportAnswers } from './peer/export.ts';
import type { Scenario } from './scenarios.ts';
import { freePort, type Launch, type Server, startServer } from './server.ts';
import { type ServerName, serverNames, type Target, type TargetName, targetsAt } from './targets.ts';

export interface Fleet {
  readonly targets: Readonly<Record<TargetName, Target>>;
  readonly servers: ReadonlyMap<ServerName, Server>;
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

/** A demo of fewer shoppers has a test clock and a copy of its data in memory, which no other server has. */
export const shoppersMin = 1_001;

export interface TriglyphOptions {
  readonly folder: string;
  readonly port: number;
  /** How many the demo creates where they are missing. */
  readonly shoppers: number;
  /** The checkout to start; this one where it is absent. */
  readonly root?: string;
  /** Parameters of `node` before the program. */
  readonly before?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Triglyph with everything enabled: credentials, validation, the durable store, the log in a file, metrics, and the console as of `serve`. */
export const launchTriglyph = async (options: TriglyphOptions): Promise<Launch> => {
  const { folder, port, shoppers, root = local('..'), before = [], env = {} } = options;
  const adminPort = await freePort();
  return {
    // What is loaded before it changes or names sources.
    parameters: [...before, join(root, before.length > 0 ? 'src/program/main.ts' : 'bin/triglyph.mjs'), 'demo'],
    env: {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      DATA_DIR: join(folder, 'data'),
      DEMO_SHOPPERS: String(shoppers),
      // The demo records the details of all traffic by default.
      TRAFFIC: 'watched',
      ...env,
    },
    readyUrl: `http://127.0.0.1:${adminPort}/readyz`,
    logFile: join(folder, 'triglyph.log'),
    readyMsMax: firstReadyMsMax,
  };
};

interface Peer {
  readonly program: string;
  readonly env?: Launch['env'];
  readonly readyPath: string;
}

const soapPackage: Peer = { program: 'soap-package', readyPath: '/pal/servlet/Recurring/v25?wsdl' };

const peers: Readonly<Record<Exclude<ServerName, 'triglyph' | 'uncached' | CompiledName>, Peer>> = {
  soapPackage,
  soapUnprefixed: { ...soapPackage, env: { PREFIXES: 'none' } },
  bareKoa: { program: 'bare-koa', readyPath: '/ready' },
  fastify: { program: 'fastify', readyPath: '/ready' },
  plainHttp: { program: 'plain-http', readyPath: '/ready' },
};

const launchPeer = ({ program, env = {}, readyPath }: Peer, folder: string, port: number): Launch => ({
  parameters: [local(`peer/${program}.ts`)],
  env: {
    ...env,
    PORT: String(port),
    ANSWERS: join(folder, 'answers.json'),
    WSDL: local('../wsdl/Recurring-v25.wsdl'),
    NODE_ENV: 'production',
  },
  readyUrl: `http://127.0.0.1:${port}${readyPath}`,
  logFile: join(folder, `${program}.log`),
  readyMsMax,
});

/** The peers in C and in Java have the answers as text. */
const launchCompiled = (
  name: CompiledName,
  { executables }: CompiledPeers,
  folder: string,
  port: number,
): Launch | undefined => {
  const executable = executables.get(name);
  if (executable === undefined) return undefined;
  return {
    ...executable,
    env: { PORT: String(port), ANSWERS_TEXT: join(folder, 'answers.txt') },
    readyUrl: `http://127.0.0.1:${port}/ready`,
    logFile: join(folder, `${name}.log`),
    readyMsMax: firstReadyMsMax,
  };
};

const isCompiled = (name: ServerName): name is CompiledName => (compiledNames as readonly string[]).includes(name);

/** Starts the servers of a scenario on its data, without the peers that are not compiled. Triglyph starts twice: what counts is a start with the data there. */
export const startFleet = async (
  folder: string,
  { dataset, servers: names }: Pick<Scenario, 'dataset' | 'servers'>,
  compiled: CompiledPeers,
): Promise<Fleet> => {
  mkdirSync(folder, { recursive: true });
  const ports = Object.fromEntries(await Promise.all(serverNames.map(async (name) => [name, await freePort()])));
  const targets = targetsAt(ports);
  const { shoppers } = dataset;
  const firstReadyMs = await createData(folder, dataset, ports.triglyph);
  const copy = join(folder, 'uncached');
  cpSync(join(folder, 'data'), join(copy, 'data'), { recursive: true });

  const servers = new Map<ServerName, Server>();
  const stop = async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  };
  try {
    // A demo of few shoppers has a test clock and a copy of its data in memory, which no other server has.
    const launch = await launchTriglyph({ folder, port: ports.triglyph, shoppers: createdByDemo(dataset) });
    const triglyph = await startServer({ ...launch, readyMsMax });
    servers.set('triglyph', triglyph);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idleBytes = triglyph.rssBytes();
    await exportAnswers(targets, shoppers, { json: join(folder, 'answers.json'), text: join(folder, 'answers.txt') });
    for (const name of names) {
      if (name === 'triglyph') continue;
      const port = ports[name];
      const how =
        name === 'uncached'
          ? await launchTriglyph({
              folder: copy,
              port,
              shoppers: createdByDemo(dataset),
              env: { REMEMBERED_BYTES_MAX: '0' },
            })
          : isCompiled(name)
            ? launchCompiled(name, compiled, folder, port)
            : launchPeer(peers[name], folder, port);
      if (how !== undefined) servers.set(name, await startServer(how));
    }
    return { targets, servers, firstReadyMs, idleBytes, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
