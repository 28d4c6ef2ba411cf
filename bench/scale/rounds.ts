/** Sends single requests to several servers in alternating rounds, and returns the median time and the CPU time of each. */
import { median } from '../results.ts';
import { inRounds } from '../rounds.ts';
import type { Server } from '../server.ts';

interface Target {
  readonly server: Server;
  /** Sends one request, and returns the milliseconds. Throws where the answer is wrong. */
  ask(): Promise<number>;
}

export interface Timed {
  /** Milliseconds. */
  readonly median: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpuUs: number;
}

const rounds = 6;
const requestsPerRound = 400;
/** Ends a round of slow requests. */
const roundMsMax = 3_000;

async function round({ ask, server }: Target) {
  const times: number[] = [];
  const before = server.cpuUs();
  const until = performance.now() + roundMsMax;
  while (times.length < requestsPerRound && performance.now() < until) times.push(await ask());
  return { times, cpuUs: server.cpuUs() - before };
}

/** Measures the targets back and forth, and returns each with its times. */
export async function timeInRounds<T extends Target>(targets: readonly T[]): Promise<readonly (T & Timed)[]> {
  for (const target of targets) await round(target);
  return [...(await inRounds(targets, rounds, round))].map(([target, measured]) => {
    const times = measured.flatMap((each) => each.times);
    const cpuUs = measured.reduce((sum, each) => sum + each.cpuUs, 0);
    return { ...target, median: median(times), cpuUs: cpuUs / times.length };
  });
}

/** Sends a request, and returns the milliseconds. Throws unless it succeeds with an answer that is right. */
export async function timeRequest(
  url: string,
  init: RequestInit,
  isRight: (text: string, response: Response) => boolean,
): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (response.status !== 200 || !isRight(text, response)) throw new Error(`${url}: ${response.status} ${text}`);
  return ms;
}
