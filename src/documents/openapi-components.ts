/** The schema components of an OpenAPI document. */

import type { Operation } from '../contract/operation.ts';
import type { Schema } from '../contract/schema.ts';
import { deriveJsonSchema, type JsonSchema, type Place, type Side, selfMark, selfReference } from './json-schema.ts';
import { capitalised } from './names.ts';

export function refer(name: string): JsonSchema {
  return { $ref: reference(name) };
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

const selfPattern = new RegExp(`"(${selfMark}[^"]*)"`, 'g');

/** Names are unique: schemas that differ and share a name get the side, the operation or the version in their name. */
export class Components {
  readonly schemas: Map<string, JsonSchema>;

  constructor(first: Readonly<Record<string, JsonSchema>>) {
    this.schemas = new Map(Object.entries(first));
  }

  add(names: readonly string[], schema: JsonSchema): JsonSchema {
    return refer(this.#add([{ names, schema }])[0]!);
  }

  /** Schemas that refer to each other by `self` have the same form of their names. */
  #add(group: readonly Component[]): readonly string[] {
    const [first] = group;
    const choices = first!.names.map((_, at) => group.map(({ names }) => names[at]!));
    const printedAs = (chosen: readonly string[]) =>
      group.map(({ schema }) =>
        group.reduce(
          (text, { self }, at) =>
            self === undefined ? text : text.replaceAll(`"${self}"`, `"${reference(chosen[at]!)}"`),
          JSON.stringify(schema),
        ),
      );
    for (const chosen of choices) {
      const printed = printedAs(chosen);
      const isFree = chosen.every((name, at) => {
        const known = this.schemas.get(name);
        return known === undefined || JSON.stringify(known) === printed[at];
      });
      if (!isFree) continue;
      for (const [at, name] of chosen.entries()) this.schemas.set(name, JSON.parse(printed[at]!));
      return chosen;
    }
    throw new TypeError(`no name is left for ${first!.names[0]}`);
  }

  /** `schema`: a side of the operation, its body, or a part of it. */
  json(version: number, operation: Operation, side: Side, schema: Schema = operation[side]): JsonSchema {
    /** Recursive objects in others, which stand in them, too. */
    const open = new Map<string, Component>();
    const place: Place = (object, derived) => {
      const { name } = object;
      const own = `${name}For${capitalised(operation.name)}`;
      const names = side === 'input' ? [name, own] : [name, `${name}Shown`, `${own}Shown`];
      const self = selfReference(object);
      const component = { names: [...names, `${names.at(-1)}V${version}`], schema: derived, self };
      const group = groupOf(component, open);
      if (group !== undefined) return refer(this.#add(group)[0]!);
      // What is part of a recursive object alone is described in it.
      if (object.recursion === undefined) return derived;
      if (!open.has(self)) open.set(self, component);
      return { $ref: self };
    };
    return deriveJsonSchema(schema, side, place);
  }

  /** By name. */
  sorted(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

interface Component {
  /** Those that it may have, the preferred one first. */
  readonly names: readonly string[];
  readonly schema: JsonSchema;
  /** The text that stands for its reference. */
  readonly self?: string;
}

/** The component with the open ones that it refers to; undefined where these refer to a further one. */
function groupOf(first: Component, open: ReadonlyMap<string, Component>): readonly Component[] | undefined {
  const group = [first];
  for (const { schema } of group)
    for (const [, self = ''] of JSON.stringify(schema).matchAll(selfPattern)) {
      if (group.some((each) => each.self === self)) continue;
      const other = open.get(self);
      if (other === undefined) return undefined;
      group.push(other);
    }
  return group;
}
