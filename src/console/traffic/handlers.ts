/** Answers the operations of traffic. */
import type { Output } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import { bindHandlers, type OperationHandlers } from '../../gateway/implement.ts';
import { minuteMs } from '../../observe/traffic/rates.ts';
import type { FoundRequest, TrafficReader } from '../../observe/traffic/reader.ts';
import type { TrafficDetails, TrafficLine, TrafficMessage } from '../../observe/traffic/record.ts';
import type { ConsolePorts } from '../ports.ts';
import { type getTrafficRequest, type listTraffic, trafficOperations, trafficProblems } from './contract.ts';

type Request = Output<typeof getTrafficRequest>;
type Details = NonNullable<Request['details']>;
type Line = Output<typeof listTraffic>['requests'][number];

const defaultLimit = 200;

/** Minutes of each period, and of its intervals. */
const periods = Object.freeze({ hour: { minutes: 60, step: 1 }, day: { minutes: 1_440, step: 5 } });

export function trafficHandlers({ traffic }: Pick<ConsolePorts, 'traffic'>): OperationHandlers {
  const { reader } = traffic;
  const find = async (id: string): Promise<FoundRequest> => {
    const found = await requireReader(reader).find(id);
    if (found === undefined) throw new Problem(trafficProblems.requestNotKept);
    return found;
  };
  return bindHandlers(trafficOperations, {
    async listTraffic({ input: { limit = defaultLimit, ...filter } }) {
      const opened = requireReader(reader);
      opened.watch();
      const { lines, cursor } = await opened.read(undefined, filter, limit);
      const { details, requestsMax } = opened.settings;
      return { requests: lines.map(lineOf), cursor, details, requestsMax };
    },

    async getTrafficRequest({ input: { id }, caller }) {
      const { line, details } = await find(id);
      traffic.opened(line, caller);
      return { ...lineOf(line), ...(details !== undefined && { details: detailsOf(details) }) };
    },

    async printTrafficRequest({ input: { id, language }, caller }) {
      const found = await find(id);
      traffic.opened(found.line, caller);
      const source = traffic.print(found, language);
      if (source === undefined) throw new Problem(trafficProblems.noCanonicalForm);
      return { source };
    },

    async getTrafficRates({ input: { period = 'hour' } }) {
      const { minutes, step } = periods[period];
      const until = Date.now();
      const { rates } = requireReader(reader);
      const stepMs = step * minuteMs;
      const from = until - minutes * minuteMs;
      return { from: from - (from % stepMs), until, stepMs, formats: rates.read(until, minutes, step) };
    },
  });
}

/** Throws a Problem where nothing is recorded. */
function requireReader(reader: TrafficReader | undefined): TrafficReader {
  if (reader === undefined) throw new Problem(trafficProblems.trafficOff);
  return reader;
}

/** Without members that are undefined: other processes send none. */
export function lineOf(line: TrafficLine): Line {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as Line;
}

function detailsOf({ received, answer, problem, key, upstream, ...details }: TrafficDetails): Details {
  return {
    ...details,
    received: { ...messageOf(received), query: received.query, isReadable: received.isReadable },
    answer: messageOf(answer),
    problemCode: problem?.code,
    problemMessage: problem?.message,
    keyLength: key.length,
    keyIsWeak: key.isWeak,
    upstreamCalls: upstream,
  };
}

function messageOf({ headers, body, isCut }: TrafficMessage) {
  return { headers: headers.map(([name, value]) => ({ name, value })), body, isCut };
}
