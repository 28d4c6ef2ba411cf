/** Places keyed orders in every format at a server that is killed and restarted, and compares answers with effects. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { createGateway } from '../../src/api/index.ts';
import { createProtocols, namedProtocols } from '../../src/formats/index.ts';
import type { Random } from '../simulation/random.ts';
import { compileCache } from '../support/compile-cache.ts';

/** What the child serves: the orders of the example, or a seeded defect. */
export type OrdersProgram = 'the example' | 'an effect outside' | 'a unique effect outside';

export interface Findings {
  readonly keys: number;
  /** Keys whose first request the kill cut off. */
  readonly cutOff: number;
  /** Orders with more than one effect. */
  readonly doubled: readonly string[];
  /** Orders that were answered, without an effect. */
  readonly lost: readonly string[];
  /** Orders whose retry was not answered as the first request was, or would have been. */
  readonly refused: readonly string[];
}

const protocols = createProtocols([ordersV1]);
const callers = 4;
/** After the first answer: before it, a kill meets no transaction. */
const liveMsMax = 200;
const server = join(import.meta.dirname, 'orders-server.ts');
const preload = join(import.meta.dirname, '../../scripts/own-package.mjs');

/** Kills the server under load so many times. At the end every key is sent once more, in another format. */
export async function placeOrdersUnderKills(
  program: OrdersProgram,
  folder: string,
  kills: number,
  random: Random,
): Promise<Findings> {
  const dataDir = join(folder, 'data');
  const file = join(folder, 'effects');
  const secret = await prepare(dataDir);
  const acknowledged: string[] = [];
  const cutOff: string[] = [];
  const refused: string[] = [];
  let placed = 0;
  const firstFormat = (number: string) => Number(number.slice(2)) % namedProtocols.length;

  /** Resolves true where the answer is that the order is placed. Rejects where the server dies. */
  async function place(url: string, number: string, retry: number): Promise<boolean> {
    const name = namedProtocols[(firstFormat(number) + retry) % namedProtocols.length]!;
    const input = { shop: 'amsterdam', number, item: 'Bicycle', quantity: 1 };
    const { path, contentType, body } = protocols[name].encodeRequest(ordersV1, placeOrder, input);
    const headers = {
      'content-type': contentType,
      'x-api-key': secret,
      'idempotency-key': `key-of-the-order-${number}`,
    };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 200) return false;
    const { status } = protocols[name].decodeResponse(placeOrder, text).value as { readonly status?: string };
    return status === 'placed';
  }

  async function placeUntilKilled(url: string, onAnswer: () => void): Promise<void> {
    for (;;) {
      placed += 1;
      const number = `A-${placed}`;
      try {
        ((await place(url, number, 0)) ? acknowledged : refused).push(number);
        onAnswer();
      } catch {
        cutOff.push(number);
        return onAnswer();
      }
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const { child, url } = await start(dataDir, program, file);
    const { promise: answered, resolve: onAnswer } = Promise.withResolvers<void>();
    const load = Array.from({ length: callers }, () => placeUntilKilled(url, onAnswer));
    await answered;
    await wait(random.below(liveMsMax));
    await stop(child);
    await Promise.all(load);
  }
  const { child, url } = await start(dataDir, program, file);
  try {
    const all = [...acknowledged, ...cutOff];
    for (const [index, number] of all.entries())
      if (!(await place(url, number, 1 + (index % (namedProtocols.length - 1))))) refused.push(number);
    acknowledged.splice(0, acknowledged.length, ...all.filter((number) => !refused.includes(number)));
  } finally {
    await stop(child);
  }
  const effects = program === 'the example' ? ordersIn(dataDir) : linesOf(file);
  return { keys: placed, cutOff: cutOff.length, refused, ...compare(acknowledged, effects) };
}

function compare(acknowledged: readonly string[], effects: readonly string[]): Pick<Findings, 'doubled' | 'lost'> {
  const counts = new Map<string, number>();
  for (const number of effects) counts.set(number, (counts.get(number) ?? 0) + 1);
  return {
    doubled: [...counts].filter(([, count]) => count > 1).map(([number]) => number),
    lost: acknowledged.filter((number) => !counts.has(number)),
  };
}

/** Creates the tables and a credential, and returns its secret. */
async function prepare(dataDir: string): Promise<string> {
  const gateway = await createGateway({ services: [orders], store: { dataDir } });
  const grants = { shop: ['amsterdam'] };
  const added = await gateway.credentials.addCredential({ tenant: 'acme', kind: 'apiKey', roles: ['orders'], grants });
  await gateway.close();
  return added.secret;
}

async function start(dataDir: string, program: OrdersProgram, file: string) {
  const flags = ['--disable-warning=ExperimentalWarning', '--import', preload];
  const child = spawn(process.execPath, [...flags, server, dataDir, program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: compileCache },
  });
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ]);
  return { child, url: String(line).trim() };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function ordersIn(dataDir: string): readonly string[] {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'));
  try {
    return database
      .prepare('select number from example_order')
      .all()
      .map(({ number }) => String(number));
  } finally {
    database.close();
  }
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}
