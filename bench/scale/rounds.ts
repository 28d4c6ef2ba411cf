/** Sends single requests to several servers in alternating rounds, and returns the median time and the CPU time of each. */
import type { Server } from '../server.ts';

export interface Target {
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

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

const round = async ({ ask }: Target): Promise<readonly number[]> => {
  const times: number[] = [];
  const until = performance.now() + roundMsMax;
  while (times.length < requestsPerRound && performance.now() < until) times.push(await ask());
  return times;
};

/** Measures the targets back and forth, and returns each with its times. */
export const inRounds = async <T extends Target>(targets: readonly T[]): Promise<readonly (T & Timed)[]> => {
  const times = targets.map((): number[] => []);
  const cpu = targets.map(() => 0);
  const order = targets.map((_, index) => index);
  for (const target of targets) await round(target);
  for (let n = 0; n < rounds; n += 1)
    for (const index of n % 2 === 0 ? order : order.toReversed()) {
      const { server } = targets[index]!;
      const before = server.cpuUs();
      times[index]!.push(...(await round(targets[index]!)));
      cpu[index]! += server.cpuUs() - before;
    }
  return targets.map((target, index) => ({
    ...target,
    median: median(times[index]!),
    cpuUs: cpu[index]! / times[index]!.length,
  }));
};
