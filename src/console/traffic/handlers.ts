/** Answers the operations of traffic. */
import { type Output, Problem } from '../../core/contract/index.ts';
import { minuteMs, type TrafficLine, type TrafficReader } from '../../insight/traffic/index.ts';
import type { ConsoleContext, ViewHandlers } from '../console-context.ts';
import { type listTraffic, type trafficOperations, trafficProblems } from './contract.ts';

type Line = Output<typeof listTraffic>['requests'][number];

const defaultLimit = 200;

/** Minutes of each period, and of its intervals. */
const periods = Object.freeze({ hour: { minutes: 60, step: 1 }, day: { minutes: 1_440, step: 5 } });

export function trafficHandlers(context: ConsoleContext): ViewHandlers<(typeof trafficOperations)[number]> {
  const { traffic: reader } = context;
  return {
    async listTraffic({ limit = defaultLimit, ...filter }) {
      const opened = requireReader(reader);
      opened.watch();
      const { lines, cursor } = await opened.read(undefined, filter, limit);
      const { details, requestsMax } = opened.settings;
      return { requests: lines.map(lineOf), cursor, details, requestsMax };
    },

    async getTrafficRates({ period = 'hour' }) {
      const { minutes, step } = periods[period];
      const until = Date.now();
      const { rates } = requireReader(reader);
      const stepMs = step * minuteMs;
      const from = until - minutes * minuteMs;
      return {
        from: from - (from % stepMs),
        until,
        stepMs,
        formats: rates.formats.read(until, minutes, step).map(({ name, points }) => ({ format: name, points })),
      };
    },
  };
}

/** Throws a Problem where nothing is recorded. */
export function requireReader(reader: TrafficReader | undefined): TrafficReader {
  if (reader === undefined) throw new Problem(trafficProblems.trafficOff);
  return reader;
}

/** Without members that are undefined: other processes send none. */
export function lineOf({ tenant: _, ...line }: TrafficLine): Line {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as Line;
}
