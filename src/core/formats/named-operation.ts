/** Finds the operation that a path names. The refusal lists the operations that are served. */
import { adviceAt, describe, namedOperations, type Operation, Problem, type Service } from '../contract/index.ts';
import type { Target } from './protocol.ts';

/** For the formats in which the path names the operation. */
export function operationInPath({ operation, service }: Target): Operation {
  if (operation !== undefined) return operation;
  throw unknownOperation(service);
}

/** `where`: what names the operation, in the words of the format. `advice`: how. */
export function unknownOperation(
  service: Service,
  where = 'path',
  advice = 'its last segment names the operation',
): Problem {
  const served = namedOperations(service).map(({ name }) => name);
  const text = describe('unknownOperation', served.join(', '));
  return new Problem('unknownOperation', text, adviceAt(where, advice));
}
