/** Alternating rounds, and the CPU time of a server during one. */
import { setTimeout as wait } from 'node:timers/promises';
import { type LoadOptions, type LoadTarget, putLoad } from './load.ts';
import type { Measured } from './results.ts';
import { countAnswers } from './security/connection.ts';
import { type Server, threadCpuUs } from './server.ts';

/** Measures back and forth, so that none always follows the same one. */
export async function inRounds<T, M>(
  items: readonly T[],
  rounds: number,
  measure: (item: T) => Promise<M>,
): Promise<Map<T, M[]>> {
  const results = new Map<T, M[]>(items.map((item) => [item, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const item of round % 2 === 0 ? items : items.toReversed()) {
      results.get(item)!.push(await measure(item));
      process.stderr.write('.');
    }
  process.stderr.write('\n');
  return results;
}

/** Puts load on a server, and measures its CPU time, too. */
export async function measureLoad(
  server: Pick<Server, 'cpuUs'>,
  target: LoadTarget,
  seconds: number,
  shoppers: number,
  options?: LoadOptions,
): Promise<Measured> {
  const before = server.cpuUs();
  const round = await putLoad(target, seconds, shoppers, options);
  return { ...round, cpuUs: server.cpuUs() - before };
}

/** Describes rounds of so many seconds. */
export function describeRounds({ rounds, seconds }: { readonly rounds: number; readonly seconds: number }): string {
  return `${rounds} round${rounds === 1 ? '' : 's'} of ${seconds} s, alternating`;
}

/** A server that connections send requests to. */
export interface Running {
  readonly server: Server;
  readonly port: number;
}

/** Connections of a run without wrk. */
export const closedConnections = 8;

/** Microseconds of CPU time, while each connection sends when it was answered. */
export async function cpuPerRequest({ server, port }: Running, request: () => Buffer, ms: number): Promise<number> {
  let us = 0;
  const answers = await countAnswers({ port, from: '127.0.0.3', connections: closedConnections }, request, async () => {
    const before = threadCpuUs(server.pid);
    await wait(ms);
    us = threadCpuUs(server.pid) - before;
  });
  return us / answers;
}
