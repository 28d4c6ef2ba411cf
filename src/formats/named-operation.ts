/** The operation that a path or a body names, or the refusal that lists those served. */
import type { AnyService, Operation } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import type { Target } from './protocol.ts';

/** For the protocols whose path names the operation. */
export const operationInPath = ({ operation, service }: Target): Operation => {
  if (operation !== undefined) return operation;
  throw unknownOperation(service);
};

export const unknownOperation = ({ operations }: AnyService): Problem =>
  new Problem('unknownOperation', describe('unknownOperation', [...operations.keys()].join(', ')));
