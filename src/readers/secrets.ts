/** Marks what is sensitive in the contract of an imported service, by names, places and declarations, and reports it. */
import {
  documented,
  type Fault,
  type Field,
  isSecret,
  isSecretName,
  type ObjectSchema,
  type Operation,
  operation,
  type Schema,
  withTemplates,
} from '../core/contract/index.ts';

/** Corrections of an operator: names of fields, `pin` or `Account.pin`, in any case. */
export interface SecretChoice {
  readonly sensitive?: readonly string[] | undefined;
  readonly notSensitive?: readonly string[] | undefined;
}

interface MarkOptions extends SecretChoice {
  /** The fields that the document calls write-only, as `Type.field`. */
  readonly writeOnly?: ReadonlySet<string>;
  /** The names of parameters that hold credentials of callers. */
  readonly credentials?: ReadonlySet<string>;
}

/** A field, as `Type.field`, and why it is sensitive. */
export type MarkedField = readonly [field: string, reason: string];

/** The operations with their sensitive fields marked, and these fields. */
export interface Marked {
  readonly operations: readonly Operation[];
  readonly fields: readonly MarkedField[];
  /** The names of the choice that fit no field. */
  readonly unknown: readonly string[];
}

export function markSecrets(operations: readonly Operation[], options: MarkOptions): Marked {
  const marker = new Marker(options);
  const marked = operations.map((each) => {
    const { input, output, faults, upstream } = each;
    const parameters = Object.entries(upstream?.parameters ?? {}).filter(([, place]) => place.in !== 'path');
    const places = new Map(parameters.map(([field, place]) => [field, place.name ?? field]));
    const changed = {
      input: marker.message(input, places),
      output: marker.object(output, false),
      faults: faults?.map((fault) => marker.fault(fault)),
    };
    const isSame =
      changed.input === input &&
      changed.output === output &&
      faults?.every((fault, at) => fault === changed.faults?.[at]) !== false;
    return isSame ? each : operation({ ...each, ...changed } as Operation);
  });
  return { operations: marked, fields: [...marker.found], unknown: marker.unknown };
}

/** Returns why the choice of an operator cannot be meant: names that fit no field of any contract. Undefined if each fits one. */
export function unknownFault(contracts: readonly Pick<Marked, 'unknown'>[]): string | undefined {
  const [first, ...others] = contracts;
  const names = first?.unknown.filter((name) => others.every(({ unknown }) => unknown.includes(name))) ?? [];
  return names.length === 0 ? undefined : `--sensitive or --not-sensitive: no field has the name ${names.join(', ')}`;
}

/** One line for each reason, with the fields that it concerns. */
export function secretLines(fields: readonly MarkedField[]): readonly string[] {
  if (fields.length === 0) return [];
  const groups = [...Map.groupBy(fields, ([, reason]) => reason)];
  const lines = groups.map(([reason, all]) => {
    const names = all.slice(0, listedMax).map(([name]) => name);
    const others = all.length > listedMax ? ` and ${all.length - listedMax} more` : '';
    return `  ${names.join(', ')}${others}: ${reason}`;
  });
  return ['Sensitive, so masked and sealed; --sensitive and --not-sensitive correct it:', ...lines];
}

const listedMax = 40;

class Marker {
  readonly found = new Map<string, string>();
  readonly #options: MarkOptions;
  readonly #sensitive: ReadonlySet<string>;
  readonly #notSensitive: ReadonlySet<string>;
  readonly #unknown: Set<string>;
  /** Objects as they stand below a sensitive field, and elsewhere. */
  readonly #whole = new Map<ObjectSchema, ObjectSchema>();
  readonly #plain = new Map<ObjectSchema, ObjectSchema>();
  readonly #faults = new Map<Fault, Fault>();

  constructor(options: MarkOptions) {
    this.#options = options;
    this.#sensitive = namesIn(options.sensitive);
    this.#notSensitive = namesIn(options.notSensitive);
    this.#unknown = new Set([...this.#sensitive, ...this.#notSensitive]);
  }

  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  fault(fault: Fault): Fault {
    const known = this.#faults.get(fault);
    if (known !== undefined) return known;
    const detail = this.object(fault.detail, false);
    const marked = detail === fault.detail ? fault : { ...fault, detail };
    this.#faults.set(fault, marked);
    return marked;
  }

  /** `places`: the names of parameters in headers, cookies and the query, by their fields. */
  message(input: ObjectSchema, places: ReadonlyMap<string, string>): ObjectSchema {
    if (places.size === 0) return this.object(input, false);
    return this.#rebuilt(input, false, (name) => {
      const sent = places.get(name);
      if (sent === undefined) return undefined;
      if (this.#options.credentials?.has(sent)) return 'the document calls it a credential';
      return isSecretName(sent, true) ? 'a parameter with the name of a credential' : undefined;
    });
  }

  object(schema: ObjectSchema, isWhole: boolean): ObjectSchema {
    if (schema.isSelf) return schema;
    const known = isWhole ? this.#whole : this.#plain;
    let marked = known.get(schema);
    if (marked === undefined) {
      marked = this.#rebuilt(schema, isWhole);
      known.set(schema, marked);
    }
    return marked;
  }

  #rebuilt(schema: ObjectSchema, isWhole: boolean, reasonOf?: (name: string) => string | undefined): ObjectSchema {
    const { recursion, variants } = schema;
    if (recursion !== undefined) {
      const { group } = recursion;
      const marked = withTemplates(recursion, (each) => this.#rebuilt(each, isWhole, reasonOf));
      const known = isWhole ? this.#whole : this.#plain;
      for (const [at, each] of group.entries()) known.set(each, marked[at]!);
      return marked[group.indexOf(schema)]!;
    }
    const fields = Object.entries<Field>(schema.fields).map(([name, field]): [string, Field] => {
      const marked = this.#field(schema, name, field, isWhole, reasonOf?.(name));
      return [name, marked === field.schema ? field : Object.freeze({ ...field, schema: marked })];
    });
    const others = variants?.map((each) => this.object(each, isWhole));
    const isSame =
      fields.every(([name, field]) => field === schema.fields[name]) &&
      (others ?? []).every((each, at) => each === variants?.[at]);
    if (isSame) return schema;
    return documented<ObjectSchema>({
      ...schema,
      fields: Object.freeze(Object.fromEntries(fields)),
      ...(others !== undefined && { variants: Object.freeze(others) }),
    });
  }

  #field(
    { name: type }: ObjectSchema,
    name: string,
    field: Field,
    isWhole: boolean,
    given: string | undefined,
  ): Schema {
    const { schema, xml, json = name } = field;
    // Names of types, and what says the order of elements.
    if (xml === 'type' || xml === 'order') return schema;
    const path = `${type}.${name}`;
    if (this.#isNamed(this.#notSensitive, name, path)) return unmarked(schema);
    const reason = this.#isNamed(this.#sensitive, name, path)
      ? '--sensitive names it'
      : (given ?? this.#reasonOf(path, json, field));
    const isMarked = isWhole || reason !== undefined;
    const marked = this.#schema(schema, isMarked, reason === '--sensitive names it');
    if (reason !== undefined && (marked !== schema || holdsSecret(schema))) this.found.set(path, reason);
    return marked;
  }

  #reasonOf(path: string, name: string, { schema, xml }: Field): string | undefined {
    if (xml === 'header') return 'the header of a message may hold a credential';
    if (this.#options.writeOnly?.has(path)) return 'the document calls it write-only';
    if (isSecretName(name)) return 'its name is that of a secret';
    return schema.kind === 'string' && isSecret(schema) ? 'the document calls it a password' : undefined;
  }

  /** `isNamed`: the operator has named the field, so its kind does not matter. */
  #schema(schema: Schema, isMarked: boolean, isNamed: boolean): Schema {
    switch (schema.kind) {
      case 'object':
        return this.object(schema, isMarked);
      case 'list': {
        if (schema.joined) return schema;
        const item = this.#schema(schema.item, isMarked, isNamed);
        return item === schema.item ? schema : documented({ ...schema, item });
      }
      case 'map': {
        if (schema.item === undefined) return schema;
        const item = this.object(schema.item, isMarked);
        return item === schema.item ? schema : documented({ ...schema, item });
      }
      case 'string':
      case 'integer':
      case 'decimal':
      case 'double':
      case 'binary':
        return isMarked && schema.sensitive !== true ? documented({ ...schema, sensitive: true as const }) : schema;
      case 'boolean':
      case 'date':
      case 'dateTime':
      case 'enum':
        return schema;
      default:
        return schema satisfies never;
    }
  }

  #isNamed(names: ReadonlySet<string>, ...found: readonly string[]): boolean {
    const known = found.map((each) => each.toLowerCase()).filter((each) => names.has(each));
    for (const each of known) this.#unknown.delete(each);
    return known.length > 0;
  }
}

function namesIn(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(names.map((each) => each.toLowerCase()));
}

function holdsSecret(schema: Schema): boolean {
  return schema.kind === 'list'
    ? holdsSecret(schema.item)
    : schema.kind !== 'object' && schema.kind !== 'map' && isSecret(schema);
}

/** The schema without the mark of the document; what is below an object has fields of its own. */
function unmarked(schema: Schema): Schema {
  if (schema.kind === 'list' && !schema.joined) return documented({ ...schema, item: unmarked(schema.item) });
  if (!('sensitive' in schema)) return schema;
  const { sensitive: _, ...others } = schema;
  return documented(others);
}
