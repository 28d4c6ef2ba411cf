/** The operation that a path or a body names, or the refusal that lists those served. */
import type { Operation } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import { namedOperations, type Service } from '../contract/service.ts';
import type { Target } from './protocol.ts';

/** For the protocols whose path names the operation. */
export const operationInPath = ({ operation, service }: Target): Operation => {
  if (operation !== undefined) return operation;
  throw unknownOperation(service);
};

/** The operation that the body names. */
export const operationInBody = (name: string, service: Service): Operation => {
  const operation = service.operations.get(name);
  if (operation === undefined || operation.http !== undefined) throw unknownOperation(service);
  return operation;
};

export const unknownOperation = (service: Service): Problem => {
  const served = namedOperations(service).map(({ name }) => name);
  return new Problem('unknownOperation', describe('unknownOperation', served.join(', ')));
};
