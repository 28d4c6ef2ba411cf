/** Routing: a path to the service, the version and, where the path names it, the operation. */
import { isAdapterAddress, parseAddress } from '../contract/address.ts';
import { contractOf, type Service } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import type { ResourceService } from '../contract/resource.ts';
import { unknownOperation } from '../formats/named-operation.ts';
import type { Target } from '../formats/protocol.ts';
import { compileResourceRoutes } from './resource-routes.ts';

export interface Routes {
  /** Whether the path is one of resources, which have a protocol of their own. */
  ofResources(path: string): boolean;
  /** Throws notFound, unknownVersion, unknownOperation or methodNotAllowed. */
  find(method: string, path: string): Target;
}

const unserved = (services: readonly Service[], name: string): Problem => {
  const versions = services.filter((each) => each.name === name);
  if (versions.length === 0) return new Problem('notFound');
  const served = versions.map(({ version, servesUpTo }) => `v${version} to v${servesUpTo}`).join(', ');
  return new Problem('unknownVersion', describe('unknownVersion', served));
};

const locate = (services: readonly Service[], path: string): Target => {
  const address = parseAddress(path);
  if (address === undefined) throw new Problem('notFound');
  const { name, version } = address;
  const service = contractOf(services, name, version);
  if (service === undefined) throw unserved(services, name);
  const operation = address.operation === undefined ? undefined : service.operations.get(address.operation);
  if (address.operation !== undefined && operation === undefined) throw unknownOperation(service);
  return { service, version: version ?? service.version, operation };
};

/** The form adapter names the service in its body; Recurring is what it has ever carried here. */
const adaptedBy = (services: readonly Service[]): Target => {
  const service = contractOf(services, 'Recurring') ?? services.at(-1)!;
  return { service, version: service.version, operation: undefined };
};

export const compileRoutes = (services: readonly Service[], resources: readonly ResourceService[] = []): Routes => {
  const resourceRoutes = compileResourceRoutes(resources);
  const adapted = Object.freeze(adaptedBy(services));
  // The paths that callers really use are few: each is taken apart once.
  const seen = new Map<string, Target>();
  const find = (path: string): Target => {
    if (isAdapterAddress(path)) return adapted;
    const known = seen.get(path);
    if (known !== undefined) return known;
    const target = Object.freeze(locate(services, path));
    if (seen.size < 1_000) seen.set(path, target);
    return target;
  };
  return Object.freeze({
    ofResources: resourceRoutes.owns,
    find(method: string, path: string): Target {
      if (resourceRoutes.owns(path)) return resourceRoutes.find(method, path);
      const target = find(path);
      if (method !== 'POST') throw new Problem('methodNotAllowed', undefined, { headers: { Allow: 'POST' } });
      return target;
    },
  });
};
