/** Reads what the first page of the console shows. */

import { engineTitle } from '../../backend/open-store.ts';
import { startedAt } from '../../backend/process-report.ts';
import { version } from '../../config/version.ts';
import { namedOperations, newestOf, type Service, serviceAddress, versionsOf } from '../../contract/service.ts';
import type { ConsoleContext } from '../console-context.ts';
import { findAttention } from './open-attention.ts';
import type { OverviewPort } from './port.ts';

export function overviewPort(context: ConsoleContext): OverviewPort {
  const { config, services, callers, readiness } = context;
  return {
    findAttention: () => findAttention(context),
    async read() {
      const { ready, probes } = await readiness();
      return {
        version,
        environment: config.environment,
        isDemo: config.mode === 'demo',
        startedAt: startedAt(),
        workers: config.workers,
        store: engineTitle(config),
        ready,
        parts: Object.entries(probes).map(([name, result]) => ({ name, result })),
        services: newestOf(services).map((each) => describeService(each, services, callers())),
      };
    },
  };
}

function describeService(newest: Service, services: readonly Service[], origin: string) {
  const versions = services.filter(({ name }) => name === newest.name).flatMap(versionsOf);
  const [first, last] = [versions[0]!, versions.at(-1)!];
  const address = origin + serviceAddress(newest);
  return {
    name: newest.name,
    doc: newest.doc,
    versions: first === last ? first : `${first} to ${last}`,
    operations: newest.operations.size,
    address,
    ...(namedOperations(newest).length > 0 && { wsdl: `${address}?wsdl` }),
    openApi: `${address}/openapi.json`,
  };
}
