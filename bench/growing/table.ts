/** The tables of docs/growing.md: the masters that a load needs, and what the hash tags cost. */
import type { Figures } from './figures.ts';
import { slotsOfTags, tagsBySlots, tagsMoved } from './shards.ts';
import { type Load, type Outcome, simulate } from './simulate.ts';

export interface Limits {
  readonly keys: readonly number[];
  readonly days: readonly number[];
  readonly peak: number;
  /** Memory of each master for records, in GiB. */
  readonly gib: number;
  /** The part of its core that a master may use. */
  readonly core: number;
}

export const defaults: Limits = {
  keys: [1e6, 1e7, 1e8, 1e9],
  days: [31, 1],
  peak: 2,
  gib: 32,
  core: 0.5,
};

const gibibyte = 2 ** 30;
const shownMasters = [3, 6, 12, 24, 48, 96, 192];

/** `random`: from 0 up to 1; the same numbers give the same text. */
export function printGrowth(limits: Limits, figures: Figures, random: () => number): string {
  const { gatewayUs, storeUs, recordBytes, logBytes } = figures;
  const { peak, gib, core } = limits;
  return [
    `Measured for one write with a key: ${gatewayUs} us of CPU of a gateway, ${storeUs} us of Redis, ${recordBytes} bytes of memory, ${logBytes} bytes of its append-only file. ` +
      `The busiest minute has ${peak} times the mean; a master has ${gib} GiB for records, and uses ${core} of its core at most.`,
    printLoads(limits, figures, random),
    printTags(),
  ].join('\n\n');
}

function printLoads(limits: Limits, figures: Figures, random: () => number): string {
  const rows = limits.days.flatMap((days) =>
    limits.keys.map((keysADay) => {
      const load: Load = { keysADay, days, peak: limits.peak };
      const found = mastersFor(load, limits, figures, random);
      const { masters, outcome } = found;
      const cells = [
        short(keysADay),
        days,
        short(outcome.peakPerSecond),
        short(outcome.records),
        short(outcome.bytes / gibibyte),
        found.isEnough ? masters : `more than ${masters}`,
        short(outcome.fullestBytes / gibibyte),
        outcome.busiestCore.toFixed(2),
        short(outcome.logBytesADay / gibibyte),
        short(outcome.gatewayCores),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  return [
    '| keys a day | days | writes/s, busiest minute | records | memory, GiB | masters | the fullest, GiB | core of the busiest | file a day, GiB | cores of gateways |',
    '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
}

interface Needed {
  readonly masters: number;
  /** False where a master for each hash tag is too few. */
  readonly isEnough: boolean;
  readonly outcome: Outcome;
}

/** The fewest masters that hold the load, three at least, with slots that were moved. */
function mastersFor(load: Load, { gib, core }: Limits, figures: Figures, random: () => number): Needed {
  const holds = ({ fullestBytes, busiestCore }: Outcome): boolean =>
    fullestBytes <= gib * gibibyte && busiestCore <= core;
  const whole = simulate(load, [1], figures, random);
  const least = Math.max(3, Math.ceil(whole.bytes / (gib * gibibyte)), Math.ceil(whole.busiestCore / core));
  for (let masters = least; masters <= slotsOfTags.length; masters += 1) {
    // The arithmetic of the fullest share first: it is wrong by chance only, and a simulation of all takes seconds.
    const share = Math.max(...tagsMoved(masters)) / slotsOfTags.length;
    const isLikely = whole.bytes * share <= gib * gibibyte && whole.busiestCore * share <= core;
    const outcome = isLikely ? simulate(load, tagsMoved(masters), figures, random) : undefined;
    if (outcome !== undefined && holds(outcome)) return { masters, isEnough: true, outcome };
  }
  const masters = slotsOfTags.length;
  return { masters, isEnough: false, outcome: simulate(load, tagsMoved(masters), figures, random) };
}

function printTags(): string {
  const busiest = (tags: readonly number[]): string => `${Math.max(...tags)} (${efficiency(tags).toFixed(2)})`;
  return [
    '| masters | hash tags of the busiest, as created | the same, slots moved |',
    '|---:|---:|---:|',
    ...shownMasters.map(
      (masters) => `| ${masters} | ${busiest(tagsBySlots(masters))} | ${busiest(tagsMoved(masters))} |`,
    ),
  ].join('\n');
}

/** What all masters can do together when the busiest is full, of what they could do with equal shares. */
function efficiency(tags: readonly number[]): number {
  return slotsOfTags.length / tags.length / Math.max(...tags);
}

/** Three digits: `12,300`, `4.56`, `1.2 million` is `1,200,000`. */
function short(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en', { maximumFractionDigits: 3 });
}
