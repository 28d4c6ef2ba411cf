/** Routing: a path to the service, the version and, where the path names it, the operation. */
import { adapterAddress, unversioned } from '../contract/address.ts';
import type { Operation, Service } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import { unknownOperation } from '../protocol/named-operation.ts';
import type { Target } from '../protocol/protocol.ts';

/** `/pal/servlet/Recurring/v25/disable`; the version in any case, a trailing slash tolerated (as callers write them). */
const servicePattern = /^\/pal\/servlet\/([A-Za-z]{1,40})\/[vV]([1-9]\d{0,3})(?:\/([A-Za-z]{1,60}))?\/?$/;
const soapPattern = new RegExp(`^${unversioned}([A-Za-z]{1,40})/?$`);

export interface Routes {
  /** Throws notFound, unknownVersion, unknownOperation or methodNotAllowed. */
  find(method: string, path: string): Target;
}

const newest = (versions: readonly Service[]): Service => versions.at(-1)!;

/** The newest contract that is not newer than what was asked for (specification, section 9, leaves this open). */
const servedBy = (versions: readonly Service[], asked: number): Service => {
  const found = versions.findLast(({ version, servesUpTo }) => version <= asked && asked <= servesUpTo);
  if (found !== undefined) return found;
  const served = versions.map(({ version, servesUpTo }) => `v${version} to v${servesUpTo}`).join(', ');
  throw new Problem('unknownVersion', describe('unknownVersion', served));
};

const locate = (services: ReadonlyMap<string, readonly Service[]>, path: string): Target => {
  const [, name = '', digits = '', operationName] = servicePattern.exec(path) ?? [];
  const versions = services.get(name);
  if (versions !== undefined) {
    const version = Number(digits);
    const service = servedBy(versions, version);
    if (operationName === undefined) return { service, version, operation: undefined };
    const operation: Operation | undefined = service.operations.get(operationName);
    if (operation === undefined) throw unknownOperation(service);
    return { service, version, operation };
  }
  const unversioned = services.get(soapPattern.exec(path)?.[1] ?? '');
  if (unversioned !== undefined) return toNewest(newest(unversioned));
  throw new Problem('notFound');
};

const toNewest = (service: Service): Target => ({ service, version: service.version, operation: undefined });

export const compileRoutes = (services: readonly Service[]): Routes => {
  const byName = Map.groupBy(services, ({ name }) => name);
  // The form adapter names the service in its body; Recurring is what it has ever carried here.
  const adapted = toNewest(newest(byName.get('Recurring') ?? services));
  // The paths that callers really use are few: each is taken apart once.
  const seen = new Map<string, Target>();
  const find = (path: string): Target => {
    if (path === adapterAddress || path === `${adapterAddress}/`) return adapted;
    const known = seen.get(path);
    if (known !== undefined) return known;
    const target = Object.freeze(locate(byName, path));
    if (seen.size < 1_000) seen.set(path, target);
    return target;
  };
  return Object.freeze({
    find(method: string, path: string): Target {
      const target = find(path);
      if (method !== 'POST') throw new Problem('methodNotAllowed', undefined, { headers: { Allow: 'POST' } });
      return target;
    },
  });
};
