/** The schema components of an OpenAPI document. */

import type { Operation } from '../contract/operation.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { deriveJsonSchema, type JsonSchema, type Place, type Side } from './json-schema.ts';
import { capitalised } from './names.ts';

export function refer(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Names are unique: schemas that differ and share a name get the side, the operation or the version in their name. */
export class Components {
  readonly schemas: Map<string, JsonSchema>;

  constructor(first: Readonly<Record<string, JsonSchema>>) {
    this.schemas = new Map(Object.entries(first));
  }

  add(names: readonly string[], schema: JsonSchema): JsonSchema {
    const printed = JSON.stringify(schema);
    const name = names.find((each) => {
      const known = this.schemas.get(each);
      return known === undefined || JSON.stringify(known) === printed;
    });
    if (name === undefined) throw new TypeError(`no name is left for ${names[0]}`);
    this.schemas.set(name, schema);
    return refer(name);
  }

  /** `schema`: a side of the operation, or its body. */
  json(version: number, operation: Operation, side: Side, schema: ObjectSchema = operation[side]): JsonSchema {
    const place: Place = ({ name }, derived) => {
      const own = `${name}For${capitalised(operation.name)}`;
      const names = side === 'input' ? [name, own] : [name, `${name}Shown`, `${own}Shown`];
      return this.add([...names, `${names.at(-1)}V${version}`], derived);
    };
    return deriveJsonSchema(schema, side, place);
  }

  /** By name. */
  sorted(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
