/** Prints canonical values as elements, each in the namespace of the type that declares it. */
import {
  type BinarySchema,
  elementAround,
  elementNamespace,
  holdsAnyElement,
  holdsContent,
  holdsName,
  itemNamespace,
  type ListSchema,
  mayHaveAttributes,
  membersOf,
  namespacesOf,
  type ObjectSchema,
  orderedNames,
  qualifiedName,
  recordTypes,
  type Schema,
  type Service,
  type Visited,
  variantChooser,
  walk,
} from '../../contract/index.ts';
import { memoize, memoizeWeakly } from '../../lib/index.ts';
import { escapeXml, escapeXmlAttribute } from '../../xml/index.ts';
import {
  type Append,
  compileItems,
  compileMembers,
  type Frame,
  type MemberPart,
  type Part,
  scalarAppend,
} from '../append.ts';
import type { Print, Printed } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';
import { qualify, qualifyAttribute } from './namespaces.ts';

/** How bytes are printed: as text, or as references to parts beside the message. */
export type PrintBytes = (schema: BinarySchema) => Content;

const bytesAsText: PrintBytes = () => ({ append: appendMarkup, appendValue: appendMarkup });

/** The content of an element, for a message that declares the namespaces. With attributes, it begins inside the start tag. */
export function compilePrint(
  schema: Schema,
  formatDateTime: FormatDateTime,
  service: Service,
  side: Printed,
  printBytes: PrintBytes = bytesAsText,
): Print {
  const { append } = compile(schema, formatDateTime, service, side, printBytes);
  return (value) => append('', value);
}

/** How the content of an element is printed. */
export interface Content {
  readonly append: Append;
  /** `append` prints attributes first, and the end of the start tag. */
  readonly hasAttributes?: true;
  /** Prints a scalar as the value of an attribute. */
  readonly appendValue?: Append;
  /** Of an object within itself. */
  readonly isSelf?: true;
  /** Prints a list whose items are members of the object, each with this name. */
  readonly repeat?: (element: string) => Append;
}

/** The contents of the objects of a service, by how bytes and date and time are printed, and by side. */
const contentsOf = memoizeWeakly((_: Service) =>
  memoizeWeakly((_: PrintBytes) =>
    memoizeWeakly((_: FormatDateTime) => memoize((_: Printed): Visited<Content> => new WeakMap())),
  ),
);

/**
 * Lists and maps are types of the service, in its own namespace, as in its published WSDL. That needs no prefix.
 *
 * An answer says of each nillable member of a type that it is absent (decision 0028), a request omits it unless it is mandatory.
 */
function compile(
  schema: Schema,
  formatDateTime: FormatDateTime,
  service: Service,
  side: Printed,
  printBytes: PrintBytes,
): Content {
  const appendDateTime: Append = (text, value) => text + formatDateTime(value as number, 'ms');
  return walk<Content>(
    schema,
    {
      scalar(scalar) {
        if (scalar.kind === 'string' && scalar.markup === 'content')
          return { append: appendContent, hasAttributes: true };
        if (scalar.kind === 'binary') return printBytes(scalar);
        if (scalar.kind === 'string' && scalar.qualifiedName) return { append: appendName, hasAttributes: true };
        return {
          append: scalarAppend(scalar, appendText, appendDateTime),
          appendValue: scalarAppend(scalar, appendValue, appendDateTime),
        };
      },
      joined: () => ({ append: (text, value) => appendText(text, (value as string[]).join(',')) }),
      list(list, item) {
        if (holdsAnyElement(list)) {
          const append = compileItems({ before: '', append: appendMarkup, after: '' }, frame);
          return { append, repeat: () => append };
        }
        const itemOf = (element: string) => ({
          ...elementOf(element, item),
          nil: list.nullItems && `<${element} xsi:nil="true"/>`,
        });
        if (list.repeated) return { append: appendNothing, repeat: (element) => compileItems(itemOf(element), frame) };
        const element = qualify(service, itemNamespace(service, list), list.itemName);
        const append = compileItems(itemOf(element), frame);
        if (!list.anyItemName || side !== 'input') return { append };
        // Servers with SOAP encoding read the type of items here.
        const start = ` xmlns:soapenc="${encoding}" soapenc:arrayType="${itemType(service, list)}[`;
        return {
          append: (text, value) => append(`${text}${start}${(value as readonly unknown[]).length}]">`, value),
          hasAttributes: true,
        };
      },
      map({ entryName = 'entry' }) {
        // Those of xml-soap are in no namespace.
        const namespace = entryName === 'item' ? undefined : itemNamespace(service, {});
        return { append: compileEntries(entryName, (name) => qualify(service, namespace, name)) };
      },
      variants(schema, own, others) {
        const contentOf = variantChooser(schema, own, others);
        return { append: (text, value) => contentOf(value).append(text, value), hasAttributes: true };
      },
      self(object, whole) {
        const append: Append = (text, value) => whole().append(text, value);
        const hasAttributes = object.variants !== undefined || mayHaveAttributes(object);
        return { append, isSelf: true, ...(hasAttributes && { hasAttributes }) };
      },
      object: (object, members) => compileObject(object, members, { schema, service, side }),
    },
    contentsOf(service)(printBytes)(formatDateTime)(side),
  );
}

/** `schema`: of the message, whose own object is no type. */
interface PrintedMessage {
  readonly schema: Schema;
  readonly service: Service;
  readonly side: Printed;
}

function compileObject(
  object: ObjectSchema,
  members: readonly { readonly name: string; readonly part: Content }[],
  { schema, service, side }: PrintedMessage,
): Content {
  const attributeName = (prefix: string, name: string): string =>
    prefix === 'xml' ? `xml:${name}` : qualifyAttribute(service, prefix, name);
  const parts = new Map(members.map(({ name, part }) => [name, part]));
  // The content of an operation's element has no type that others share.
  const isMessage = object === schema && side !== 'fault' && elementAround(service, {}, side) === undefined;
  // The object of the header blocks is no type.
  const inOrder =
    (isMessage ? undefined : recordTypes(service).get(qualifiedName(object, service))?.members) ??
    membersOf(object, service);
  // Parts of the style rpc are in no namespace; those that are elements have their own.
  const isPart = isMessage && service.soapStyle === 'rpc';
  const all = inOrder
    .filter(({ isAttribute, isText }) => !isAttribute && !isText)
    .map(({ name, fields, isMandatory, isNillable, isEmptyInstead }) => {
      const namespace = elementNamespace(service, object, object.fields[name] ?? fields[0]!);
      const isPlain = isPart && fields[0]?.namespace === undefined;
      const element = qualify(service, isPlain ? undefined : namespace, name);
      const part = parts.get(name) ?? { append: appendNothing };
      const empty = isEmptyInstead ? emptyElement(element, part, fields[0]?.schema) : '';
      const instead = isNillable ? `<${element} xsi:nil="true"/>` : empty;
      const absent = side !== 'input' || isMandatory ? instead : '';
      if (part.repeat === undefined) return { name, element, ...elementOf(element, part), absent };
      // To a stub, a nil element is an item of a list.
      return { name, element, before: '', append: part.repeat(element), after: '', absent: '', isRepeated: true };
    });
  const isEmpty = new Set(side === 'input' ? [] : object.whenEmpty);
  const empty = all.map(({ name, element, absent }) => (isEmpty.has(name) ? `<${element}/>` : absent));
  const { textField, mixedField } = object;
  const asText = (name: string, within: Frame): Append => {
    const { append } = holdsName(object) ? { append: appendLocalName } : parts.get(name)!;
    return compileMembers([{ name, before: '', append, after: '' }], within);
  };
  const texts = { before: '', append: compileItems(textItem, frame), after: '', isRepeated: true };
  const inContent = mixedField === undefined ? all : [{ name: mixedField, ...texts }, ...all];
  if (textField !== undefined && holdsContent(object))
    return { append: asText(textField, { ...frame, empty: '>' }), hasAttributes: true };
  const append =
    textField === undefined
      ? compileOrdered(inContent, object, compileMembers(inContent, { ...frame, empty: empty.join('') }))
      : asText(textField, frame);
  if (!mayHaveAttributes(object)) return { append };
  const appendAttributes = compileAttributes(object, parts, attributeName, namedType(service, object));
  return { append: (text, value) => append(appendAttributes(text, value), value), hasAttributes: true };
}

const emptyLengthMax = 4_096;

/** With the elements that must be in it. */
function emptyElement(name: string, content: Content, schema: Schema | undefined): string {
  if (schema?.kind !== 'object' || schema.emptyObject === undefined || content.isSelf) return `<${name}/>`;
  const { before, append, after } = elementOf(name, content);
  const text = append(before, {}) + after;
  // Elements that must be in each other may be more than anyone reads.
  return text === `<${name}></${name}>` || text.length > emptyLengthMax ? `<${name}/>` : text;
}

const frame = { start: '', separator: '', end: '', empty: '' };
const textItem: Part = { before: '', append: appendText, after: '' };

interface ElementPart extends MemberPart {
  /** The value is a list, of which `append` prints each item. */
  readonly isRepeated?: boolean;
}

/** Prints elements in the order that a value says, where it says one, in their place among the others. */
function compileOrdered(members: readonly ElementPart[], schema: ObjectSchema, inOrder: Append): Append {
  const { orderField } = schema;
  if (orderField === undefined) return inOrder;
  const ordered = new Set(orderedNames(schema));
  const runs: ElementPart[][] = [];
  for (const [at, member] of members.entries()) {
    const isNext = at > 0 && ordered.has(member.name) && ordered.has(members[at - 1]!.name);
    if (isNext) runs.at(-1)!.push(member);
    else runs.push([member]);
  }
  return (text, value) => {
    const object = value as Readonly<Record<string, unknown>>;
    const order = object[orderField] as readonly string[] | undefined;
    if (order === undefined) return inOrder(text, value);
    return runs.reduce((printed, run) => appendRun(printed, run, object, order), text);
  };
}

/** Items that the order does not name come last. */
function appendRun(
  text: string,
  run: readonly ElementPart[],
  object: Readonly<Record<string, unknown>>,
  order: readonly string[],
): string {
  const open = new Map<string, { readonly part: ElementPart; readonly items: readonly unknown[]; next: number }>();
  for (const part of run) {
    const value = object[part.name];
    const items = value === undefined ? [] : part.isRepeated ? (value as readonly unknown[]) : [value];
    open.set(part.name, { part, items, next: 0 });
  }
  const append = (printed: string, { before, append, after, isRepeated }: ElementPart, item: unknown): string =>
    append(printed + before, isRepeated ? [item] : item) + after;
  let printed = text;
  for (const name of order) {
    const each = open.get(name);
    if (each === undefined || each.next === each.items.length) continue;
    printed = append(printed, each.part, each.items[each.next]);
    each.next += 1;
  }
  for (const { part, items, next } of open.values()) {
    if (items.length === 0) printed += part.absent ?? '';
    for (const item of items.slice(next)) printed = append(printed, part, item);
  }
  return printed;
}

function elementOf(name: string, { append, hasAttributes }: Content): Part {
  return { before: hasAttributes ? `<${name}` : `<${name}>`, append, after: `</${name}>` };
}

/** Attributes, and the end of the start tag. `type`: the qualified name of the object's type. */
function compileAttributes(
  schema: ObjectSchema,
  parts: ReadonlyMap<string, Content>,
  qualified: (prefix: string, name: string) => string,
  type: string,
): Append {
  const { attributes, fields, typeField, attributesField, textField } = schema;
  const members = attributes.map((name, at) => {
    const append = parts.get(name)?.appendValue ?? appendNothing;
    const prefix = fields[name]?.namespace ?? '';
    const written = prefix === '' ? name : qualified(prefix, name);
    const own = fields[name]?.schema;
    if (own?.kind === 'string' && own.qualifiedName)
      return { name, before: '', append: nameAttribute(written, `q${at}`), after: '' };
    return { name, before: ` ${written}="`, append, after: '"' };
  });
  if (textField !== undefined && holdsName(schema))
    members.push({
      name: textField,
      before: '',
      append: (text, value) => text + writtenName(value).declared,
      after: '',
    });
  if (typeField !== undefined)
    members.unshift({ name: typeField, before: ` xsi:type="${type}"`, append: appendNothing, after: '' });
  if (attributesField !== undefined)
    members.push({ name: attributesField, before: '', append: appendOtherAttributes, after: '' });
  return compileMembers(members, { ...frame, end: '>', empty: '>' });
}

function namedType(service: Service, { namespace = namespacesOf(service).own, name }: ObjectSchema): string {
  return namespace === '' ? name : qualifyAttribute(service, namespace, name);
}

const encoding = 'http://schemas.xmlsoap.org/soap/encoding/';

/** The type of the items of an encoded array. */
function itemType(service: Service, { item, xsd }: ListSchema): string {
  if (xsd !== undefined) return `xsd:${xsd}`;
  if (item.kind === 'object') return namedType(service, item);
  if (item.kind === 'integer') return item.min >= -(2 ** 31) && item.max < 2 ** 31 ? 'xsd:int' : 'xsd:long';
  const xsdTypes: Readonly<Record<string, string>> = { binary: 'base64Binary', enum: 'string' };
  return ['list', 'map'].includes(item.kind) ? 'xsd:anyType' : `xsd:${xsdTypes[item.kind] ?? item.kind}`;
}

/** The attributes of a canonical element without content. */
function appendOtherAttributes(text: string, value: unknown): string {
  return text + (value as string).replace(/^<[^\s/>]+|\/>$/g, '');
}

/** A name as its message has it, with the declaration of its prefix. */
function writtenName(value: unknown, prefix = 'q'): { readonly declared: string; readonly name: string } {
  const [, uri, local] = /^\{([^{}]+)\}(.*)$/s.exec(value as string) ?? [];
  if (uri === undefined || local === undefined) return { declared: '', name: escapeXml(value as string) };
  return { declared: ` xmlns:${prefix}="${escapeXmlAttribute(uri)}"`, name: `${prefix}:${escapeXml(local)}` };
}

/** The end of a start tag, and a name. */
function appendName(text: string, value: unknown): string {
  const { declared, name } = writtenName(value);
  return `${text}${declared}>${name}`;
}

function appendLocalName(text: string, value: unknown): string {
  return text + writtenName(value).name;
}

function nameAttribute(attribute: string, prefix: string): Append {
  return (text, value) => {
    const { declared, name } = writtenName(value, prefix);
    return `${text}${declared} ${attribute}="${name}"`;
  };
}

/** For a member of the type that values of this schema never have. */
function appendNothing(text: string): string {
  return text;
}

function compileEntries(entryName: string, nameOf: (name: string) => string): Append {
  const [entry, key, value] = [entryName, 'key', 'value'].map(nameOf);
  const beforeKey = `<${entry}><${key} xsi:type="xsd:string">`;
  const beforeValue = `</${key}><${value} xsi:type="xsd:string">`;
  const after = `</${value}></${entry}>`;
  return (text, entries) => {
    let printed = text;
    for (const [name, each] of Object.entries(entries as Readonly<Record<string, string>>)) {
      const named = appendText(printed + beforeKey, name);
      printed = appendText(named + beforeValue, each) + after;
    }
    return printed;
  };
}

/** The attributes and the content of a canonical element, without its names. */
function appendContent(text: string, value: unknown): string {
  const markup = value as string;
  const start = markup.search(/[\s/>]/);
  return text + (markup.endsWith('/>') ? `${markup.slice(start, -2)}>` : markup.slice(start, markup.lastIndexOf('</')));
}

/** A canonical element, or bytes in base64. */
function appendMarkup(text: string, value: unknown): string {
  return text + (value as string);
}

function appendText(text: string, value: unknown): string {
  return text + escapeXml(value as string);
}

function appendValue(text: string, value: unknown): string {
  return text + escapeXmlAttribute(value as string);
}
