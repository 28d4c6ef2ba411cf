/** Questions to several servers in alternating rounds, one at a time: the median of their times, and the servers' own. */
import type { Server } from '../server.ts';

export interface Target {
  readonly server: Server;
  /** Asks once; milliseconds. Throws where the answer is wrong. */
  ask(): Promise<number>;
}

export interface Timed {
  /** Milliseconds. */
  readonly median: number;
  /** The server's own, microseconds a request. */
  readonly cpuUs: number;
}

const rounds = 6;
/** And no more, where each takes long. */
const asksPerRound = 400;
const roundMsMax = 3_000;

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

const round = async ({ ask }: Target): Promise<readonly number[]> => {
  const times: number[] = [];
  const until = performance.now() + roundMsMax;
  while (times.length < asksPerRound && performance.now() < until) times.push(await ask());
  return times;
};

/** Each in turn, there and back; what is about a target comes back with its times. */
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
