/** Answers the operations of traffic. */
import { credentialActor } from '../../audit/audit-event.ts';
import type { CallerIdentity } from '../../contract/canonical.ts';
import type { Output } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import { contractOf } from '../../contract/service.ts';
import { printCallSource } from '../../convert/call-source.ts';
import { createProtocols, wireFormats } from '../../formats/index.ts';
import { minuteMs } from '../../observe/traffic/rates.ts';
import type { FoundRequest, TrafficReader } from '../../observe/traffic/reader.ts';
import type { TrafficDetails, TrafficLine, TrafficMessage } from '../../observe/traffic/record.ts';
import { type ConsoleContext, originForCallers, type ViewHandlers } from '../console-context.ts';
import {
  type getTrafficRequest,
  type listTraffic,
  messageMax,
  type trafficOperations,
  trafficProblems,
} from './contract.ts';

type Request = Output<typeof getTrafficRequest>;
type Details = NonNullable<Request['details']>;
type Line = Output<typeof listTraffic>['requests'][number];

const defaultLimit = 200;

/** Minutes of each period, and of its intervals. */
const periods = Object.freeze({ hour: { minutes: 60, step: 1 }, day: { minutes: 1_440, step: 5 } });

export function trafficHandlers(context: ConsoleContext): ViewHandlers<(typeof trafficOperations)[number]> {
  const { backend, services, traffic: reader } = context;
  const protocols = createProtocols(services);
  /** Finds a request, and records in the audit log who has opened it. */
  const open = async (id: string, { credential, tenant }: CallerIdentity): Promise<FoundRequest> => {
    const found = await requireReader(reader).find(id);
    if (found === undefined) throw new Problem(trafficProblems.requestNotKept);
    const detail = { tenant, request: found.line.id, reference: found.line.reference };
    backend.audit.record({ kind: 'consoleView', actor: credentialActor(credential), subject: 'traffic', detail });
    return found;
  };
  return {
    async listTraffic({ limit = defaultLimit, ...filter }) {
      const opened = requireReader(reader);
      opened.watch();
      const { lines, cursor } = await opened.read(undefined, filter, limit);
      const { details, requestsMax } = opened.settings;
      return { requests: lines.map(lineOf), cursor, details, requestsMax };
    },

    async getTrafficRequest({ id }, caller) {
      const { line, details } = await open(id, caller);
      return { ...lineOf(line), ...(details !== undefined && { details: detailsOf(details, line.format) }) };
    },

    async printTrafficRequest({ id, language }, caller) {
      const { line, details } = await open(id, caller);
      const { service: name, version, operation: operationName } = line;
      const service = name === undefined ? undefined : contractOf(services, name, version);
      const operation = operationName === undefined ? undefined : service?.operations.get(operationName);
      if (details?.canonical === undefined || service === undefined || operation === undefined)
        throw new Problem(trafficProblems.noCanonicalForm);
      const input: unknown = JSON.parse(details.canonical);
      return {
        source: printCallSource(language, { service, operation, input }, protocols, {
          origin: originForCallers(context),
        }),
      };
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
function requireReader(reader: TrafficReader | undefined): TrafficReader {
  if (reader === undefined) throw new Problem(trafficProblems.trafficOff);
  return reader;
}

/** Without members that are undefined: other processes send none. */
export function lineOf({ tenant: _, ...line }: TrafficLine): Line {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as Line;
}

function detailsOf({ received, answer, problem, key, upstream, ...details }: TrafficDetails, format: string): Details {
  // What no format could read may be nested without a bound.
  const readable = received.isReadable ? format : undefined;
  return {
    ...details,
    received: { ...messageOf(received, readable), query: received.query, isReadable: received.isReadable },
    answer: messageOf(answer, format),
    problemCode: problem?.code,
    problemMessage: problem?.message,
    keyLength: key.length,
    keyIsWeak: key.isWeak,
    upstreamCalls: upstream,
  };
}

function messageOf({ headers, body, isCut }: TrafficMessage, format: string | undefined) {
  const { text } = Object.entries(wireFormats).find(([name]) => name === format)?.[1] ?? {};
  const indented = body === undefined || isCut ? body : text?.indent(body);
  return {
    headers: headers.map(([name, value]) => ({ name, value })),
    body,
    ...(indented !== undefined && indented !== body && indented.length <= messageMax && { indented }),
    isCut,
  };
}
