/** The problems that an operation declares, with data from the examples of the contract. */
import {
  faultOf,
  kindOf,
  type ObjectSchema,
  type Operation,
  Problem,
  type ProblemKind,
} from '../../core/contract/index.ts';
import type { Members } from '../../core/lib/index.ts';
import { exampleOf } from '../../documents/index.ts';

/** The problem with a status, or else the first whose name or text is like this. */
export function problemLike({ problems }: Operation, pattern: RegExp, status: number): ProblemKind | undefined {
  const kinds = problems.map(kindOf);
  return (
    kinds.find((each) => each.status === status) ??
    kinds.find(({ name, message }) => pattern.test(name) || pattern.test(message))
  );
}

/** Returns the problem; one that is a declared fault has the example of its data. `fill`: changes the example. */
export function exampleProblem(
  operation: Operation,
  kind: ProblemKind,
  fill?: (detail: ObjectSchema) => Members,
): Problem {
  const fault = faultOf(operation, kind);
  return new Problem(kind, undefined, fault && { fault: fill?.(fault.detail) ?? exampleOf(fault.detail, 'full') });
}
