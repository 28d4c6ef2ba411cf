/** What the console shows of traffic. */
import { credentialActor } from '../../audit/audit-event.ts';
import { contractOf } from '../../contract/service.ts';
import { printCallSource } from '../../convert/call-source.ts';
import { createProtocols } from '../../formats/index.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { TrafficPort } from './port.ts';

export function trafficPort({ backend, services, callers, traffic }: ConsoleContext): TrafficPort {
  const protocols = createProtocols(services);
  return {
    reader: traffic,
    opened({ id, reference }, { credential, tenant }) {
      const detail = { tenant, request: id, reference };
      backend.audit.record({ kind: 'consoleView', actor: credentialActor(credential), subject: 'traffic', detail });
    },
    print({ line, details }, language) {
      const { service: name, version, operation: operationName } = line;
      if (details?.canonical === undefined || name === undefined || operationName === undefined) return undefined;
      const service = contractOf(services, name, version);
      const operation = service?.operations.get(operationName);
      if (service === undefined || operation === undefined) return undefined;
      const input: unknown = JSON.parse(details.canonical);
      return printCallSource(language, { service, operation, input }, protocols, { origin: callers() });
    },
  };
}
