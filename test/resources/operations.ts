/** The operations of all services by name, and the formats in which each is served. */
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols, namedProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { servicesOf } from '../../src/core/gateway/compose.ts';
import { servedServices } from './served.ts';

export const services = servicesOf(servedServices);
export const protocols = createProtocols(services);
export type Format = ProtocolName;

/** In a version that every format can address, or the newest one. Throws for a name that no service has. */
export function findOperation(name: string): { readonly service: Service; readonly operation: Operation } {
  const found = services.flatMap((service) => {
    const operation = service.operations.get(name);
    return operation === undefined ? [] : [{ service, operation }];
  });
  // Only one version has the address of the adapter. Operations with an HTTP binding have one format.
  const best = found.find(({ service }) => service.legacy?.adapter !== undefined) ?? found.at(-1);
  if (best === undefined) throw new Error(`no service has an operation ${name}`);
  return best;
}

export function formatsOf(operation: Operation): readonly Format[] {
  if (operation.http !== undefined) return ['rest'];
  const serving = services.filter(({ operations }) => operations.get(operation.name) === operation);
  return namedProtocols.filter((name) => serving.some((service) => protocols[name].carries(operation, service)));
}
