/** More load than the server carries: stores of cards, at three times the rate at which it is saturated. */
import { type Finding, limited, table } from '../results.ts';
import type { Running } from '../rounds.ts';
import { runLoad } from './children.ts';

/** Each figure in a second, times in milliseconds. */
interface Sample {
  readonly goodput: number;
  readonly sent: number;
  /** Arrivals that found no client free: all were waiting for an answer, or for the end of their `Retry-After`. */
  readonly withoutConnection: number;
  readonly acceptedP50Ms: number;
  readonly acceptedP99Ms: number;
  readonly refused: number;
  readonly refusedP50Ms: number;
  readonly refusedP99Ms: number;
  readonly other: number;
}

interface Load extends Sample {
  /** CPU time of the server in a second. */
  readonly cpuMs: number;
}

interface Round {
  /** Just before the overload, and just after it. */
  readonly peaks: readonly [Load, Load];
  /** The control: as many requests under way as at the peak, on the connections of the overload in turn. */
  readonly spread: Load;
  readonly overloaded: Load;
}

/** Of the round with the median share of the peak. */
export interface Overload extends Round {
  /** The control: the same load on the server without limits. */
  readonly unlimited: Load;
}

const saturatingConnections = 64;
const clients = 1_000;
const times = 3;
/** The machine is faster in one minute than in another: the peak is measured before and after each overload. */
const rounds = 7;

export async function measureOverload(on: Running, off: Running, seconds: number): Promise<Overload> {
  const measured: Round[] = [];
  let before = await load(on, seconds, saturatingConnections, 0);
  for (let round = 0; round < rounds; round += 1) {
    const spread = await load(on, seconds, clients, 0, saturatingConnections);
    const overloaded = await load(on, seconds, clients, tooMany(before));
    const after = await load(on, seconds, saturatingConnections, 0);
    measured.push({ peaks: [before, after], spread, overloaded });
    before = after;
  }
  const median = measured.toSorted((a, b) => shareOfPeak(a) - shareOfPeak(b))[Math.floor(rounds / 2)]!;
  return { ...median, unlimited: await load(off, seconds, clients, tooMany(median.peaks[0])) };
}

/** In a second. */
function tooMany({ goodput }: Load): number {
  return Math.round(goodput * times);
}

function shareOfPeak({ peaks: [before, after], overloaded }: Round): number {
  return (2 * overloaded.goodput) / (before.goodput + after.goodput);
}

async function load(
  target: Running,
  seconds: number,
  connections: number,
  perSecond: number,
  atOnce = connections,
): Promise<Load> {
  const { server, port } = target;
  const cpu: number[] = [];
  const parameters = [port, seconds, connections, perSecond, atOnce].map(String);
  const sample = await runLoad<Sample>(parameters, () => cpu.push(server.cpuUs()));
  return { ...sample, cpuMs: (cpu[1]! - cpu[0]!) / 1000 / seconds };
}

/** Percent. */
const goodputShareMin = 90;
const acceptedMsMax = 1_000;
const refusedMsMax = 50;

export function overloadFindings(overload: Overload): readonly Finding[] {
  const { overloaded } = overload;
  const share = 100 * shareOfPeak(overload);
  return [
    limited(`goodput at ${times} times saturation, of its peak`, share, 'at least', goodputShareMin, '%'),
    limited('p99 of what is accepted', overloaded.acceptedP99Ms, 'below', acceptedMsMax, 'ms'),
    limited('p99 of refusals', overloaded.refusedP99Ms, 'below', refusedMsMax, 'ms'),
  ];
}

export function printOverload({ peaks: [before, after], spread, overloaded, unlimited }: Overload): readonly string[] {
  const row = (label: string, load: Load) => [
    label,
    ...[
      ...[load.sent, load.goodput, load.acceptedP50Ms, load.acceptedP99Ms],
      ...[load.refused, load.refusedP50Ms, load.refusedP99Ms, load.withoutConnection],
      ...[load.cpuMs, (load.cpuMs * 1000) / load.goodput],
    ].map((each) => each.toFixed(0)),
  ];
  return [
    `storeToken in JSON with a key, one credential. The peak is that of ${saturatingConnections} connections that never pause. Then requests arrive at ${times} times that rate, from ${clients} clients that obey \`Retry-After\`. The peak is measured before and after each overload, and before it a load with as many requests under way as at the peak, on as many connections as in the overload. Of ${rounds} rounds, the one with the median share.`,
    table(
      [
        ...['load', 'sent/s', 'answered with 200/s', 'p50, ms', 'p99, ms', 'refused/s', 'p50, ms', 'p99, ms'],
        ...['arrivals/s without a free client', 'CPU, ms/s', 'CPU, us for each 200'],
      ],
      [
        row('peak, before', before),
        row(`${saturatingConnections} at a time, of ${clients} connections`, spread),
        row(`${times} times the peak`, overloaded),
        row('peak, after', after),
        row(`${times} times the peak, limits off`, unlimited),
      ],
    ),
  ];
}
