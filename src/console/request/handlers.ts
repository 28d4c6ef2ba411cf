/** Answers the operations of one request. */
import { credentialActor } from '../../access/index.ts';
import { printCallSource } from '../../convert/index.ts';
import { type CallerIdentity, contractOf, type Output, Problem } from '../../core/contract/index.ts';
import { createProtocols, wireFormats } from '../../core/formats/index.ts';
import type { FoundRequest, TrafficDetails, TrafficMessage } from '../../insight/traffic/index.ts';
import { type ConsoleContext, originForCallers, type ViewHandlers } from '../console-context.ts';
import { trafficProblems } from '../traffic/contract.ts';
import { lineOf, requireReader } from '../traffic/handlers.ts';
import { type getTrafficRequest, messageMax, type requestOperations } from './contract.ts';

type Details = NonNullable<Output<typeof getTrafficRequest>['details']>;

export function requestHandlers(context: ConsoleContext): ViewHandlers<(typeof requestOperations)[number]> {
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
  };
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
