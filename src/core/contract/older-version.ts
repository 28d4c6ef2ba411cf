/** Older versions of a service: each states its differences to the next version. Its contract and the conversions come from them. */
import { memoize } from '../lib/index.ts';
import { type Operation, operation } from './operation.ts';
import { selfKey, withTemplates } from './recursive.ts';
import {
  documented,
  type Field,
  type Fields,
  isScalar,
  type ObjectSchema,
  object,
  type Recursion,
  type Schema,
  variantChooser,
} from './schema.ts';
import { type Service, service } from './service.ts';
import { mapItems } from './walk.ts';

/** Converts canonical values of an older version. Absent where the shapes are the same. */
export interface VersionAdapter {
  /** From the input of the older version to that of the next one. */
  upgrade?(input: unknown): unknown;
  /** From the output of the next version to that of the older one. */
  downgrade?(output: unknown): unknown;
}

export interface OlderVersion extends Service {
  readonly next: Service | OlderVersion;
  /** By the older operation; `to` is that of the next version. */
  readonly adapters: ReadonlyMap<Operation, VersionAdapter & { readonly to: Operation }>;
}

type Side = 'input' | 'output';

/** One difference of a type, in all messages or in those of one side. */
export interface Difference {
  /** The name of the object type in the next version. */
  readonly type: string;
  /** Both where it is absent. */
  readonly side?: Side | undefined;
  /** The member of the next version; absent where that has none. */
  readonly newer?: string;
  /** The member of the older version; absent where that has none. The field of the next version where none is stated. */
  readonly older?: { readonly name: string; readonly field?: Field };
  /** Where the older version lacks the member: its requests may have it all the same. Says where it comes from. */
  readonly ignored?: string;
  readonly upgrade?: (value: unknown) => unknown;
  readonly downgrade?: (value: unknown) => unknown;
  /** `upgrade` and `downgrade` convert the object that has the member, with all other members as the next version has them. */
  readonly whole?: true;
}

/** The older version lacks a member. In requests it must be optional in the next version. */
export function lacks(type: string, newer: string, options: Pick<Difference, 'side' | 'ignored'> = {}): Difference {
  return { type, newer, ...options };
}

/**
 * The older version has a member that the next one lacks. It means nothing in requests. In responses it is present only where a
 * handler of the older operation adds it.
 */
export function has(type: string, name: string, field: Field<Schema, false>, options: Pick<Difference, 'side'> = {}) {
  return { type, older: { name, field }, ...options } satisfies Difference;
}

/** A member has another name in the older version. */
export function renamed(type: string, older: string, newer: string, options: Pick<Difference, 'side'> = {}) {
  return { type, newer, older: { name: older }, ...options } satisfies Difference;
}

/**
 * A member has another schema in the older version, and another name if `name` is given. The values are converted; or, if `whole` is
 * given, the objects that have the member.
 */
export function converted(
  type: string,
  newer: string,
  {
    name = newer,
    field,
    ...conversion
  }: { readonly name?: string; readonly field: Field } & Pick<Difference, 'side' | 'upgrade' | 'downgrade' | 'whole'>,
): Difference {
  return { type, newer, older: { name, field }, ...conversion };
}

/** What an older version states. The rest is that of the next version, but for `legacy`, `errorMap` and `otherwise`. */
interface OlderVersionParts extends Pick<Service, 'version' | 'answers' | 'legacy' | 'errorMap' | 'otherwise'> {
  readonly differences?: readonly Difference[];
  /** The names of operations of the next version that the older one lacks. */
  readonly withoutOperations?: readonly string[];
  /** Operations that the next version lacks, with the types of that version. They have handlers of their own. */
  readonly operations?: readonly Operation[];
}

/**
 * Returns the older version. Throws TypeError for a difference of a member or an operation that the next version does not have, and
 * for one that no conversion can bridge.
 */
export function olderVersion(
  next: Service | OlderVersion,
  { differences = [], withoutOperations = [], operations = [], ...parts }: OlderVersionParts,
): OlderVersion {
  const title = `${next.name} v${parts.version}`;
  const unknown = withoutOperations.find((name) => !next.operations.has(name));
  if (unknown !== undefined) throw new TypeError(`${title}: version ${next.version} has no operation ${unknown}`);
  const used = new Set<Difference>();
  const sides = {
    input: new Deriver('input', differences, used, title).derive,
    output: new Deriver('output', differences, used, title).derive,
  };
  const adapters = new Map<Operation, VersionAdapter & { readonly to: Operation }>();
  const inherited = [...next.operations.values()].filter(({ name }) => !withoutOperations.includes(name));
  for (const to of [...inherited, ...operations].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const input = sides.input(to.input);
    const output = sides.output(to.output);
    if (input.schema === to.input && output.schema === to.output) {
      adapters.set(to, { to });
      continue;
    }
    const older = operation({ ...to, input: asObject(input.schema), output: asObject(output.schema) });
    adapters.set(older, {
      to,
      ...(input.upgrade && { upgrade: input.upgrade }),
      ...(output.downgrade && { downgrade: output.downgrade }),
    });
  }
  const unused = differences.find((each) => !used.has(each));
  if (unused !== undefined)
    throw new TypeError(`${title}: version ${next.version} has no ${unused.type} to differ from`);
  const { legacy: _, errorMap: _errorMap, otherwise: _otherwise, operations: _operations, ...rest } = next;
  return Object.freeze({
    ...service({ ...rest, ...parts, operations: [...adapters.keys()] }),
    next,
    adapters,
  });
}

/** Returns a version and those that follow it, oldest first, without the newest one. */
export function versionsFrom(oldest: OlderVersion): readonly OlderVersion[] {
  return 'adapters' in oldest.next ? [oldest, ...versionsFrom(oldest.next)] : [oldest];
}

/** A schema of the older version, with the conversions of its values; absent where there is nothing to convert. */
interface Derived {
  readonly schema: Schema;
  readonly upgrade?: Convert | undefined;
  readonly downgrade?: Convert | undefined;
}

type Convert = (value: unknown) => unknown;

/** Derives the schemas of one side of an older version. */
class Deriver {
  readonly #side: Side;
  readonly #concerned: readonly Difference[];
  /** Gets the differences that concern a schema. */
  readonly #used: Set<Difference>;
  readonly #title: string;
  /** The recursive objects that differ, by their names. */
  readonly #wholes = new Map<string, Derived>();
  readonly #ofGroups = new Map<readonly ObjectSchema[], readonly ObjectSchema[]>();
  /** Returns the schema itself if nothing in it differs, so that versions share its compiled forms. */
  readonly derive = memoize((schema: Schema): Derived => this.#deriveAnew(schema));

  constructor(side: Side, differences: readonly Difference[], used: Set<Difference>, title: string) {
    this.#side = side;
    this.#concerned = differences.filter((each) => each.side === undefined || each.side === side);
    this.#used = used;
    this.#title = title;
  }

  #deriveAnew(schema: Schema): Derived {
    if (isScalar(schema)) return { schema };
    switch (schema.kind) {
      case 'list': {
        if (schema.joined) return { schema };
        const { schema: item, ...converts } = this.#deriveItems(schema.item, mapItems);
        return { schema: item === schema.item ? schema : Object.freeze({ ...schema, item }), ...converts };
      }
      case 'map': {
        if (schema.item === undefined) return { schema };
        const { schema: item, ...converts } = this.#deriveItems(schema.item, mapEntries);
        return {
          schema: item === schema.item ? schema : Object.freeze({ ...schema, item: asObject(item) }),
          ...converts,
        };
      }
      case 'object':
        if (schema.isSelf) return this.#deriveSelf(schema);
        if (schema.recursion !== undefined) return this.#deriveRecursive(schema, schema.recursion);
        return this.#deriveVariants(schema, this.#deriveObject(schema));
      default:
        return schema satisfies never;
    }
  }

  /** The items of a list or a map, with conversions of all of them. */
  #deriveItems(item: Schema, convertAll: (value: unknown, convert: Convert) => unknown): Derived {
    const { schema, upgrade, downgrade } = this.derive(item);
    const each = (convert: Convert | undefined) => convert && ((value: unknown) => convertAll(value, convert));
    return { schema, upgrade: each(upgrade), downgrade: each(downgrade) };
  }

  /** It is derived as it is declared. */
  #deriveRecursive(schema: ObjectSchema, recursion: Recursion): Derived {
    const { group, template, isOpen } = recursion;
    const known = this.#ofGroups.get(group);
    const derived = known ?? withTemplates(recursion, (each) => asObject(this.derive(each).schema));
    this.#ofGroups.set(group, derived);
    if (derived === group && !isOpen) return { schema };
    const whole = { ...this.derive(template), schema: derived[group.indexOf(schema)]! };
    this.#wholes.set(selfKey(schema), whole);
    if (known === undefined) for (const each of group) this.derive(each);
    return whole;
  }

  /** It stands for the object around it. Its values are converted as those of that object, if they are. */
  #deriveSelf(schema: ObjectSchema): Derived {
    const name = selfKey(schema);
    return {
      schema,
      upgrade: (value) => this.#wholes.get(name)?.upgrade?.(value) ?? value,
      downgrade: (value) => this.#wholes.get(name)?.downgrade?.(value) ?? value,
    };
  }

  /** The variants of an object, each with its own differences. */
  #deriveVariants(schema: ObjectSchema, own: Derived): Derived {
    if (schema.variants === undefined) return own;
    const others = schema.variants.map(this.derive);
    const all = [own, ...others];
    const isSame = all.every((each, at) => each.schema === [schema, ...(schema.variants ?? [])][at]);
    if (isSame && all.every(({ upgrade, downgrade }) => upgrade === undefined && downgrade === undefined))
      return { schema };
    const variants = others.map((each) => asObject(each.schema));
    const convert = (of: (derived: Derived) => Convert | undefined): Convert => {
      const convertOf = variantChooser(schema, of(own), others.map(of));
      return (value) => (convertOf(value) ?? ((each) => each))(value);
    };
    const derived = documented<ObjectSchema>({
      ...asObject(own.schema),
      variants: Object.freeze(variants),
      ...(schema.isAbstract && { isAbstract: true as const }),
    });
    return {
      schema: isSame ? schema : derived,
      upgrade: convert(({ upgrade }) => upgrade),
      downgrade: convert(({ downgrade }) => downgrade),
    };
  }

  #deriveObject(schema: ObjectSchema): Derived {
    const own = this.#concerned.filter(({ type }) => type === schema.name);
    for (const each of own) this.#used.add(each);
    const fields: [string, Field][] = [];
    const rules: MemberRule[] = [];
    const wholes = own.filter(({ whole }) => whole);
    const ignored: Record<string, string> = {};
    let differs = false;
    for (const [newer, field] of Object.entries(schema.fields)) {
      const difference = own.find((each) => each.newer === newer);
      const part = this.derive(field.schema);
      const inner = part.schema === field.schema ? field : Object.freeze({ ...field, schema: part.schema });
      if (difference === undefined) {
        fields.push([newer, inner]);
        if (part.upgrade !== undefined || part.downgrade !== undefined)
          rules.push({ older: newer, newer, upgrade: part.upgrade, downgrade: part.downgrade });
        differs ||= inner !== field;
        continue;
      }
      differs = true;
      this.#checkBridge(schema, difference, field);
      const { older, whole, upgrade = part.upgrade, downgrade = part.downgrade } = difference;
      if (older !== undefined) fields.push([older.name, older.field ?? inner]);
      if (difference.ignored !== undefined) ignored[newer] = difference.ignored;
      rules.push({ older: older?.name, newer, ...(!whole && { upgrade, downgrade }) });
    }
    const absent = own.find(({ newer }) => newer !== undefined && schema.fields[newer] === undefined);
    if (absent !== undefined)
      throw new TypeError(`${this.#title}: ${schema.name} of the next version has no ${absent.newer}`);
    const added = own.flatMap(({ newer, older }) => (newer === undefined && older !== undefined ? [older] : []));
    for (const { name } of added) rules.push({ older: name, newer: undefined });
    const isSame = !differs && added.length === 0;
    // A member that is the same may hold an object around it, which is not.
    if (isSame && rules.length === 0) return { schema };
    const names = new Map(rules.map(({ older, newer }) => [newer, older] as const));
    const olderName = (name: string) => (names.has(name) ? names.get(name) : name);
    return {
      schema: isSame ? schema : rebuilt(schema, insert(fields, added), ignored, olderName),
      upgrade: inOrder([
        rules.some(({ older, newer, upgrade }) => older !== newer || upgrade !== undefined)
          ? (value) => convertMembers(value, rules, (rule) => [rule.older, rule.newer, rule.upgrade])
          : undefined,
        ...wholes.map(({ upgrade }) => upgrade),
      ]),
      downgrade: inOrder([
        ...wholes.map(({ downgrade }) => downgrade),
        rules.some(({ older, newer, downgrade }) => older !== newer || downgrade !== undefined)
          ? (value) => convertMembers(value, rules, (rule) => [rule.newer, rule.older, rule.downgrade])
          : undefined,
      ]),
    };
  }

  #checkBridge({ name }: ObjectSchema, { newer, older, upgrade, downgrade }: Difference, field: Field): void {
    if (this.#side === 'input' && older === undefined && field.required)
      throw new TypeError(`${this.#title}: requests lack ${newer}, which ${name} of the next version requires`);
    if (this.#side === 'input' && older?.field !== undefined && upgrade === undefined)
      throw new TypeError(`${this.#title}: no conversion upgrades ${older.name} of ${name}`);
    if (this.#side === 'output' && older?.field !== undefined && downgrade === undefined)
      throw new TypeError(`${this.#title}: no conversion downgrades ${newer} of ${name}`);
  }
}

function mapEntries(entries: unknown, convert: Convert): unknown {
  return Object.fromEntries(Object.entries(entries as object).map(([key, value]) => [key, convert(value)]));
}

/** Returns one conversion that applies those that are there, one after the other. */
function inOrder(conversions: readonly (Convert | undefined)[]): Convert | undefined {
  const present = conversions.filter((each) => each !== undefined);
  if (present.length < 2) return present[0];
  return (value) => present.reduce((converted, convert) => convert(converted), value);
}

/** How a member is converted; without a name on one side where that version has no such member. */
interface MemberRule {
  readonly older: string | undefined;
  readonly newer: string | undefined;
  readonly upgrade?: Convert | undefined;
  readonly downgrade?: Convert | undefined;
}

type Step = readonly [from: string | undefined, to: string | undefined, convert: Convert | undefined];

/** Returns the value itself where no rule concerns it, which is the most frequent case. */
function convertMembers(value: unknown, rules: readonly MemberRule[], stepOf: (rule: MemberRule) => Step): unknown {
  const from = value as Readonly<Record<string, unknown>>;
  let converted: Record<string, unknown> | undefined;
  for (const rule of rules) {
    const [name, to, convert] = stepOf(rule);
    if (name === undefined || from[name] === undefined) continue;
    converted ??= { ...from };
    if (name !== to) delete converted[name];
    if (to !== undefined) converted[to] = convert === undefined ? from[name] : convert(from[name]);
  }
  return converted ?? value;
}

/** Added fields come before the first one with a greater name, so that an alphabetical order stays one. */
function insert(
  fields: readonly (readonly [string, Field])[],
  added: readonly { readonly name: string; readonly field?: Field }[],
): Fields {
  const entries = [...fields];
  for (const { name, field } of added) {
    if (field === undefined) continue;
    const at = entries.findIndex(([each]) => each > name);
    entries.splice(at < 0 ? entries.length : at, 0, [name, field]);
  }
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`two members of the older version are called ${twice}`);
  return Object.fromEntries(entries);
}

function rebuilt(
  { name, namespace, choices, ignoredMembers, emptyObject, whenEmpty, extends: base }: ObjectSchema,
  fields: Fields,
  ignored: Readonly<Record<string, string>>,
  olderName: (newer: string) => string | undefined,
): ObjectSchema {
  const namesOf = (names: readonly string[]): readonly string[] =>
    names.map((each) => {
      const older = olderName(each);
      if (older === undefined) throw new TypeError(`${name} has a rule about ${each}, which the older version lacks`);
      return older;
    });
  const known = { ...ignoredMembers, ...ignored };
  return object(name, fields, {
    ...(namespace !== undefined && { namespace }),
    ...(base !== undefined && { extends: base }),
    ...(emptyObject !== undefined && { emptyObject }),
    choices: choices.map((choice) => ({ ...choice, options: choice.options.map(namesOf) })),
    ignoredMembers: Object.fromEntries(Object.entries(known).filter(([each]) => !Object.hasOwn(fields, each))),
    whenEmpty: namesOf(whenEmpty),
  });
}

function asObject(schema: Schema): ObjectSchema {
  if (schema.kind !== 'object') throw new TypeError('the message of an operation is an object');
  return schema;
}
