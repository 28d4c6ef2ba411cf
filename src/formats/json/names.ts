/** The names of members in JSON, where they are others than those of the fields. */
import type { Path } from '../../contract/path.ts';
import { type ProblemKind, problems } from '../../contract/problem.ts';
import { fieldOf, type Schema } from '../../contract/schema.ts';

/** A canonical path with the names that a JSON caller knows. `kind`: of the issue that is there. */
export function jsonPath(path: Path, input: Schema | undefined, kind?: ProblemKind): Path {
  // A member that the contract does not have keeps the name that its caller wrote. It may be that of a field.
  if (kind === problems.unknownField) return [...jsonPath(path.slice(0, -1), input), ...path.slice(-1)];
  let schema = input;
  return path.map((step) => {
    const within = schema;
    schema = undefined;
    switch (within?.kind) {
      case 'object': {
        const field = typeof step === 'string' ? fieldOf(within, step) : undefined;
        schema = field?.schema;
        return field?.json ?? step;
      }
      case 'map':
      case 'list':
        schema = within.item;
        return step;
      default:
        return step;
    }
  });
}
