/** Compares JSON Schemas: a request may only accept more than before, a response may only promise more. */
import { isDeepStrictEqual } from 'node:util';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

type Direction = 'request' | 'response';

/** Keywords that describe a schema and constrain nothing. */
const annotations = new Set(['description', 'title', 'example', 'examples', 'deprecated', 'default']);
const upperBounds = ['maxLength', 'maximum', 'maxItems', 'maxProperties'];
const lowerBounds = ['minLength', 'minimum', 'minItems', 'minProperties'];
const texts = ['pattern', 'format'];
const conditions = ['anyOf', 'oneOf', 'not'];

/** `password` says how people see a text, and nothing about the text (OpenAPI 3.1, section 4.4). */
function withoutHint({ format, ...schema }: Record<string, Json>): Record<string, Json> {
  return format === undefined || format === 'password' ? schema : { ...schema, format };
}

export class JsonSchemaComparison {
  readonly #before: Json;
  readonly #after: Json;
  readonly #report: (change: string) => void;
  readonly #compared = new Set<string>();

  constructor(before: Json, after: Json, report: (change: string) => void) {
    this.#before = before;
    this.#after = after;
    this.#report = report;
  }

  request(where: string, before: Json | undefined, after: Json | undefined): void {
    this.#compare('request', where, before, after);
  }

  response(where: string, before: Json | undefined, after: Json | undefined): void {
    this.#compare('response', where, before, after);
  }

  #compare(direction: Direction, where: string, before: Json | undefined, after: Json | undefined): void {
    const names = [record(before).$ref, record(after).$ref];
    if (typeof names[0] === 'string') {
      // A schema is compared once in each direction, which also ends recursion.
      const pair = `${direction} ${names.join(' ')}`;
      if (this.#compared.has(pair)) return;
      this.#compared.add(pair);
      where = `${direction} ${names[0].split('/').at(-1)}`;
    }
    const [old, next] = [withoutHint(resolve(this.#before, before)), withoutHint(resolve(this.#after, after))];
    if (!isDeepStrictEqual(typesOf(old), typesOf(next))) {
      const widened = typesOf(old).length > 0 && typesOf(old).every((type) => typesOf(next).includes(type));
      if (direction === 'response' || (typesOf(next).length > 0 && !widened)) {
        this.#report(`${where}: the type ${typesOf(old).join(', ')} became ${typesOf(next).join(', ') || 'any'}`);
        return;
      }
    }
    this.#compareMembers(direction, where, old, next);
    if (direction === 'request') this.#compareConstraints(where, old, next);
    if (direction === 'response' && old.format !== next.format)
      this.#report(`${where}: the format ${old.format} became ${next.format}`);
    if (old.items !== undefined) this.#compare(direction, `${where}[]`, old.items, next.items);
    if (isSchema(old.additionalProperties) && next.additionalProperties !== false)
      this.#compare(direction, `${where}.*`, old.additionalProperties, next.additionalProperties);
  }

  #compareMembers(direction: Direction, where: string, old: Record<string, Json>, next: Record<string, Json>): void {
    for (const keyword of ['properties', 'patternProperties'] as const) {
      const members = record(next[keyword]);
      for (const [name, schema] of Object.entries(record(old[keyword]))) {
        if (members[name] === undefined) this.#report(`${where}: the field ${name} was removed`);
        else this.#compare(direction, `${where}.${name}`, schema, members[name]);
      }
    }
    const [wasRequired, isRequired] = [list(old.required), list(next.required)];
    if (direction === 'request')
      for (const name of isRequired.filter((each) => !wasRequired.includes(each)))
        this.#report(`${where}: the field ${name} became required`);
    else
      for (const name of wasRequired.filter((each) => !isRequired.includes(each)))
        this.#report(`${where}: the field ${name} is no longer always there`);
  }

  #compareConstraints(where: string, old: Record<string, Json>, next: Record<string, Json>): void {
    for (const keyword of upperBounds)
      if (Number(next[keyword] ?? Infinity) < Number(old[keyword] ?? Infinity))
        this.#report(`${where}: ${keyword} ${old[keyword] ?? 'without a limit'} became ${next[keyword]}`);
    for (const keyword of lowerBounds)
      if (Number(next[keyword] ?? -Infinity) > Number(old[keyword] ?? -Infinity))
        this.#report(`${where}: ${keyword} ${old[keyword] ?? 'without a limit'} became ${next[keyword]}`);
    for (const keyword of texts)
      if (next[keyword] !== undefined && next[keyword] !== old[keyword])
        this.#report(`${where}: ${keyword} ${old[keyword] ?? 'without a rule'} became ${next[keyword]}`);
    if (next.enum !== undefined) {
      const gone =
        old.enum === undefined
          ? ['any other value']
          : list(old.enum).filter((value) => !list(next.enum).includes(value));
      for (const value of gone) this.#report(`${where}: ${value} is no longer accepted`);
    }
    if (next.additionalProperties === false && (old.additionalProperties ?? true) !== false)
      this.#report(`${where}: other fields are no longer accepted`);
    const known = list(old.allOf).map(withoutAnnotations);
    for (const condition of list(next.allOf).map(withoutAnnotations))
      if (!known.some((each) => isDeepStrictEqual(each, condition)))
        this.#report(`${where}: a condition between fields was added or changed`);
    for (const keyword of conditions)
      if (next[keyword] !== undefined && !isDeepStrictEqual(...both(old[keyword], next[keyword])))
        this.#report(`${where}: a condition between fields was added or changed (${keyword})`);
  }
}

/** The members of an object; none for anything else. */
export function record(value: Json | undefined): Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, Json>) : {};
}

/** Follows `$ref` in a document. */
export function resolve(document: Json, schema: Json | undefined): Record<string, Json> {
  const { $ref, ...others } = record(schema);
  if (typeof $ref !== 'string') return others;
  const target = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<Json | undefined>((at, name) => record(at)[name], document);
  return { ...resolve(document, target), ...others };
}

function withoutAnnotations(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !annotations.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutAnnotations(member)]));
}

const both = (one: Json | undefined, other: Json): [Json | undefined, Json] => [
  one === undefined ? undefined : withoutAnnotations(one),
  withoutAnnotations(other),
];
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const isSchema = (value: Json | undefined): boolean => typeof value === 'object' && value !== null;
const typesOf = ({ type }: Record<string, Json>): readonly Json[] =>
  type === undefined ? [] : Array.isArray(type) ? [...type].sort() : [type];
