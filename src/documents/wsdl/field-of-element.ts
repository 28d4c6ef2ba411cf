/** Creates the field of an element: required, optional, or mandatory in stubs alone. */
import { type Field, type FieldOptions, optional, required, type Schema } from '../../contract/schema.ts';

interface Occurrence {
  readonly isOptional: boolean;
  readonly isNillable: boolean;
  readonly inChoice: boolean;
}

/**
 * WSDL says what stubs send, and not what a server requires: an element that must be there may be empty, which is absent in the
 * contract, unless its type excludes that.
 */
export function field(
  schema: Schema,
  doc: string,
  { isOptional, isNillable, inChoice }: Occurrence,
  options: FieldOptions,
): Field {
  if (isOptional) {
    // An answer has one member of a choice, and no nil ones besides.
    if (isNillable && !inChoice) return optional(schema, doc, options);
    return optional(schema, doc, { nillable: false, ...options });
  }
  if (isNillable) return optional(schema, doc, { mandatoryInStubs: 'nillable', ...options });
  if (mayBeEmpty(schema)) return optional(schema, doc, { mandatoryInStubs: 'empty', ...options });
  return required(schema, doc, options);
}

export function repeatedField(schema: Schema, doc: string, isOptional: boolean, options: FieldOptions): Field {
  if (isOptional) return optional(schema, doc, { nillable: false, ...options });
  return required(schema, doc, options);
}

function mayBeEmpty(schema: Schema): boolean {
  switch (schema.kind) {
    case 'string':
      return (
        (schema.min ?? 0) === 0 && (schema.pattern === undefined || new RegExp(`^(?:${schema.pattern})$`).test(''))
      );
    case 'list':
    case 'map':
      return true;
    case 'object':
      return Object.values(schema.fields).every(({ required }) => !required);
    default:
      return false;
  }
}
