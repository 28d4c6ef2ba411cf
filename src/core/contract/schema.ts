/** Schemas: the twelve kinds of value in a contract, as frozen data with inferred types. */
import type { ProblemRef } from './problem.ts';
import type {
  BinarySchema,
  BooleanSchema,
  DateSchema,
  DateTimeSchema,
  DecimalSchema,
  DoubleSchema,
  EnumSchema,
  IntegerSchema,
  ScalarSchema,
  StringSchema,
  XsdType,
} from './scalar.ts';
import { type Documented, documented } from './scalar.ts';

export * from './scalar.ts';

/** A list of separate items. */
export interface ListSchema<S extends Schema = Schema> {
  readonly kind: 'list';
  readonly joined: false;
  readonly item: S;
  /** The element of one item in SOAP. */
  readonly itemName: string;
  /** In JSON each item is an object with the one key `itemName`. */
  readonly wrapped: boolean;
  /** In SOAP the items are members of the object, without an element around them. `itemName` is the name of the field. */
  readonly repeated?: true;
  /** In SOAP the items may have any name, as those of SOAP encoding. `itemName` is that of answers. */
  readonly anyItemName?: true;
  /** Prefix of the XML namespace of the items; empty for none, that of the service where it is absent. */
  readonly namespace?: string;
  /** Whether the WSDL declares that items may be nil; by default those of an element of their own. */
  readonly nillableItems?: boolean;
  /** Items may be nil: `null` in values and in JSON. By default a request with one is refused. */
  readonly nullItems?: true;
  /** The WSDL declares one item at least. */
  readonly mandatoryItem?: true;
  /** The type of scalar items in the WSDL, where it is another one than that of their kind. */
  readonly xsd?: XsdType;
  readonly emptyString?: never;
  /** `absent`: JSON answers leave the list out where it has no items. By default it is `[]`. */
  readonly json?: 'absent';
  /**
   * A list without items says something. By default it is absent. SOAP cannot say one that is `repeated`, which has no element of its own.
   * `required`: the server requires it, so a request in SOAP without an item has an empty one.
   */
  readonly whenEmpty?: 'present' | 'required';
  readonly max: number;
}

/** A list that is one comma-separated text on every wire: a set, in the order of the enumeration. */
export interface SetSchema<V extends string = string> {
  readonly kind: 'list';
  readonly joined: true;
  readonly item: EnumSchema<V>;
  /** As for a string: an empty set would widen what the request does. */
  readonly emptyString?: 'invalid';
  readonly max: number;
}

/** Names to texts, or to records of one schema. Keys may contain dots. */
export interface MapSchema<I extends ObjectSchema | undefined = ObjectSchema | undefined> {
  readonly kind: 'map';
  /** Absent where the entries are texts. Formats of flat pairs and of XML cannot say a map of records. */
  readonly item: I;
  readonly max: number;
  /** For a map of records, the keys alone count. */
  readonly example: Readonly<Record<string, string>>;
  /** An empty map says something: that there are no entries, rather than nothing about them. */
  readonly whenEmpty?: 'present';
  /** In SOAP the entries are called `item`, as in the Map of xml-soap that Axis and PHP have. */
  readonly entryName?: 'item';
}

/** The location of a field in an HTTP request or response; the body by default. */
export type FieldLocation = 'path' | 'query' | 'header' | 'body';

/** A field of an object: its schema, whether it is required, and its description. */
export interface Field<S extends Schema = Schema, R extends boolean = boolean> {
  readonly schema: S;
  readonly required: R;
  readonly doc: string;
  /** The problem where the field is missing, or is present and invalid. */
  readonly missing?: ProblemRef;
  readonly invalid?: ProblemRef;
  /**
   * The WSDL declares the element mandatory (minOccurs 1). `nillable`: it may be nil. `empty`: it may be empty, as which SOAP
   * answers print it where the field is absent.
   */
  readonly mandatoryInStubs?: true | 'nillable' | 'empty';
  /** The WSDL declares the lengths of the text. Generators make other types of such texts, so it has those of earlier versions. */
  readonly lengthsInStubs?: true;
  /**
   * Whether the element may be nil, which is how SOAP answers say that the field is absent. False for a field that stubs of
   * earlier versions do not know: some of them refuse an answer with its element.
   */
  readonly nillable?: false;
  /**
   * In SOAP, the field is an attribute of the object's element, or its text: only for scalars. An attribute is in no namespace where
   * the field has none; `xml` is the prefix of that of XML. `header`: the field of a message whose members are blocks in the header
   * of the envelope, each an object. `attachment`: the field of a message that is a part beside the envelope, to which no element
   * refers; only for bytes. `type`: the name of the object's type, `xsi:type` in SOAP; an enumeration of that one name.
   * `attributes`: all other attributes of the object's element, as XML (`markup: 'attributes'`). `mixed`: the texts between the elements
   * of the object; a list of texts. `order`: the names of elements in their order, where it is another one than that of the contract; a
   * list of an enumeration of names.
   */
  readonly xml?: 'attribute' | 'text' | 'header' | 'attachment' | 'type' | 'attributes' | 'mixed' | 'order';
  /** Prefix of the element's XML namespace; empty for none. That of the object's elements where it is absent. */
  readonly namespace?: string;
  /** The type of a scalar in the WSDL, where it is another one than that of its kind. */
  readonly xsd?: XsdType;
  /** The name of the member in JSON, where it is another one than that of the field. */
  readonly json?: string;
  /** Only in operations with an HTTP binding; the body where it is absent. */
  readonly in?: FieldLocation;
  /** The name of the header, for a field in a header. */
  readonly header?: string;
}

/** The fields of an object by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** "One of these sets of fields": the only rule between fields that the interface has. */
export interface Choice {
  readonly options: readonly (readonly string[])[];
  /** Exactly one set, or at least one. */
  readonly exclusive: boolean;
  /** None of them will do, too. */
  readonly orNone?: true;
  readonly problem: ProblemRef;
  readonly doc: string;
}

/** Names of members, each with where it comes from: a version of the interface, or the clients that send it. */
export type IgnoredMembers = Readonly<Record<string, string>>;

/** Fields by name: a request, a response or a part of one. */
export interface ObjectSchema<F extends Fields = Fields> {
  readonly kind: 'object';
  readonly name: string;
  /** Prefix of the XML namespace; empty for none, the service's own where it is undefined. */
  readonly namespace: string | undefined;
  readonly fields: F;
  /** The fields that are XML attributes. */
  readonly attributes: readonly string[];
  /** The field that is the text of the element. */
  readonly textField: string | undefined;
  /** The field whose items are elements of any other name. */
  readonly anyField: string | undefined;
  /** The field that names the type of the object. */
  readonly typeField: string | undefined;
  /** The field that holds all attributes that are no fields. */
  readonly attributesField: string | undefined;
  /** The field that holds the texts between elements. */
  readonly mixedField: string | undefined;
  /** The field that says the order of elements. */
  readonly orderField: string | undefined;
  /** Objects that may stand in its place: types that extend it. The type field of a value says which one it is. */
  readonly variants?: readonly ObjectSchema[];
  /** Every value is one of the variants. */
  readonly isAbstract?: true;
  /** Types that extend it are no part of the contract: what an answer names in its place is an unknown member. */
  readonly hasOtherTypes?: true;
  /** The type that this one extends in the WSDL, with the prefix of its namespace. */
  readonly extends?: { readonly name: string; readonly namespace?: string };
  readonly choices: readonly Choice[];
  /** Members that requests may have and that Triglyph ignores. */
  readonly ignoredMembers: IgnoredMembers;
  /**
   * How JSON has it. `value`: as the value of the one field that it has. Fields of different types in JSON are alternatives. `entry`: the
   * object has the fields `key` and `value`, and JSON has a list of these objects as an object with a member for each.
   */
  readonly json?: 'value' | 'entry';
  /** An object without members says something: its element is there. By default it is absent. Only where no field is required. */
  readonly emptyObject?: 'present';
  /** The fields that SOAP answers print as empty elements, and not as nil, where the whole object is empty. */
  readonly whenEmpty: readonly string[];
  /** It stands for the object of its name; only in templates of recursive objects. */
  readonly isSelf?: true;
  /** It holds itself: its fields lead to this object again. */
  readonly recursion?: Recursion;
}

/** What a recursive object was made from. */
export interface Recursion {
  /** The object as it is declared, with `isSelf` objects in it. */
  readonly template: ObjectSchema;
  /** The objects that hold each other, itself among them. */
  readonly group: readonly ObjectSchema[];
  /** How many may be in each other in a request. */
  readonly levels: number;
  /** Another object that is not part of it stands in it, too: the one that it will be part of. */
  readonly isOpen: boolean;
}

/** A value in a contract. */
export type Schema = ScalarSchema | ListSchema | SetSchema | MapSchema | ObjectSchema;

/** The TypeScript type of the canonical value of a schema. */
export type Infer<S> = S extends StringSchema | DecimalSchema | DateSchema | BinarySchema
  ? string
  : S extends IntegerSchema | DoubleSchema | DateTimeSchema
    ? number
    : S extends BooleanSchema
      ? boolean
      : S extends EnumSchema<infer V>
        ? V
        : S extends SetSchema<infer V>
          ? readonly V[]
          : S extends ListSchema<infer I>
            ? readonly (Infer<I> | (S extends { readonly nullItems: true } ? null : never))[]
            : S extends MapSchema<infer I>
              ? Readonly<Record<string, I extends ObjectSchema ? Infer<I> : string>>
              : S extends ObjectSchema<infer F>
                ? InferFields<F> | (S extends { readonly variants: readonly (infer V)[] } ? Infer<V> : never)
                : never;

/** The TypeScript type of the canonical value of an object. */
export type InferFields<F extends Fields> = {
  readonly [K in keyof F as F[K]['required'] extends true ? K : never]: Infer<F[K]['schema']>;
} & {
  readonly [K in keyof F as F[K]['required'] extends true ? never : K]?: Infer<F[K]['schema']> | undefined;
};

/** A list of separate items; `wrapped` is for JSON, `repeated`, `anyItemName` and `namespace` are for SOAP. */
export function list<S extends Schema, const O extends ListOptions>(
  item: S,
  itemName: string,
  options: O,
): Documented<ListSchema<S> & (O extends { readonly nullItems: true } ? { readonly nullItems: true } : unknown)>;
export function list<S extends Schema>(item: S, itemName: string, options: ListOptions): Documented<ListSchema<S>> {
  return documented<ListSchema<S>>({
    kind: 'list',
    joined: false,
    item,
    itemName,
    wrapped: options.wrapped ?? false,
    ...(options.repeated && { repeated: true }),
    ...(options.anyItemName && { anyItemName: true }),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(options.nillableItems !== undefined && { nillableItems: options.nillableItems }),
    ...(options.nullItems && { nullItems: true }),
    ...(options.mandatoryItem && { mandatoryItem: true }),
    ...(options.xsd !== undefined && { xsd: options.xsd }),
    ...(options.json !== undefined && { json: options.json }),
    ...(options.whenEmpty !== undefined && { whenEmpty: options.whenEmpty }),
    max: options.max,
  });
}

/** The properties of a list besides its items. */
export interface ListOptions {
  readonly wrapped?: boolean;
  readonly repeated?: boolean;
  readonly anyItemName?: boolean;
  readonly namespace?: string;
  readonly nillableItems?: boolean;
  readonly nullItems?: true;
  readonly mandatoryItem?: boolean;
  readonly xsd?: XsdType;
  readonly json?: 'absent';
  readonly whenEmpty?: 'present' | 'required';
  readonly max: number;
}

/** A set of an enumeration's values, written as one comma-separated text. */
export function joined<V extends string>(
  item: EnumSchema<V>,
  options: Pick<SetSchema, 'emptyString'> = {},
): SetSchema<V> {
  return Object.freeze({ kind: 'list', joined: true, item, max: item.values.length, ...options });
}

/** Returns the schema of names with texts, `max` of them at most. */
export function map(
  max: number,
  example: Readonly<Record<string, string>>,
  options: Pick<MapSchema, 'whenEmpty' | 'entryName'> = {},
): MapSchema<undefined> {
  return Object.freeze({ kind: 'map', item: undefined, max, example: Object.freeze(example), ...options });
}

/** A map of records; `example`: a key. */
export function mapOf<I extends ObjectSchema>(item: I, max: number, example: string): MapSchema<I> {
  return Object.freeze({ kind: 'map', item, max, example: Object.freeze({ [example]: '' }) });
}

/** The properties of an object that it may do without. */
export type ObjectOptions = Partial<
  Pick<
    ObjectSchema,
    'namespace' | 'choices' | 'ignoredMembers' | 'emptyObject' | 'whenEmpty' | 'extends' | 'hasOtherTypes' | 'json'
  >
>;

/**
 * An object; its fields in the order in which every format prints them. Throws TypeError for an attribute that XML has not, and
 * for two fields of one name in JSON.
 */
export function object<const F extends Fields>(
  name: string,
  fields: F,
  options: ObjectOptions = {},
): Documented<ObjectSchema<F>> {
  checkJsonNames(name, fields);
  if (options.json !== undefined) checkJsonForm(name, fields, options.json);
  return documented<ObjectSchema<F>>({
    kind: 'object',
    name,
    namespace: options.namespace,
    fields: Object.freeze(fields),
    attributes: attributesOf(name, fields),
    textField: textFieldOf(name, fields),
    anyField: anyFieldOf(name, fields),
    typeField: Object.keys(fields).find((each) => fields[each]?.xml === 'type'),
    attributesField: attributesFieldOf(name, fields),
    mixedField: Object.keys(fields).find((each) => fields[each]?.xml === 'mixed'),
    orderField: orderFieldOf(name, fields),
    ...(options.extends !== undefined && { extends: options.extends }),
    ...(options.hasOtherTypes && { hasOtherTypes: true }),
    ...(options.json !== undefined && { json: options.json }),
    ...(options.emptyObject !== undefined && { emptyObject: options.emptyObject }),
    choices: options.choices ?? [],
    ignoredMembers: options.ignoredMembers ?? {},
    whenEmpty: options.whenEmpty ?? [],
  });
}

/** The names of the fields of a message that are parts beside the envelope. */
export function attachedFieldsOf({ fields }: ObjectSchema): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]!.xml === 'attachment');
}

/** An object in whose place others may stand. */
export type PolymorphicSchema<S extends ObjectSchema, V extends ObjectSchema> = S & {
  readonly variants: readonly V[];
};

/**
 * Returns the object with others that may stand in its place: types that extend it. Each has a field with `xml: 'type'`, an enumeration
 * with the name of its type alone; in templates of recursive objects, a `self` gets one. `abstract`: every value is one of the others. Throws TypeError for an object without such a
 * field, and for two types of one name.
 */
export function polymorphic<S extends ObjectSchema, const V extends ObjectSchema>(
  schema: S,
  variants: readonly V[],
  options: { readonly abstract?: boolean } = {},
): Documented<PolymorphicSchema<S, V>> {
  const all = [schema, ...variants];
  const names = all.map(typeNameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`${schema.name}: two types are called ${twice}`);
  if (all.some(({ typeField, isSelf }) => !isSelf && typeField !== schema.typeField))
    throw new TypeError(`${schema.name}: the types have different type fields`);
  return documented<PolymorphicSchema<S, V>>({
    ...schema,
    variants: Object.freeze(variants),
    ...(options.abstract && { isAbstract: true as const }),
  });
}

/** The name of the type that a type field has. Throws TypeError where there is none. */
export function typeNameOf({ name, typeField = '', fields, isSelf }: ObjectSchema): string {
  if (isSelf) return name;
  const schema = fields[typeField]?.schema;
  const [value, ...others] = schema?.kind === 'enum' ? schema.values : [];
  if (value === undefined || others.length > 0) throw new TypeError(`${name}: no field names its type alone`);
  return value;
}

/** Chooses by the type that a value names: `own` for that of the schema, or one of `others`, which are in the order of the variants. */
export function variantChooser<T>(schema: ObjectSchema, own: T, others: readonly T[]): (value: unknown) => T {
  const { typeField = '', variants = [] } = schema;
  const byName = new Map(variants.map((each, at) => [typeNameOf(each), others[at]!]));
  return (value) => byName.get((value as Readonly<Record<string, string>>)[typeField] ?? '') ?? own;
}

/** The object that a value is one of: the schema, or one of its variants. */
export function variantOf(schema: ObjectSchema, value: unknown): ObjectSchema {
  const { variants } = schema;
  return variants === undefined ? schema : variantChooser(schema, schema, variants)(value);
}

/** The schema of a member of objects in each other; undefined where one has no such field. */
export function schemaAt(schema: Schema, [step, ...below]: readonly string[]): Schema | undefined {
  if (step === undefined) return schema;
  const field = schema.kind === 'object' && Object.hasOwn(schema.fields, step) ? schema.fields[step] : undefined;
  return field && schemaAt(field.schema, below);
}

/** The field of an object, or of a variant of it. */
export function fieldOf({ fields, variants = [] }: ObjectSchema, name: string): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return variants.find((each) => Object.hasOwn(each.fields, name))?.fields[name];
}

/** The name of the field of a message that is its SOAP header. */
export function headerFieldOf({ fields }: ObjectSchema): string | undefined {
  for (const name in fields) if (fields[name]!.xml === 'header') return name;
  return undefined;
}

function checkJsonNames(object: string, fields: Fields): void {
  const inBody = Object.entries(fields).filter(([, field]) => field.in === undefined || field.in === 'body');
  const names = inBody.map(([name, { json = name }]) => json);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`${object}: two fields are called ${twice} in JSON`);
}

function checkJsonForm(object: string, fields: Fields, json: 'value' | 'entry'): void {
  if (json === 'entry') {
    if (Object.keys(fields).join() !== 'key,value' || fields.key?.schema.kind !== 'string' || !fields.key.required)
      throw new TypeError(`${object}: an entry has a key, which is a text, and a value`);
    return;
  }
  const types = Object.values<Field>(fields).flatMap(({ schema }) => jsonTypesOf(schema));
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  if (twice !== undefined) throw new TypeError(`${object}: two fields are of the type ${twice} in JSON`);
}

/** What a value of JSON may be; null is none of them. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';
const jsonTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'object', 'array'];

/** The types that a schema has in JSON. */
export function jsonTypesOf(schema: Schema): readonly JsonType[] {
  switch (schema.kind) {
    case 'string':
      return schema.json === undefined ? ['string'] : jsonTypes;
    case 'integer':
    case 'double':
      return ['number'];
    case 'decimal':
      if (schema.json === undefined) return ['number', 'string'];
      return [schema.json === 'text' ? 'string' : 'number'];
    case 'boolean':
      return ['boolean'];
    case 'dateTime':
    case 'date':
    case 'binary':
    case 'enum':
      return ['string'];
    case 'list':
      if (schema.joined) return ['string'];
      return [isEntries(schema) ? 'object' : 'array'];
    case 'map':
      return ['object'];
    case 'object':
      if (schema.json !== 'value') return ['object'];
      return Object.values<Field>(schema.fields).flatMap((field) => jsonTypesOf(field.schema));
    default:
      return schema satisfies never;
  }
}

/** Whether a schema has no parts. */
export function isScalar(schema: Schema) {
  return schema.kind !== 'object' && schema.kind !== 'map' && schema.kind !== 'list';
}

/** Whether the items of a list are members of the object around it. */
export function isRepeated(schema: Schema): schema is ListSchema & { readonly repeated: true } {
  return schema.kind === 'list' && !schema.joined && schema.repeated === true;
}

/** Whether JSON has the list as an object with a member for each item. */
export function isEntries({ item }: ListSchema | SetSchema): boolean {
  return item.kind === 'object' && item.json === 'entry';
}

function attributesOf(object: string, fields: Fields): readonly string[] {
  const names = Object.keys(fields).filter((name) => fields[name]?.xml === 'attribute');
  for (const name of names) {
    const { schema } = fields[name]!;
    if (!isScalar(schema)) throw new TypeError(`${object}: ${name} is a ${schema.kind}, so it cannot be an attribute`);
  }
  return Object.freeze(names);
}

function attributesFieldOf(object: string, fields: Fields): string | undefined {
  const names = Object.keys(fields).filter((name) => {
    const { xml, schema } = fields[name]!;
    return xml === 'attributes' || (schema.kind === 'string' && schema.markup === 'attributes');
  });
  const [name, ...others] = names;
  if (
    name !== undefined &&
    (others.length > 0 || fields[name]!.xml !== 'attributes' || fields[name]!.schema.kind !== 'string')
  )
    throw new TypeError(`${object}: one field at most holds other attributes, as XML`);
  return name;
}

/** Whether an element of the object may have attributes that come from its value. A name in its text declares a prefix. */
export function mayHaveAttributes(schema: ObjectSchema): boolean {
  const { attributes, typeField, attributesField } = schema;
  const hasOwn = attributes.length > 0 || typeField !== undefined || attributesField !== undefined;
  return hasOwn || holdsContent(schema) || holdsName(schema);
}

/** Whether the text of the object's element is a name of a namespace. */
export function holdsName({ textField, fields }: ObjectSchema): boolean {
  const text = textField === undefined ? undefined : fields[textField]?.schema;
  return text?.kind === 'string' && text.qualifiedName === true;
}

/** The elements whose order a value may say. */
export function orderedNames({ orderField, fields }: ObjectSchema): readonly string[] {
  const schema = orderField === undefined ? undefined : fields[orderField]?.schema;
  return schema?.kind === 'list' && !schema.joined && schema.item.kind === 'enum' ? schema.item.values : [];
}

function orderFieldOf(object: string, fields: Fields): string | undefined {
  const name = Object.keys(fields).find((each) => fields[each]?.xml === 'order');
  const schema = name === undefined ? undefined : fields[name]?.schema;
  if (schema !== undefined && (schema.kind !== 'list' || schema.joined || schema.item.kind !== 'enum'))
    throw new TypeError(`${object}: ${name} is no list of the names of elements`);
  return name;
}

/** Whether the text of the object's element is any XML: its attributes and all that it holds. */
export function holdsContent({ textField, fields }: ObjectSchema): boolean {
  const text = textField === undefined ? undefined : fields[textField]?.schema;
  return text?.kind === 'string' && text.markup === 'content';
}

/** Whether the items of a list are elements of any name. */
export function holdsAnyElement(schema: Schema): boolean {
  if (schema.kind !== 'list' || schema.joined || schema.item.kind !== 'string') return false;
  return schema.item.markup === 'any' || schema.item.markup === 'other';
}

function anyFieldOf(object: string, fields: Fields): string | undefined {
  const names = Object.keys(fields).filter((name) => holdsAnyElement(fields[name]!.schema));
  if (names.length > 1) throw new TypeError(`${object}: ${names.join(' and ')} hold elements of any name`);
  return names[0];
}

function textFieldOf(object: string, fields: Fields): string | undefined {
  const names = Object.keys(fields);
  const repeated = names.find((name) => {
    const { schema } = fields[name]!;
    return isRepeated(schema) && schema.itemName !== name;
  });
  if (repeated !== undefined) throw new TypeError(`${object}: the items of ${repeated} are called as their field`);
  const headers = names.filter((name) => fields[name]?.xml === 'header');
  for (const name of headers) {
    const { schema } = fields[name]!;
    const isOfObjects =
      schema.kind === 'object' && Object.values<Field>(schema.fields).every((each) => each.schema.kind === 'object');
    if (!isOfObjects || headers.length > 1)
      throw new TypeError(`${object}: ${name} is no object of header blocks, or not the only one`);
  }
  const notBytes = names.find((name) => fields[name]?.xml === 'attachment' && fields[name].schema.kind !== 'binary');
  if (notBytes !== undefined)
    throw new TypeError(`${object}: ${notBytes} holds no bytes, so it cannot be an attachment`);
  const texts = names.filter((name) => fields[name]?.xml === 'text');
  const [text] = texts;
  if (text === undefined) return undefined;
  const { schema } = fields[text]!;
  if (!isScalar(schema))
    throw new TypeError(`${object}: ${text} is a ${schema.kind}, so it cannot be the text of an element`);
  if (texts.length > 1 || names.some((name) => fields[name]?.xml === undefined))
    throw new TypeError(`${object}: an element with a text has attributes besides, and nothing else`);
  return text;
}

/** The properties of a field besides its schema, whether it is required, and its description. */
export type FieldOptions = Omit<Field, 'schema' | 'required' | 'doc'>;

/** Returns a field that requests or responses must have. */
export function required<S extends Schema>(schema: S, doc = '', options: FieldOptions = {}): Field<S, true> {
  return Object.freeze({ schema, required: true, doc, ...options });
}

/** Returns a field that may be absent. */
export function optional<S extends Schema>(
  of: S | Field<S, true>,
  doc = 'schema' in of ? of.doc : '',
  options: FieldOptions = {},
): Field<S, false> {
  return Object.freeze({ schema: 'schema' in of ? of.schema : of, required: false, doc, ...options });
}
