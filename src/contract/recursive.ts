/** Objects that hold objects of their own kind: a contract names them once, and has as many levels of them as it says. */
import {
  documented,
  type Field,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  object,
  type Schema,
  typeNameOf,
} from './schema.ts';

/** More levels do not fit into the depth that formats allow. */
const levelsMax = 12;

/** Where an object of the kind around it stands. Only for the fields of an object that is given to `recursive`. */
export function self(name: string, namespace?: string): ObjectSchema {
  return documented<ObjectSchema>({
    ...object(name, {}, namespace === undefined ? {} : { namespace }),
    isSelf: true,
  });
}

/**
 * The object, with itself in place of each `self` of its name: `levels` of them in each other. What is deeper is refused. Throws
 * TypeError where an object must hold another one of its kind, since no message ends then.
 */
export function recursive<S extends ObjectSchema>(template: S, levels: number): S {
  if (!Number.isInteger(levels) || levels < 2 || levels > levelsMax)
    throw new TypeError(`${template.name}: 2 to ${levelsMax} levels, and not ${levels}`);
  const isOpen = holdsOther(template, template);
  let level: ObjectSchema | undefined;
  for (let at = 1; at <= levels; at++) {
    const unrolled = new Unrolled(template, level, levels).object(template);
    if (unrolled === undefined) throw new TypeError(`${template.name} must contain itself, or contains nothing else`);
    level = documented<ObjectSchema>({ ...unrolled, recursion: { template, levels, isInner: at < levels, isOpen } });
  }
  // It has the fields of the template; only the innermost one lacks some, and these are optional.
  return level as S;
}

/** Whether an object of this kind stands in the schema, outside of the object that it would be part of. */
function isSelfOf(schema: ObjectSchema, { name, namespace }: ObjectSchema): boolean {
  return schema.isSelf === true && schema.name === name && schema.namespace === namespace;
}

/** Whether another object than the template stands for itself in the schema. */
function holdsOther(schema: Schema, template: ObjectSchema): boolean {
  switch (schema.kind) {
    case 'list':
      return !schema.joined && holdsOther(schema.item, template);
    case 'map':
      return schema.item !== undefined && holdsOther(schema.item, template);
    case 'object':
      if (schema.isSelf) return !isSelfOf(schema, template);
      return [...Object.values(schema.fields).map((field) => field.schema), ...(schema.variants ?? [])].some((each) =>
        holdsOther(each, template),
      );
    default:
      return false;
  }
}

/** One level: the template with the next level, or without what would hold it. */
class Unrolled {
  readonly #template: ObjectSchema;
  readonly #next: ObjectSchema | undefined;
  readonly #levels: number;
  /** Objects that occur in several places stay one. */
  readonly #known = new Map<ObjectSchema, ObjectSchema | undefined>();

  constructor(template: ObjectSchema, next: ObjectSchema | undefined, levels: number) {
    this.#template = template;
    this.#next = next;
    this.#levels = levels;
  }

  object(schema: ObjectSchema): ObjectSchema | undefined {
    if (isSelfOf(schema, this.#template)) return this.#next;
    if (!this.#known.has(schema)) this.#known.set(schema, this.#anew(schema));
    return this.#known.get(schema);
  }

  #anew(schema: ObjectSchema): ObjectSchema | undefined {
    const cut: string[] = [];
    const fields: Record<string, Field> = {};
    let differs = false;
    for (const [name, field] of Object.entries(schema.fields)) {
      const part = this.#schema(field.schema);
      differs ||= part !== field.schema;
      if (part !== undefined) fields[name] = part === field.schema ? field : Object.freeze({ ...field, schema: part });
      else if (field.required) return undefined;
      else cut.push(name, ...(field.json === undefined ? [] : [field.json]));
    }
    const variants: ObjectSchema[] = [];
    for (const each of schema.variants ?? []) {
      const variant = this.object(each);
      differs ||= variant !== each;
      if (variant === undefined) cut.push(typeNameOf(each));
      else variants.push(variant);
    }
    if (!differs) return schema;
    if (Object.keys(fields).length === 0 || (schema.isAbstract && variants.length === 0)) return undefined;
    const choices = schema.choices.map((choice) => ({
      ...choice,
      options: choice.options.filter((names) => !names.some((name) => cut.includes(name))),
    }));
    if (choices.some(({ options, orNone }) => options.length === 0 && orNone !== true)) return undefined;
    const { name, namespace, ignoredMembers, whenEmpty, recursion, isAbstract, json, emptyObject } = schema;
    const reason = `${this.#template.name} may be ${this.#levels} deep in itself`;
    const tooDeep =
      cut.length === 0 ? schema.tooDeep : { members: [...cut, ...(schema.tooDeep?.members ?? [])], reason };
    return documented<ObjectSchema>({
      ...object(name, fields, {
        ...(namespace !== undefined && { namespace }),
        choices: choices.filter(({ options }) => options.length > 0),
        ignoredMembers,
        whenEmpty: whenEmpty.filter((each) => !cut.includes(each)),
        ...(schema.extends !== undefined && { extends: schema.extends }),
        ...(schema.hasOtherTypes && { hasOtherTypes: true }),
        ...(json !== undefined && { json }),
        ...(emptyObject !== undefined && { emptyObject }),
      }),
      ...(schema.variants !== undefined && { variants: Object.freeze(variants) }),
      ...(isAbstract && { isAbstract }),
      ...(recursion !== undefined && { recursion }),
      ...(tooDeep !== undefined && { tooDeep }),
    });
  }

  #schema(schema: Schema): Schema | undefined {
    if (schema.kind === 'object') return this.object(schema);
    if (schema.kind === 'list' && !schema.joined) {
      const item = this.#schema(schema.item);
      return item === undefined || item === schema.item
        ? item && schema
        : Object.freeze<ListSchema>({ ...schema, item });
    }
    if (schema.kind !== 'map' || schema.item === undefined) return schema;
    const item = this.object(schema.item);
    return item === undefined || item === schema.item ? item && schema : Object.freeze<MapSchema>({ ...schema, item });
  }
}
