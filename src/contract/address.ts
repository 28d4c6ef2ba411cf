/** Addresses: where operations are called (specification, section 4; older addresses that callers still use). */
import type { Operation, Service } from './operation.ts';
import type { ResourceService } from './resource.ts';

/** The legacy form adapter: one address for all, the body names the operation. */
export const adapterAddress = '/pal/adapter/httppost';

const servlet = '/pal/servlet/';

/** SOAP callers from before versions; the service's name follows. */
export const unversioned = `${servlet}soap/`;

export const unversionedAddress = ({ name }: Service): string => unversioned + name;

/** Where a version of a service is called; SOAP callers need no more of the path. */
export const serviceAddress = ({ name, version }: Service, asked = version): string => `${servlet}${name}/v${asked}`;

export const operationAddress = (service: Service, operation: Operation): string =>
  `${serviceAddress(service)}/${operation.name}`;

/** Where a service of resources is: `/bcl/v2`, and the paths of its operations below. */
export const resourceAddress = ({ address, version }: ResourceService, asked = version): string =>
  `${address}/v${asked}`;

/** What a path names; whether that is served is for the reader to see. */
export interface Address {
  /** The service's name. */
  readonly name: string;
  /** Absent in the addresses from before versions. */
  readonly version: number | undefined;
  /** The operation's name. */
  readonly operation: string | undefined;
}

const versionedPattern = new RegExp(`^${servlet}([A-Za-z]{1,40})/[vV]([1-9]\\d{0,3})(?:/([A-Za-z]{1,60}))?/?$`);
const unversionedPattern = new RegExp(`^${unversioned}([A-Za-z]{1,40})/?$`);

/**
 * `/pal/servlet/Recurring/v25/disable` or `/pal/servlet/soap/Recurring`; the version in any case, a trailing slash
 * tolerated (as callers write them). Undefined for any other path, that of the form adapter included.
 */
export const parseAddress = (path: string): Address | undefined => {
  const [, name, digits, operation] = versionedPattern.exec(path) ?? [];
  if (name !== undefined) return { name, version: Number(digits), operation };
  const older = unversionedPattern.exec(path)?.[1];
  return older === undefined ? undefined : { name: older, version: undefined, operation: undefined };
};

export const isAdapterAddress = (path: string): boolean => path === adapterAddress || path === `${adapterAddress}/`;
