/** Addresses: where operations are called (specification, section 4; older addresses that callers still use). */
import type { Operation, Service } from './operation.ts';

/** The legacy form adapter: one address for all, the body names the operation. */
export const adapterAddress = '/pal/adapter/httppost';

/** SOAP callers from before versions; the service's name follows. */
export const unversioned = '/pal/servlet/soap/';

export const unversionedAddress = ({ name }: Service): string => unversioned + name;

/** Where a version of a service is called; SOAP callers need no more of the path. */
export const serviceAddress = ({ name, version }: Service, asked = version): string => `/pal/servlet/${name}/v${asked}`;

export const operationAddress = (service: Service, operation: Operation): string =>
  `${serviceAddress(service)}/${operation.name}`;
