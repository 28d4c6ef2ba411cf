/** The names of members in JSON, where they are others than those of the fields. */
import type { Path } from '../../contract/path.ts';
import type { Schema } from '../../contract/schema.ts';

/** A canonical path with the names that a JSON caller knows. */
export function jsonPath(path: Path, input: Schema | undefined): Path {
  let schema = input;
  return path.map((step) => {
    const within = schema;
    schema = undefined;
    switch (within?.kind) {
      case 'object': {
        const field = typeof step === 'string' && Object.hasOwn(within.fields, step) ? within.fields[step] : undefined;
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
