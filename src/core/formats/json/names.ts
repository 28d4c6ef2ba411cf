/** The names of members in JSON, where they are others than those of the fields. */
import { fieldOf, type Path, type ProblemKind, problems, type Schema } from '../../contract/index.ts';

/** A canonical path with the names that a JSON caller knows. `kind`: of the issue that is there. */
export function jsonPath(path: Path, input: Schema | undefined, kind?: ProblemKind): Path {
  // A member that the contract does not have keeps the name that its caller wrote. It may be that of a field.
  if (kind === problems.unknownField) return [...jsonPath(path.slice(0, -1), input), ...path.slice(-1)];
  let schema = input;
  return path.flatMap((step): Path => {
    const within = schema;
    schema = undefined;
    switch (within?.kind) {
      case 'object': {
        const field = typeof step === 'string' ? fieldOf(within, step) : undefined;
        schema = field?.schema;
        // JSON has no name for it.
        return within.json === undefined ? [field?.json ?? step] : [];
      }
      case 'list':
        schema = within.item;
        return [typeof step === 'string' || step.key === undefined ? step : step.key];
      case 'map':
        schema = within.item;
        return [step];
      default:
        return [step];
    }
  });
}
