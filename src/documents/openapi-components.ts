/** The components of an OpenAPI document, each under a name of its own. */
import type { Operation } from '../contract/operation.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { deriveJsonSchema, type JsonSchema, type Place, type Side } from './json-schema.ts';

export const refer = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Components under names of their own: shapes that share a name and differ are told apart by side, operation and version. */
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

  /** `shape`: a side of the operation, or the part of it that stands in a body. */
  json(version: number, operation: Operation, side: Side, shape: ObjectSchema = operation[side]): JsonSchema {
    const place: Place = ({ name }, schema) => {
      const own = `${name}For${capitalised(operation.name)}`;
      const names = side === 'input' ? [name, own] : [name, `${name}Shown`, `${own}Shown`];
      return this.add([...names, `${names.at(-1)}V${version}`], schema);
    };
    return deriveJsonSchema(shape, side, place);
  }

  /** By name. */
  sorted(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
