/** The paths of the interface (specification, section 4; older addresses that callers still use). */
import type { Operation, Service } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import type { Target } from './protocol.ts';

export const adapterPath = '/pal/adapter/httppost';

/** The address of SOAP callers from before versions; the service's name follows. */
export const soapPath = '/pal/servlet/soap/';

export const servicePath = ({ name, version }: Service): string => `/pal/servlet/${name}/v${version}`;

export const operationPath = (service: Service, operation: Operation): string =>
  `${servicePath(service)}/${operation.name}`;

/** The operation that the path names; a 404 listing those served when it names none. */
export const required = ({ operation, service }: Target): Operation => {
  if (operation !== undefined) return operation;
  throw unknownOperation(service);
};

export const unknownOperation = ({ operations }: Service): Problem =>
  new Problem('unknownOperation', describe('unknownOperation', [...operations.keys()].join(', ')));
