/** Simulates the keys of 31 days on the masters of a Redis cluster, minute by minute, over measured figures. */
import type { Figures } from './figures.ts';

export interface Load {
  readonly keysADay: number;
  /** The busiest minute of a day, as a multiple of the mean. */
  readonly peak: number;
  /** How long a record lives: REDIS_STORE_DAYS. */
  readonly days: number;
}

export interface Outcome {
  /** Arrivals in the busiest minute, of all masters, for each second. */
  readonly peakPerSecond: number;
  /** Records at the end, when the first ones expire. */
  readonly records: number;
  /** Memory of all masters, and of the fullest one. */
  readonly bytes: number;
  readonly fullestBytes: number;
  /** What the busiest master appends in a day. */
  readonly logBytesADay: number;
  /** The part of a core that the busiest master uses in its busiest minute. */
  readonly busiestCore: number;
  /** Cores of the gateways in the busiest minute. */
  readonly gatewayCores: number;
}

const minutesOfDay = 24 * 60;

/** `tags`: those of each master. `random`: from 0 up to 1; the same numbers give the same outcome. */
export function simulate(load: Load, tags: readonly number[], figures: Figures, random: () => number): Outcome {
  const allTags = tags.reduce((sum, each) => sum + each, 0);
  const stored = tags.map(() => 0);
  const busiest = tags.map(() => 0);
  let peak = 0;
  for (let minute = 0; minute < load.days * minutesOfDay; minute += 1) {
    const mean = (load.keysADay / minutesOfDay) * curve(minute, load.peak);
    let all = 0;
    for (const [master, share] of tags.entries()) {
      const arrived = poisson((mean * share) / allTags, random);
      stored[master]! += arrived;
      busiest[master] = Math.max(busiest[master]!, arrived);
      all += arrived;
    }
    peak = Math.max(peak, all);
  }
  const { recordBytes, logBytes, storeUs, gatewayUs } = figures;
  const records = stored.reduce((sum, each) => sum + each, 0);
  const fullest = Math.max(...stored);
  return {
    peakPerSecond: peak / 60,
    records,
    bytes: records * recordBytes,
    fullestBytes: fullest * recordBytes,
    logBytesADay: (fullest / load.days) * logBytes,
    busiestCore: ((Math.max(...busiest) / 60) * storeUs) / 1e6,
    gatewayCores: ((peak / 60) * gatewayUs) / 1e6,
  };
}

/** A day with one busy time; its mean is 1. */
function curve(minute: number, peak: number): number {
  return 1 + (peak - 1) * Math.sin((2 * Math.PI * minute) / minutesOfDay);
}

/** Above 50 by the normal distribution. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const end = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > end; product *= random()) count += 1;
  return count;
}

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
