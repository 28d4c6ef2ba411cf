/** Finds the operation that a path or a body names. The refusal lists the operations that are served. */
import type { Operation } from '../contract/operation.ts';
import { describe, Problem, type ProblemDetails } from '../contract/problem.ts';
import { namedOperations, type Service } from '../contract/service.ts';
import type { Target } from './protocol.ts';

/** For the formats in which the path names the operation. */
export function operationInPath({ operation, service }: Target): Operation {
  if (operation !== undefined) return operation;
  throw unknownOperation(service);
}

/** For the formats in which the body names the operation. */
export function operationInBody(name: string, service: Service): Operation {
  const operation = service.operations.get(name);
  if (operation === undefined || operation.http !== undefined) throw unknownOperation(service);
  return operation;
}

export function unknownOperation(service: Service, details: Pick<ProblemDetails, 'issues'> = {}): Problem {
  const served = namedOperations(service).map(({ name }) => name);
  return new Problem('unknownOperation', describe('unknownOperation', served.join(', ')), details);
}
