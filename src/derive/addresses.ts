/** Addresses that documents name and live at (specification, section 4; older ones that callers still use). */
import type { Operation, Service } from '../contract/operation.ts';

/** Where a version of a service is called; SOAP callers need no more of the path. */
export const serviceAddress = ({ name }: Service, version: number): string => `/pal/servlet/${name}/v${version}`;

/** The address of SOAP callers from before versions. */
export const unversionedAddress = ({ name }: Service): string => `/pal/servlet/soap/${name}`;

export const operationAddress = (service: Service, operation: Operation): string =>
  `${serviceAddress(service, service.version)}/${operation.name}`;
