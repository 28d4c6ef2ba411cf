/** The stores of a measurement: few cards and many, with the same content on SQLite and on PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Postgres } from '../../test/support/postgres.ts';
import { freePort, type Server, startServer } from '../server.ts';

const program = fileURLToPath(new URL('../../bin/triglyph.mjs', import.meta.url));
const readyMsMax = 15 * 60_000;

export interface MeasuredStore {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly shoppers: number;
  readonly variables: Readonly<Record<string, string>>;
}

export interface Served extends MeasuredStore {
  readonly server: Server;
  /** `http://127.0.0.1:40123` */
  readonly callers: string;
}

/** Runs a command of the product; its progress goes to our standard error. */
export const runCommand = async (
  parameters: readonly string[],
  variables: MeasuredStore['variables'] = {},
): Promise<void> => {
  const child = spawn(process.execPath, [program, ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...variables },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`triglyph ${parameters[0]} ended with ${code}`);
};

/** `demo` creates its data where it is missing; `serve` does not. `cores`: a list for taskset. */
export const serveAt = async (
  command: 'demo' | 'serve',
  store: MeasuredStore,
  folder: string,
  cores?: string,
): Promise<Served> => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const server = await startServer({
    parameters: [program, command],
    env: {
      ...store.variables,
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      LOG_LEVEL: 'warn',
    },
    readyUrl: `http://127.0.0.1:${adminPort}/readyz`,
    logFile: join(folder, `${store.engine}-${store.shoppers}.log`),
    readyMsMax,
    ...(cores === undefined ? {} : { cores }),
  });
  return { ...store, server, callers: `http://127.0.0.1:${port}` };
};

/** Serves the demo from each store, until `closing` is disposed of. */
export const serveAll = async (
  stores: readonly MeasuredStore[],
  folder: string,
  closing: AsyncDisposableStack,
  cores?: string,
): Promise<readonly Served[]> => {
  const serving: Served[] = [];
  for (const store of stores) {
    const served = await serveAt('demo', store, folder, cores);
    closing.defer(() => served.server.stop());
    serving.push(served);
  }
  return serving;
};

/** Creates the demo's shoppers and what `fill` adds in a folder, and copies all of it to PostgreSQL. */
export const makeStores = async (
  folder: string,
  postgres: Postgres,
  shoppers: number,
  fill: (dataDir: string) => Promise<void> = async () => {},
): Promise<readonly MeasuredStore[]> => {
  const own = join(folder, String(shoppers));
  mkdirSync(own);
  const dataDir = join(own, 'data');
  const embedded: MeasuredStore = {
    engine: 'SQLite',
    shoppers,
    variables: { DATA_DIR: dataDir, DEMO_SHOPPERS: String(shoppers) },
  };
  await (await serveAt('demo', embedded, own)).server.stop();
  await fill(dataDir);
  const url = await postgres.createDatabase();
  await runCommand(['copy', '--from', `sqlite:${dataDir}`, '--to', 'env:COPY_URL'], { COPY_URL: url });
  await postgres.ask('vacuum analyze', [], url);
  const keys = { KEY_FILE: join(dataDir, 'keys') };
  return [
    embedded,
    { engine: 'PostgreSQL', shoppers, variables: { ...embedded.variables, ...keys, DATABASE_URL: url } },
  ];
};
