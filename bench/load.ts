/** Puts load on a server with wrk, and returns what wrk measured. */
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { loadCore, pinned } from './machine.ts';
import type { Target } from './targets.ts';

const run = promisify(execFile);

export const connections = 32;

export interface Round {
  readonly requests: number;
  /** Of whole answers, headers included. */
  readonly bytes: number;
  /** Length of the round. */
  readonly us: number;
  readonly failed: Readonly<Record<'connect' | 'read' | 'write' | 'timeout' | 'status', number>>;
  /** Latencies as the load generator saw them. */
  readonly p50Us: number;
  readonly p99Us: number;
}

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

/** Installs wrk with apt-get where it is missing. */
export const provideLoad = (): void => {
  if (has('wrk')) return;
  console.log('wrk is not installed: installing it with apt-get.');
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '-qq', 'wrk'], { stdio: 'inherit' });
  if (!has('wrk')) throw new Error('wrk is missing: install the package of that name, then run this again');
};

/** What the load needs of a target. */
export interface LoadTarget extends Pick<Target, 'url' | 'headers' | 'body' | 'writes'> {
  readonly name: string;
}

export interface LoadOptions {
  /** 32 by default. */
  readonly connections?: number;
  /** The last arguments of load.lua; by default a prefix of its own for a target that writes. */
  readonly keys?: readonly string[];
}

/** One round of so many seconds; throws where a request failed. */
export const putLoad = async (
  target: LoadTarget,
  seconds: number,
  shoppers: number,
  // Keys differ between rounds, so that no request is a retry.
  { connections: open = connections, keys = target.writes ? [randomUUID()] : [] }: LoadOptions = {},
): Promise<Round> => {
  const script = new URL('load.lua', import.meta.url).pathname;
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const options = ['-t1', `-c${open}`, `-d${seconds}s`, '-s', script, ...headers];
  const [program, parameters] = pinned(loadCore, 'wrk', [
    ...options,
    target.url,
    '--',
    String(shoppers),
    target.body,
    ...keys,
  ]);
  const { stdout } = await run(program, parameters, { timeout: (seconds + 20) * 1000 });
  const line = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`wrk gave no result:\n${stdout}`);
  const round = JSON.parse(line) as Round;
  if (round.requests === 0) throw new Error(`${target.name}: no request was answered`);
  // wrk counts statuses from 400 as `status`; no server here redirects.
  const failures = Object.entries(round.failed).filter(([, count]) => count > 0);
  if (failures.length > 0) {
    throw new Error(`${target.name}: ${failures.map(([kind, count]) => `${count} x ${kind}`).join(', ')}`);
  }
  return round;
};

/** Sends one request over the connections of an agent, and returns the status. */
export function statusOf(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  agent: Agent,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, { method: 'POST', headers, agent }, (response) => {
    response.once('error', reject).once('end', () => resolve(response.statusCode ?? 0));
    response.resume();
  });
  sent.once('error', reject).end(body);
  return promise;
}
