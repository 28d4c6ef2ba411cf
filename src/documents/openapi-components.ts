/** The components of an OpenAPI document: each object of its contracts, and each response, once. */
import type { ObjectSchema, Operation, Schema } from '../core/contract/index.ts';
import { derivePart, derivePlainObject, type JsonSchema, objectOrVariants, type Side } from './json-schema.ts';
import { capitalised } from './names.ts';
import { UniqueNames } from './unique-names.ts';

export function refer(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object on one side of its operations. Schemas refer to it by its number, until it has a name. */
interface Component {
  readonly object: ObjectSchema;
  readonly side: Side;
  /** Whether it is the object without those that may stand in its place. */
  readonly isItself: boolean;
  /** Returns the names that an object of its operation may have, the preferred one first. */
  readonly namesOf: (name: string) => readonly string[];
  readonly names: readonly string[];
  schema: JsonSchema;
}

const mark = '#component/';

/** Components are derived by the generators, which return to their caller after each of them. */
export class Components {
  readonly #named: Readonly<Record<string, JsonSchema>>;
  readonly #components: Component[] = [];
  readonly #numbers = new Map<ObjectSchema, Map<string, number>>();
  /** The names of components by their marks. */
  readonly #names = new Map<string, string>();
  readonly #responses = new Map<string, string>();
  readonly #responseNames = new UniqueNames();
  #derived = 0;

  /** `named`: schemas that have their names. */
  constructor(named: Readonly<Record<string, JsonSchema>>) {
    this.#named = named;
  }

  /** `schema`: a side of the operation, its body, or a part of it. Its references are marks. */
  json(version: number, operation: Operation, side: Side, schema: Schema = operation[side]): JsonSchema {
    const namesOf = (name: string): readonly string[] => {
      const own = `${name}For${capitalised(operation.name)}`;
      const names = side === 'input' ? [name, own] : [name, `${name}Shown`, `${own}Shown`];
      return [...names, `${names.at(-1)}V${version}`];
    };
    return this.#part(schema, side, namesOf);
  }

  /** Returns the reference to a response. `name`: of its kind. */
  response(name: string, response: JsonSchema): JsonSchema {
    const printed = JSON.stringify(response);
    const known = this.#responses.get(printed) ?? this.#responseNames.take(name);
    this.#responses.set(printed, known);
    return { $ref: `#/components/responses/${known}` };
  }

  /** Derives what was referred to, with all that it refers to. */
  *derive(): Generator<void, void> {
    for (; this.#derived < this.#components.length; this.#derived += 1) {
      const component = this.#components[this.#derived]!;
      const { object, side, isItself, namesOf } = component;
      const referTo = (other: ObjectSchema) => this.#part(other, side, namesOf);
      component.schema = isItself
        ? derivePlainObject(object, side, referTo)
        : objectOrVariants(object, side, referTo, (itself) => this.#reference(itself, side, namesOf, true));
      yield;
    }
  }

  /** Names all components. Those that have one name and mean the same are one. */
  *name(): Generator<void, void> {
    yield* this.derive();
    const shapes = this.#components.map(({ schema }) => shapeOf(schema));
    let classes = numbered(this.#components.map(({ names }, at) => `${names[0]} ${shapes[at]!.text}`));
    for (;;) {
      yield;
      const finer = numbered(
        shapes.map(({ marks }, at) => `${classes.of[at]} ${marks.map((each) => classes.of[each]).join()}`),
      );
      const isDone = finer.count === classes.count;
      classes = finer;
      if (isDone) break;
    }
    const taken = new UniqueNames(Object.keys(this.#named));
    const nameOfClass = new Map<number, string>();
    for (const [at, { names }] of this.#components.entries()) {
      const each = classes.of[at]!;
      const name = nameOfClass.get(each) ?? taken.take(names.find((wanted) => taken.isFree(wanted)) ?? names.at(-1)!);
      nameOfClass.set(each, name);
      this.#names.set(`${mark}${at}`, name);
    }
  }

  /** The schema with references in the place of marks; only once all are named. */
  withNames(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, this.#withNames(each)]));
  }

  /** The schemas by name, with marks. */
  schemas(): readonly (readonly [name: string, schema: JsonSchema])[] {
    const all = new Map(Object.entries(this.#named));
    for (const [at, { schema }] of this.#components.entries()) all.set(this.#names.get(`${mark}${at}`)!, schema);
    return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The responses by name, with marks. */
  responses(): readonly (readonly [name: string, response: JsonSchema])[] {
    const all = [...this.#responses].map(([printed, name]): [string, JsonSchema] => [name, JSON.parse(printed)]);
    return all.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #withNames(value: unknown): unknown {
    if (typeof value === 'string')
      return value.startsWith(mark) ? `#/components/schemas/${this.#names.get(value)}` : value;
    if (Array.isArray(value)) return value.map((each) => this.#withNames(each));
    return typeof value === 'object' && value !== null ? this.withNames(value as JsonSchema) : value;
  }

  #part(schema: Schema, side: Side, namesOf: (name: string) => readonly string[]): JsonSchema {
    return derivePart(schema, side, (object) => {
      // Alternatives and entries are described in their place.
      if (object.json !== undefined && object.recursion === undefined)
        return derivePlainObject(object, side, (other) => this.#part(other, side, namesOf));
      return this.#reference(object, side, namesOf, false);
    });
  }

  #reference(
    object: ObjectSchema,
    side: Side,
    namesOf: (name: string) => readonly string[],
    isItself: boolean,
  ): JsonSchema {
    const numbers = this.#numbers.get(object) ?? new Map<string, number>();
    this.#numbers.set(object, numbers);
    const key = `${side} ${isItself}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = this.#components.length;
      const names = namesOf(isItself ? `${object.name}Itself` : object.name);
      this.#components.push({ object, side, isItself, namesOf, names, schema: {} });
      numbers.set(key, number);
    }
    return { $ref: `${mark}${number}` };
  }
}

const marked = new RegExp(`"${mark}(\\d+)"`, 'g');

/** The text of a schema without its marks, and these. */
function shapeOf(schema: JsonSchema): { readonly text: string; readonly marks: readonly number[] } {
  const marks: number[] = [];
  const text = JSON.stringify(schema).replace(marked, (_, number) => {
    marks.push(Number(number));
    return '""';
  });
  return { text, marks };
}

/** The same number for the same text. */
function numbered(texts: readonly string[]): { readonly of: readonly number[]; readonly count: number } {
  const numbers = new Map<string, number>();
  const of = texts.map((text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  });
  return { of, count: numbers.size };
}
