/** The operations of all services by name, and the formats in which each is served. */
import type { Operation } from '../../src/contract/operation.ts';
import type { Service } from '../../src/contract/service.ts';
import { createProtocols, namedProtocols, type ProtocolName } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';

export const protocols = createProtocols(services);
export type Format = ProtocolName;

/** In the oldest version, which every format can address. Throws for a name that no service has. */
export function findOperation(name: string): { readonly service: Service; readonly operation: Operation } {
  for (const service of services) {
    const operation = service.operations.get(name);
    if (operation !== undefined) return { service, operation };
  }
  throw new Error(`no service has an operation ${name}`);
}

export function formatsOf(operation: Operation): readonly Format[] {
  return operation.http === undefined ? namedProtocols : ['rest'];
}
