/** Finds the service that answers at a path. */
import { contractOf, namedOperations, type Service } from '../contract/service.ts';

/** The contract of a version and the number that was asked for, by the address of the version. */
export function locateVersion(services: readonly Service[], path: string) {
  const [, base, digits] = /^(.*)\/[vV]([1-9]\d{0,3})$/.exec(path) ?? [];
  const owner = services.findLast(({ address }) => address === base);
  const version = Number(digits);
  const service = owner && contractOf(services, owner.name, version);
  return service && { service, version };
}

/** Whether callers send requests to the path: a version, an operation called by name, or a legacy address. */
export function isServiceAddress(services: readonly Service[], path: string): boolean {
  const plain = path.replace(/\/$/, '');
  if (services.some(({ legacy }) => legacy?.soap === plain || legacy?.adapter === plain)) return true;
  if (locateVersion(services, plain) !== undefined) return true;
  const slash = plain.lastIndexOf('/');
  const located = locateVersion(services, plain.slice(0, slash));
  return located !== undefined && namedOperations(located.service).some(({ name }) => name === plain.slice(slash + 1));
}
