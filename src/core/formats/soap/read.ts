/** The reader of SOAP elements: children in any order, by local name in any namespace of the interface. */
import {
  attributeMark,
  type Field,
  foreignMark,
  holdsContent,
  isRepeated,
  type ListSchema,
  type ObjectSchema,
  orderedNames,
  printableName,
  type Reader,
  type ScalarSchema,
  type Schema,
  type Service,
  type StringSchema,
  type VisitMember,
} from '../../contract/index.ts';
import {
  type Attribute,
  attribute,
  type Element,
  type ElementPlace,
  isBlank,
  isWithoutContent,
  resolvePrefix,
  type Scope,
  serialize,
  serializeContent,
  textOf,
  xsiUri,
} from '../../xml/index.ts';
import { malformedBody } from '../malformed-body.ts';
import { referenceAttributes } from './references.ts';

/** Callers use the namespaces of the interface interchangeably: older ones put `contract` in another one than newer ones. */
export type IsOfInterface = (element: Element) => boolean;

/** The namespaces of all services that are served. */
export function compileIsOfInterface(services: readonly Service[]): IsOfInterface {
  const uris = new Set(services.flatMap(({ namespaces }) => Object.values(namespaces?.uris ?? {})));
  return ({ namespace }) => uris.has(namespace);
}

/** Below the element of the operation, an element without a namespace belongs to the interface, too: SOAP::Lite qualifies no others. */
export function orUnqualified(isOfInterface: IsOfInterface): IsOfInterface {
  return (element) => element.namespace === '' || isOfInterface(element);
}

/** Answers of other servers: their members may be in any namespace, their items have any name, and types any names. */
export function createAnswerReader(): Reader<Element> {
  const reader = createReader(() => true, false);
  return Object.freeze({
    ...reader,
    // A nil element is no member, and a nil item is none of the contract: it is kept by its index.
    eachMember(element, visit, schema) {
      const counts = new Map<string, number>();
      const visitChild: VisitMember<Element> = (name, each) => {
        const list = schema.fields[name]?.schema;
        const isItem = list !== undefined && isRepeated(list);
        const index = isItem ? (counts.get(name) ?? 0) : 0;
        if (isItem) counts.set(name, index + 1);
        if (isNil(each)) {
          visitAttributes(isItem ? `${name}.${index}` : name, each, visit);
          if (keepsNil(list)) return visit(name, each);
          const isWholeList = index === 0 && element.children.findLast(({ local }) => local === each.local) === each;
          return !isItem || isWholeList || visit(`${name}.${index}`, each);
        }
        if (each.attributes.length > 0 || each.children.length > 0)
          visitStray(name, each, schema.fields[name]?.schema, visit);
        return visit(name, each);
      };
      if (element.attributes.length > 0 && schema.attributesField === undefined && !holdsContent(schema))
        for (const { namespace, local, value } of strayAttributes(element))
          if (namespace !== '' ? !schema.attributes.includes(local) : schema.attributes.length === 0)
            visit(attributeMark + local, valueIn(value));
      const type = schema.hasOtherTypes ? namedType(element) : undefined;
      if (type !== undefined && type !== schema.name) visit(`${attributeMark}type`, valueIn(type));
      return reader.eachMember(element, visitChild, schema);
    },
    items(element, schema) {
      const { text, children } = element;
      if (schema.repeated) return reader.items(element, schema);
      if (!isBlank(text) || !children.every(({ local }) => local === children[0]!.local)) return undefined;
      return schema.nullItems ? children : children.filter((each) => !isNil(each));
    },
  } satisfies Reader<Element>);
}

/** Attributes of a scalar, of a list, and of items that are scalars: no schema has them. Those of an object are its members. */
function visitStray(name: string, element: Element, schema: Schema | undefined, visit: VisitMember<Element>): void {
  if (schema === undefined || schema.kind === 'object' || (schema.kind === 'string' && schema.markup !== undefined))
    return;
  if (isRepeated(schema)) visitStray(name, element, schema.item, visit);
  else {
    visitAttributes(name, element, visit);
    if (schema.kind === 'list' && !schema.joined)
      for (const [at, each] of element.children.entries()) {
        if (isNil(each)) {
          visitAttributes(`${name}.${at}`, each, visit);
          if (!schema.nullItems) visit(`${name}.${at}`, each);
        } else visitStray(`${name}.${at}`, each, schema.item, visit);
      }
  }
}

function visitAttributes(name: string, element: Element, visit: VisitMember<Element>): void {
  for (const { local, value } of strayAttributes(element)) visit(`${name}.${attributeMark}${local}`, valueIn(value));
}

/** Those that are data: not of XML Schema, SOAP, security or media types, and no references. */
function strayAttributes({ attributes }: Element): readonly Attribute[] {
  return attributes.filter(({ namespace, local }) =>
    namespace === '' ? !referenceAttributes.includes(local) : !notData.has(namespace),
  );
}

/** `checksTypes`: whether an `xsi:type` has to name the type of the schema. */
export function createReader(isOfInterface: IsOfInterface, checksTypes = true): Reader<Element> {
  const typeName = checksTypes ? namedType : () => undefined;
  return Object.freeze({
    isAbsent: isNil,

    text(element, schema) {
      if (schema.kind === 'string' && schema.markup !== undefined) return markupOf(element, schema.markup);
      if (element.children.length > 0) return undefined;
      if (element.attached !== undefined && schema.kind === 'binary') return element.attached();
      const named = typeName(element);
      if (named !== undefined && !lexicalTypes.has(named) && !isTypeOf(schema, named)) return undefined;
      if (schema.kind === 'string' && schema.qualifiedName) return nameIn(element);
      // XSD allows blanks in base64, too.
      return schema.kind === 'binary' ? element.text.replace(/[\t\n\r ]+/g, '') : textOf(element);
    },

    token: (element) => element.text,

    eachMember(element, visit, schema) {
      const { textField, typeField, mixedField, orderField } = schema;
      if (textField !== undefined && holdsContent(schema)) {
        visit(textField, element);
        return true;
      }
      const named = typeField === undefined ? typeName(element) : undefined;
      if (schema.hasOtherTypes && named !== undefined && named !== schema.name && !structNames.has(named))
        throw malformedBody('type that the contract does not have', printableName(named));
      if (
        (textField === undefined && mixedField === undefined && !isBlank(element.text)) ||
        (named !== undefined && named !== schema.name && !structNames.has(named))
      )
        return false;
      const { anyField, fields } = schema;
      const nameOf = (each: Element) => {
        const isKnown = isOfInterface(each);
        if (anyField !== undefined && !(isKnown && Object.hasOwn(fields, each.local))) return anyField;
        return isKnown ? each.local : foreignMark + each.local;
      };
      if (typeField !== undefined) {
        const type = namedType(element);
        if (type !== undefined && !structNames.has(type) && !visit(typeField, valueIn(type, element))) return true;
      }
      const order: string[] = [];
      for (const each of partsOf(element, mixedField)) {
        const name = typeof each === 'string' ? mixedField! : nameOf(each);
        if (checksTypes && typeof each !== 'string') refuseNil(each, schema.fields[name]?.schema);
        if (!visit(name, typeof each === 'string' ? valueIn(each, element) : placed(each, schema))) return true;
        if (orderField !== undefined) order.push(name);
      }
      if (orderField !== undefined) visitOrder(order, visit, schema, orderField);
      const mayHaveNoBytes = textField !== undefined && fields[textField]?.schema.kind === 'binary';
      if (textField !== undefined && (element.text !== '' || element.attached !== undefined || mayHaveNoBytes))
        visit(textField, valueIn(element.text, element, element.attached));
      if (schema.attributes.length > 0) eachAttribute(element, visit, schema);
      if (schema.attributesField !== undefined) visitOthers(element, visit, schema, schema.attributesField);
      return true;
    },

    items(element, schema) {
      if (schema.repeated) return repeatedItems(element.children, schema);
      if (!isBlank(element.text)) return undefined;
      if (checksTypes) for (const each of element.children) refuseNil(each, schema.item);
      const all =
        schema.anyItemName || element.children.every((each) => each.local === schema.itemName && isOfInterface(each));
      return all ? element.children : undefined;
    },

    gather(list, item) {
      const children = list?.children ?? [];
      (children as Element[]).push(item);
      return list ?? { ...emptyValue, local: item.local, children, ...(item.place && { place: item.place }) };
    },

    isEmpty,

    eachEntry(element, visit) {
      const named = typeName(element);
      if (!isBlank(element.text) || (named !== undefined && !mapNames.has(named))) return false;
      const mayHaveItems = named !== typeWithEntries && element.children[0]?.local === itemsOfMap;
      const entryName = mayHaveItems ? itemsOfMap : 'entry';
      for (const entry of element.children) {
        const key = onlyChild(entry, 'key');
        const value = onlyChild(entry, 'value');
        const parts = (key ? 1 : 0) + (value ? 1 : 0);
        if (entry.local !== entryName || !key || value === false || parts !== entry.children.length) return false;
        if (key.children.length > 0 || !isBlank(entry.text)) return false;
        // The prefix of a name means nothing in a text.
        if (namedType(key) === 'QName' || (value && namedType(value) === 'QName')) return false;
        visit(key.text, value ?? emptyValue);
      }
      return true;
    },

    place: (element) => element.place,
  } satisfies Reader<Element>);
}

/** Stubs write an array that is null as one item that is nil, and others as an empty one, unless that is a value. */
function repeatedItems(items: readonly Element[], { item, nullItems }: ListSchema): readonly Element[] {
  if (nullItems || (item.kind === 'string' && item.markup !== undefined)) return items;
  const [first] = items;
  if (isValueEmpty(item)) return items.filter((each) => !isNil(each));
  const holdsText = item.kind === 'object' ? item.textField !== undefined : item.kind !== 'list';
  const isBlankItem = holdsText ? isWithoutContent : isEmpty;
  const isNothing = items.length === 1 && !hasAttribute(first!) && isBlankItem(first!);
  return isNothing ? [] : items.filter((each) => !isNil(each));
}

function hasAttribute({ attributes, children }: Element): boolean {
  return attributes.length > 0 || children.some(hasAttribute);
}

/** Whether an empty element is a value of the schema. */
function isValueEmpty(schema: Schema): boolean {
  if (schema.kind === 'object') return schema.emptyObject !== undefined;
  if (schema.kind === 'string') return schema.emptyString !== undefined;
  return (schema.kind === 'binary' || (schema.kind === 'list' && !schema.joined)) && schema.whenEmpty !== undefined;
}

function markupOf(element: Element, markup: NonNullable<StringSchema['markup']>): string {
  return markup === 'any' || markup === 'other' ? serialize(element) : serializeContent(element);
}

/** An element in the place of an attribute or of the text: it is made one without a text, which is what every format refuses. */
function placed(element: Element, { attributes, textField, typeField, attributesField }: ObjectSchema): Element {
  const isOther = [textField, typeField, attributesField].includes(element.local);
  if (!attributes.includes(element.local) && !isOther) return element;
  if (isNil(element)) return element;
  return { ...element, children: [element] };
}

/** Refuses a nil element whose attributes are members of an object: they would be lost. */
function refuseNil(element: Element, schema: Schema | undefined): void {
  if (element.attributes.length < 2 || !isNil(element)) return;
  const object = schema?.kind === 'list' && !schema.joined ? schema.item : schema;
  const isLost = object?.kind === 'object' && element.attributes.some(({ local }) => object.attributes.includes(local));
  if (isLost) throw malformedBody('nil with attributes', printableName(element.local));
}

/** The elements of an element, and the texts between them where the contract has these. */
function partsOf({ text, children, mixed }: Element, mixedField: string | undefined): readonly (string | Element)[] {
  if (mixedField === undefined || isBlank(text)) return children;
  return (mixed ?? [text]).filter((part) => typeof part !== 'string' || !isBlank(part));
}

/** `names`: of the parts of the element. Those in the order of the contract say nothing. */
function visitOrder(
  names: readonly string[],
  visit: VisitMember<Element>,
  schema: ObjectSchema,
  orderField: string,
): void {
  const known = orderedNames(schema);
  const ordered = names.filter((name) => known.includes(name));
  const isOther = ordered.some((name, at) => at > 0 && known.indexOf(name) < known.indexOf(ordered[at - 1]!));
  if (!isOther) return;
  visit(orderField, { ...emptyValue, children: ordered.map((name) => ({ ...valueIn(name), local: orderField })) });
}

function keepsNil(list: Schema | undefined): boolean {
  return list?.kind === 'list' && !list.joined && list.nullItems === true;
}

/** The text as a name with its namespace. One with an undeclared prefix stays as it is. */
function nameIn({ text, scope }: Element): string {
  const [, prefix = '', local] = /^\s*(?:([^\s:{}]+):)?([^\s:{}]+)\s*$/.exec(text) ?? [];
  const uri = resolvePrefix(scope, prefix) ?? (prefix === '' ? '' : undefined);
  if (local === undefined || uri === undefined) return text.trim();
  return uri === '' ? local : `{${uri}}${local}`;
}

function eachAttribute(element: Element, visit: VisitMember<Element>, schema: ObjectSchema): void {
  const { attributes, place: own } = element;
  for (const { namespace, local, value, place } of attributes) {
    const isField = schema.attributes.includes(local) && (namespace !== '') === isQualified(schema.fields[local]);
    if (namespace !== '' && !isField) continue;
    if (!isField && (referenceAttributes.includes(local) || schema.attributesField !== undefined)) continue;
    visit(
      isField ? local : attributeMark + local,
      valueIn(value, { ...element, place: own && place && { ...own, value: place, name: place } }),
    );
  }
}

/** All attributes that are no fields, save those of XML Schema, in an element without content. */
function visitOthers(
  { attributes, place }: Element,
  visit: VisitMember<Element>,
  schema: ObjectSchema,
  field: string,
): void {
  const others = attributes.filter(
    ({ namespace, local }) =>
      namespace !== xsiUri &&
      !(schema.attributes.includes(local) && (namespace !== '') === isQualified(schema.fields[local])),
  );
  if (others.length === 0) return;
  visit(field, { ...emptyValue, local: 'attributes', attributes: others, ...(place && { place }) });
}

function isQualified(field: Field | undefined): boolean {
  return (field?.namespace ?? '') !== '';
}

function isEmpty(element: Element): boolean {
  const { text, children, attached } = element;
  const hasValue = strayAttributes(element).some(({ value }) => !isBlank(value));
  return attached === undefined && isBlank(text) && !hasValue && children.every(isEmpty);
}

/** A nil element is absent, so it may not have content: the content would be lost. */
export function isNil(element: Element): boolean {
  if (element.attributes.length === 0 || !isTrue(attribute(element, xsiUri, 'nil'))) return false;
  if (!isWithoutContent(element)) throw malformedBody('nil with content', printableName(element.local));
  return true;
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** Namespaces whose attributes say how an element is written. */
const notData: ReadonlySet<string> = new Set([
  xsiUri,
  'http://schemas.xmlsoap.org/soap/envelope/',
  'http://www.w3.org/2003/05/soap-envelope',
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://www.w3.org/2005/05/xmlmime',
  'http://www.w3.org/2004/11/xmlmime',
]);

/** The local name of xsi:type, if the element has one. */
function namedType(element: Element): string | undefined {
  return element.attributes.length === 0 ? undefined : attribute(element, xsiUri, 'type')?.replace(/^.*:/, '');
}

/**
 * Types of XML Schema whose values are written as themselves. Stubs choose one by the look of a value, such as `xsd:int` for a
 * reference of digits, so the text counts and not the type. The text of a binary type is an encoding of its value.
 */
const lexicalTypes: ReadonlySet<string> = new Set([
  ...['anyType', 'anySimpleType', 'string', 'normalizedString', 'token', 'anyURI', 'boolean'],
  ...['decimal', 'float', 'double', 'integer', 'long', 'int', 'short', 'byte'],
  ...['nonNegativeInteger', 'positiveInteger', 'nonPositiveInteger', 'negativeInteger'],
  ...['unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte'],
  ...['dateTime', 'date', 'time', 'gYear', 'gYearMonth', 'gMonth', 'gMonthDay', 'gDay'],
]);

/** Whether the type belongs to the schema alone. `base64` is a type of SOAP encoding. */
function isTypeOf(schema: ScalarSchema, named: string): boolean {
  if (schema.kind === 'binary') return named === 'base64Binary' || named === 'base64';
  return schema.kind === 'enum' && named === schema.name;
}

/** Types of any object: PHP without a WSDL writes `Struct`, SOAP::Lite before 1.0 `SOAPStruct`. */
const structNames: ReadonlySet<string> = new Set(['Struct', 'SOAPStruct', 'anyType']);

/** The type of the built-in interface. */
const typeWithEntries = 'anyType2anyTypeMap';
const mapNames: ReadonlySet<string> = new Set([typeWithEntries, 'Map', 'anyType']);

/** The entries of a Map, the type of xml-soap that PHP and Axis write, are items. */
const itemsOfMap = 'item';

const emptyValue: Element = Object.freeze({ namespace: '', local: 'value', attributes: [], children: [], text: '' });

/** A value that is no element. */
function valueIn(text: string, of: ValuePlace = {}, attached?: Element['attached']): Element {
  const { place, scope } = of;
  return {
    ...emptyValue,
    text,
    ...(scope !== undefined && { scope }),
    ...(place !== undefined && { place }),
    ...(attached !== undefined && { attached }),
  };
}

/** Where a value is that is no element. */
interface ValuePlace {
  readonly place?: ElementPlace | undefined;
  readonly scope?: Scope | undefined;
}

/** False if there are two. */
function onlyChild(element: Element, local: string): Element | undefined | false {
  let found: Element | undefined;
  for (const each of element.children)
    if (each.local === local) {
      if (found !== undefined) return false;
      found = each;
    }
  return found;
}
