/** Objects that hold objects of their own kind: a contract names them once, and refers to itself. */
import {
  type Choice,
  documented,
  type Field,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  object,
  type Recursion,
  type Schema,
} from './schema.ts';

/** How deep such an object may be in itself in a request, where its contract says nothing else. */
export const defaultLevels = 32;
const levelsMax = 64;

/** Where an object of the kind around it stands. Only for the fields of an object that is given to `recursive`. */
export function self(name: string, namespace?: string): ObjectSchema {
  return documented<ObjectSchema>({
    ...object(name, {}, namespace === undefined ? {} : { namespace }),
    isSelf: true,
  });
}

/**
 * The object, with itself in place of each `self` of its name. `levels`: how many of them may be in each other in a request; more are
 * refused. Throws TypeError where an object must hold another one of its kind, since no message ends then.
 */
export function recursive<S extends ObjectSchema>(template: S, levels: number = defaultLevels): S {
  if (!Number.isInteger(levels) || levels < 2 || levels > levelsMax)
    throw new TypeError(`${template.name}: 2 to ${levelsMax} levels, and not ${levels}`);
  if (!mayEnd(template)) throw new TypeError(`${template.name} must contain itself, or contains nothing else`);
  // It has the fields of the template.
  return linked(template, levels, new Map()) as S;
}

/** Names an object among those that `self` may stand for. */
export function selfKey({ namespace = '', name }: ObjectSchema): string {
  return `${namespace}:${name}`;
}

/** Whether a value of the template needs no other one of its kind within it, and has a member all the same. */
export function mayEnd(template: ObjectSchema): boolean {
  const known = new Map<ObjectSchema, boolean>();
  const ends = (schema: Schema): boolean => {
    if (schema.kind === 'list') return schema.joined || ends(schema.item);
    if (schema.kind === 'map') return schema.item === undefined || ends(schema.item);
    if (schema.kind !== 'object') return true;
    if (schema.isSelf) return selfKey(schema) !== selfKey(template);
    const found = known.get(schema) ?? objectEnds(schema.recursion?.template ?? schema);
    known.set(schema, found);
    return found;
  };
  const objectEnds = ({ fields, variants = [], isAbstract, choices }: ObjectSchema): boolean => {
    if (isAbstract && variants.length > 0 && !variants.some(ends)) return false;
    const cut = Object.entries<Field>(fields).flatMap(([name, { schema }]) => (ends(schema) ? [] : [name]));
    if (cut.length === 0) return true;
    const isMet = ({ options, orNone }: Choice) =>
      orNone === true || options.some((names) => !names.some((name) => cut.includes(name)));
    return (
      cut.length < Object.keys(fields).length && !cut.some((name) => fields[name]!.required) && choices.every(isMet)
    );
  };
  return objectEnds(template);
}

/** The objects that `self` stands for, by their names. */
type Scope = ReadonlyMap<string, ObjectSchema>;

/** Makes the template an object that holds itself, and those of the scope around it. */
function linked(
  template: ObjectSchema,
  levels: number,
  around: Scope,
): ObjectSchema & { readonly recursion: Recursion } {
  const whole = { ...template, recursion: { template, levels, isOpen: false } };
  const linker = new Linker(new Map(around).set(selfKey(template), whole));
  Object.assign(whole, linker.partsOf(template));
  whole.recursion.isOpen = linker.isOpen;
  return documented(whole);
}

/** Puts objects in the places of those that stand for them. */
class Linker {
  readonly #scope: Scope;
  /** Objects that occur in several places stay one. */
  readonly #known = new Map<ObjectSchema, ObjectSchema>();
  /** Whether another object than those of the scope stands in what was linked. */
  isOpen = false;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  partsOf({ fields, variants }: ObjectSchema): Pick<ObjectSchema, 'fields' | 'variants'> {
    const linked = Object.entries<Field>(fields).map(([name, field]): [string, Field] => {
      const schema = this.#schema(field.schema);
      return [name, schema === field.schema ? field : Object.freeze({ ...field, schema })];
    });
    return {
      fields: Object.freeze(Object.fromEntries(linked)),
      ...(variants !== undefined && { variants: Object.freeze(variants.map((each) => this.#object(each))) }),
    };
  }

  #object(schema: ObjectSchema): ObjectSchema {
    if (schema.isSelf) {
      const whole = this.#scope.get(selfKey(schema));
      this.isOpen ||= whole === undefined;
      return whole ?? schema;
    }
    let found = this.#known.get(schema);
    if (found === undefined) {
      found = this.#anew(schema);
      this.#known.set(schema, found);
    }
    return found;
  }

  /** Returns the schema itself where nothing in it stands for another object. */
  #anew(schema: ObjectSchema): ObjectSchema {
    if (schema.recursion !== undefined) {
      const { template, levels, isOpen } = schema.recursion;
      if (!isOpen) return schema;
      const whole = linked(template, levels, this.#scope);
      this.isOpen ||= whole.recursion.isOpen;
      return whole;
    }
    const { fields, variants } = this.partsOf(schema);
    const isSame =
      Object.keys(fields).every((name) => fields[name] === schema.fields[name]) &&
      (variants ?? []).every((each, at) => each === schema.variants?.[at]);
    return isSame
      ? schema
      : documented<ObjectSchema>({ ...schema, fields, ...(variants !== undefined && { variants }) });
  }

  #schema(schema: Schema): Schema {
    if (schema.kind === 'object') return this.#object(schema);
    if (schema.kind === 'list' && !schema.joined) {
      const item = this.#schema(schema.item);
      return item === schema.item ? schema : Object.freeze<ListSchema>({ ...schema, item });
    }
    if (schema.kind !== 'map' || schema.item === undefined) return schema;
    const item = this.#object(schema.item);
    return item === schema.item ? schema : Object.freeze<MapSchema>({ ...schema, item });
  }
}
