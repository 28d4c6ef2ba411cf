/** The schema components of an OpenAPI document. */

import type { Operation } from '../contract/operation.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { deriveJsonSchema, type JsonSchema, type Place, type Side, selfMark, selfReference } from './json-schema.ts';
import { capitalised } from './names.ts';

export function refer(name: string): JsonSchema {
  return { $ref: reference(name) };
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Names are unique: schemas that differ and share a name get the side, the operation or the version in their name. */
export class Components {
  readonly schemas: Map<string, JsonSchema>;

  constructor(first: Readonly<Record<string, JsonSchema>>) {
    this.schemas = new Map(Object.entries(first));
  }

  /** `self`: the text that stands for the name in the schema, which may refer to itself. */
  add(names: readonly string[], schema: JsonSchema, self?: string): JsonSchema {
    const printed = JSON.stringify(schema);
    const printedAs = (name: string) => (self === undefined ? printed : printed.replaceAll(self, reference(name)));
    const name = names.find((each) => {
      const known = this.schemas.get(each);
      return known === undefined || JSON.stringify(known) === printedAs(each);
    });
    if (name === undefined) throw new TypeError(`no name is left for ${names[0]}`);
    this.schemas.set(name, JSON.parse(printedAs(name)));
    return refer(name);
  }

  /** `schema`: a side of the operation, or its body. */
  json(version: number, operation: Operation, side: Side, schema: ObjectSchema = operation[side]): JsonSchema {
    const place: Place = (object, derived) => {
      const { name } = object;
      const itself = selfReference(object);
      const printed = JSON.stringify(derived).replaceAll(`"${itself}"`, '');
      // What is part of a recursive object alone is described in it.
      if (printed.includes(`"${selfMark}`)) return derived;
      const own = `${name}For${capitalised(operation.name)}`;
      const names = side === 'input' ? [name, own] : [name, `${name}Shown`, `${own}Shown`];
      return this.add([...names, `${names.at(-1)}V${version}`], derived, itself);
    };
    return deriveJsonSchema(schema, side, place);
  }

  /** By name. */
  sorted(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
