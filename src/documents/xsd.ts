/** Derives XSD 1.0 schemas of a service, one for each namespace, in a style that the oldest stub generators accept. */
import {
  elementAround,
  elementName,
  elementPrefix,
  isTypedMessage,
  namedOperations,
  namespacesOf,
  type Operation,
  type Service,
  sidesOf,
  uriOf,
} from '../core/contract/index.ts';
import { type Attributes, printDocument, type Tag, tag } from './xml-document.ts';
import {
  type Attribute,
  collectTypes,
  type Element,
  type EnumerationType,
  type FaultNames,
  type GlobalElement,
  localName,
  messageKey,
  namespaceOf,
  type RecordContent,
  swaRef,
  swaRefUri,
  type Types,
  type TypeUse,
} from './xsd-types.ts';

const xmlUri = 'http://www.w3.org/XML/1998/namespace';
export const xsdUri = 'http://www.w3.org/2001/XMLSchema';

/** The address of the schema of a namespace; undefined if it is in the same document. */
type Locate = (prefix: string) => string | undefined;

/** The schemas as tags: the service's own namespace first, then those that it imports. */
export function schemaTags(service: Service, locate: Locate): ReadonlyMap<string, Tag> {
  const types = collectTypes(service);
  const { own } = namespacesOf(service);
  const fault = faultTypes(service, types.fault);
  const isRpc = service.soapStyle === 'rpc';
  const records: readonly (readonly [string, RecordContent])[] = [...types.records, fault.record];
  const enumerations = [...types.enumerations, ...Object.entries(fault.enumerations)];

  const partsOf = (namespace: string): readonly Tag[] => {
    const here = ([name]: readonly [string, unknown]) => namespaceOf(name) === namespace;
    return [
      ...records
        .filter(here)
        .map(([name, content]) => recordType(localName(name), content, types.records.get(content.base ?? ''))),
      ...enumerations.filter(here).map(([name, values]) => enumerationType(localName(name), values)),
      ...[...types.globalAttributes]
        .filter(here)
        .map(([name, type]) => declaration('xsd:attribute', type, (each) => ({ name: localName(name), type: each }))),
      ...[...types.groups]
        .filter(here)
        .map(([name, item]) => tag('xsd:group', { name: localName(name) }, tag('xsd:sequence', {}, element(item)))),
      ...[...types.lists].filter(here).map(([name, item]) => complexType(localName(name), element(item, 'unbounded'))),
      ...[...types.globals]
        .filter((each) => here(each) && (isRpc || !types.messages.has(each[0])))
        .map(([name, type]) => globalElement(localName(name), type)),
      ...Object.entries({ entry: types.map, item: types.itemMap }).flatMap(([entryName, type]) =>
        type !== undefined && namespaceOf(type) === namespace ? [mapType(localName(type), entryName)] : [],
      ),
      ...(namespace === own
        ? [tag('xsd:element', { name: localName(types.fault.element), type: types.fault.record })]
        : []),
      ...messages(service, types, namespace),
    ];
  };

  const used = new Set<string>([
    own,
    ...[...records, ...enumerations, ...types.lists, ...types.groups, ...types.globals, ...types.globalAttributes].map(
      ([name]) => namespaceOf(name),
    ),
    ...elementNamespaces(service),
  ]);
  const schemas = new Map(
    [...used].map((namespace) => [namespace, schema(service, namespace, partsOf(namespace), locate)]),
  );
  const refers = [...schemas.values()].some((each) => hasAttribute(each, `xmlns:${swaRefPrefix}`));
  if (refers) schemas.set(swaRefPrefix, swaRefSchema);
  const xmlAttributes = new Set(
    [...schemas.values()].flatMap((each) => usesOf([each])).filter((name) => namespaceOf(name) === 'xml'),
  );
  if (xmlAttributes.size > 0) schemas.set('xml', xmlSchema([...xmlAttributes].map(localName).sort()));
  return schemas;
}

/** The schemas as documents that import one another where `locate` says. */
export function deriveXsd(service: Service, locate: Locate): ReadonlyMap<string, string> {
  return new Map([...schemaTags(service, locate)].map(([namespace, root]) => [namespace, printDocument(root)]));
}

/** The types of a typed fault. Faults are sent without detail, which these types allow. */
function faultTypes(service: Service, { record, error, type }: FaultNames) {
  const { fault: { errors } = { errors: ['Unknown'] } } = namespacesOf(service);
  const base = 'xsd:string';
  const enumerations: Readonly<Record<string, EnumerationType>> = {
    [error]: { values: errors, base },
    [type]: { values: faultTypeValues, base },
  };
  const elements: readonly Element[] = [
    { name: 'error', type: { name: error }, isMandatory: false, isNillable: true },
    { name: 'type', type: { name: type }, isMandatory: false, isNillable: true },
  ];
  return { record: [record, { elements, attributes: [] }] as const, enumerations };
}

/** The values of the type of a typed fault. */
export const faultTypeValues: readonly string[] = ['internal', 'validation', 'security', 'configuration'];

function restriction(...facets: readonly Tag[]): Tag {
  return tag('xsd:restriction', { base: 'xsd:string' }, ...facets);
}

/** A declaration of a type: one with lengths restricts it in itself. `attributes`: with the type that it names. */
function declaration(
  name: 'xsd:element' | 'xsd:attribute',
  { name: typeName, lengths }: TypeUse,
  attributes: (type: string | undefined) => Attributes,
  doc?: string,
): Tag {
  if (lengths === undefined) return tag(name, attributes(typeName), ...documentation(doc));
  const { min, max } = lengths;
  const facets = [
    ...(min > 0 ? [tag('xsd:minLength', { value: String(min) })] : []),
    tag('xsd:maxLength', { value: String(max) }),
  ];
  const narrowed = tag('xsd:simpleType', {}, restriction(...facets));
  return tag(name, attributes(undefined), ...documentation(doc), narrowed);
}

function element(declared: Element, maxOccurs = declared.isRepeated ? 'unbounded' : undefined): Tag {
  const { name, type, isMandatory, isNillable, form, reference, group, mediaType, doc } = declared;
  if (group !== undefined) return tag('xsd:group', { ref: group });
  const minOccurs = isMandatory ? '1' : '0';
  if (declared.wildcard !== undefined)
    return tag('xsd:any', {
      maxOccurs: declared.isRepeated ? 'unbounded' : undefined,
      minOccurs,
      namespace: declared.wildcard,
      processContents: 'lax',
    });
  if (reference !== undefined)
    return tag('xsd:element', { maxOccurs, minOccurs, ref: reference }, ...documentation(doc));
  const nillable = isNillable ? 'true' : undefined;
  const occurs = { form, maxOccurs, minOccurs, name, nillable, [expectedTypes]: mediaType };
  return declaration('xsd:element', type, (typeName) => ({ ...occurs, type: typeName }), doc);
}

/** One that types of other namespaces, or faults, refer to. */
function globalElement(name: string, { type, isNillable }: GlobalElement): Tag {
  const nillable = isNillable ? 'true' : undefined;
  return declaration('xsd:element', type, (typeName) => ({ name, nillable, type: typeName }));
}

function documentation(text = ''): readonly Tag[] {
  return text === '' ? [] : [tag('xsd:annotation', {}, tag('xsd:documentation', {}, text))];
}

function complexType(name: string | undefined, ...elements: readonly Tag[]): Tag {
  return tag('xsd:complexType', { name }, tag('xsd:sequence', {}, ...elements));
}

/** `extended`: the type of its base. */
function recordType(name: string | undefined, content: RecordContent, extended?: RecordContent): Tag {
  const { text, elements, attributes, base, isAbstract } = content;
  const others = (inherited: RecordContent | undefined) =>
    content.hasOtherAttributes && !inherited?.hasOtherAttributes
      ? [tag('xsd:anyAttribute', { namespace: '##any', processContents: 'lax' })]
      : [];
  const head = { abstract: isAbstract && 'true', mixed: content.isMixed && 'true', name };
  if (extended !== undefined) {
    const own = attributes.filter((each) => !extended.attributes.some((other) => other.name === each.name));
    const sequence = tag('xsd:sequence', {}, ...particles(elements.slice(extended.elements.length), content));
    const extension = tag('xsd:extension', { base }, sequence, ...own.map(attribute), ...others(extended));
    return tag('xsd:complexType', head, tag('xsd:complexContent', {}, extension));
  }
  if (text !== undefined) {
    const extension = tag('xsd:extension', { base: text.name }, ...attributes.map(attribute), ...others(undefined));
    return tag('xsd:complexType', { name }, tag('xsd:simpleContent', {}, extension));
  }
  return tag(
    'xsd:complexType',
    head,
    tag('xsd:sequence', {}, ...particles(elements, content)),
    ...attributes.map(attribute),
    ...others(undefined),
  );
}

/** The elements in their order. Those that may be mixed are a choice that repeats; between others there may be text alone. */
function particles(elements: readonly Element[], { ordered = [], isMixed }: RecordContent): readonly Tag[] {
  const mixable = elements.filter(({ name }) => ordered.includes(name));
  const isChoice = mixable.length > 1 && (isMixed !== true || mixable.every(({ isRepeated }) => isRepeated));
  const tags: Tag[] = [];
  const open: Tag[] = [];
  const close = (): void => {
    if (open.length > 0) tags.push(tag('xsd:choice', { maxOccurs: 'unbounded', minOccurs: '0' }, ...open.splice(0)));
  };
  for (const each of elements)
    if (isChoice && mixable.includes(each)) open.push(element({ ...each, isMandatory: true, isRepeated: false }));
    else {
      close();
      tags.push(element(each));
    }
  close();
  return tags;
}

/** Its form is declared, whatever the default of the schema is. */
function attribute({ name, type, isRequired, isQualified, reference, doc }: Attribute): Tag {
  const use = isRequired ? 'required' : 'optional';
  if (reference !== undefined) return tag('xsd:attribute', { ref: reference, use }, ...documentation(doc));
  const form = isQualified ? 'qualified' : 'unqualified';
  return declaration('xsd:attribute', type, (typeName) => ({ form, name, type: typeName, use }), doc);
}

function enumerationType(name: string, { values, base }: EnumerationType): Tag {
  const facets = values.map((value) => tag('xsd:enumeration', { value }));
  return tag('xsd:simpleType', { name }, tag('xsd:restriction', { base }, ...facets));
}

function mapType(name: string, entryName: string): Tag {
  const form = entryName === 'item' ? 'unqualified' : undefined;
  const half = (part: string) =>
    tag('xsd:element', { form, maxOccurs: '1', minOccurs: '0', name: part, type: 'xsd:anyType' });
  const entry = tag(
    'xsd:element',
    { form, maxOccurs: 'unbounded', minOccurs: '0', name: entryName },
    complexType(undefined, half('key'), half('value')),
  );
  return complexType(name, entry);
}

/** The prefixes of the elements of messages. */
export function elementNamespaces(service: Service): readonly string[] {
  if (service.soapStyle === 'rpc') return [];
  const { own } = namespacesOf(service);
  return namedOperations(service).flatMap((each) =>
    (['input', 'output'] as const)
      .filter((side) => elementName(each, side) !== '')
      .map((side) => elementPrefix(each, side) ?? own),
  );
}

/** The elements of the operations in one namespace: document/literal, wrapped. */
function messages(service: Service, types: Types, namespace: string): readonly Tag[] {
  // Its messages have parts with types.
  if (service.soapStyle === 'rpc') return [];
  const { own } = namespacesOf(service);
  const message = (name: string, side: 'input' | 'output', operation: Operation): Tag => {
    const part = elementAround(service, operation, side);
    const schema = operation[side];
    if (isTypedMessage(operation, side, service)) return tag('xsd:element', { name, type: types.typeOf(schema) });
    if (part === undefined) {
      const content = types.messages.get(messageKey(operation, side, service))!;
      const { text, attributes } = content;
      if (text !== undefined && attributes.length === 0 && !content.hasOtherAttributes)
        return declaration('xsd:element', text, (type) => ({ name, type }));
      return tag('xsd:element', { name }, recordType(undefined, content));
    }
    const type = types.typeOf(schema);
    const fields = tag('xsd:element', { maxOccurs: '1', minOccurs: '1', name: part, nillable: 'true', type });
    return tag('xsd:element', { name }, complexType(undefined, fields));
  };
  const elements = new Map<string, Tag>();
  for (const operation of namedOperations(service))
    for (const side of sidesOf(operation)) {
      const name = elementName(operation, side);
      if (name !== '' && (elementPrefix(operation, side) ?? own) === namespace && !elements.has(name))
        elements.set(name, message(name, side, operation));
    }
  return [...elements.values()];
}

function usesOf(tags: readonly Tag[]): readonly string[] {
  return tags.flatMap(({ attributes, children }) => [
    ...[attributes.type, attributes.ref, attributes.base].filter((name) => name !== undefined),
    ...usesOf(children.filter((child) => typeof child !== 'string')),
  ]);
}

/** Announces the media type of bytes to stub generators. */
const expectedTypes = 'xmime:expectedContentTypes';

/** Of the type of texts that name parts. */
const swaRefPrefix = namespaceOf(swaRef);

/** The schema of its namespace, for a document that has all schemas. */
const swaRefSchema = tag(
  'xsd:schema',
  { 'xmlns:xsd': xsdUri, targetNamespace: swaRefUri },
  tag('xsd:simpleType', { name: localName(swaRef) }, tag('xsd:restriction', { base: 'xsd:anyURI' })),
);

/** The attributes such as `xml:lang`: a program that reads the WSDL need not fetch their schema. */
function xmlSchema(names: readonly string[]): Tag {
  const attributes = names.map((name) => tag('xsd:attribute', { name, type: 'xsd:string' }));
  return tag('xsd:schema', { 'xmlns:xsd': xsdUri, targetNamespace: xmlUri }, ...attributes);
}

function hasAttribute({ attributes, children }: Tag, name: string): boolean {
  return (
    attributes[name] !== undefined || children.some((each) => typeof each !== 'string' && hasAttribute(each, name))
  );
}

/** Names in no namespace have no prefix. */
function withoutEmptyPrefixes({ name, attributes, children }: Tag): Tag {
  const written = Object.entries(attributes).map(([key, value]) => [
    key,
    ['type', 'ref', 'base'].includes(key) ? value.replace(/^:/, '') : value,
  ]);
  const inside = children.map((each) => (typeof each === 'string' ? each : withoutEmptyPrefixes(each)));
  return { name, attributes: Object.fromEntries(written), children: inside };
}

function schema(service: Service, namespace: string, parts: readonly Tag[], locate: Locate): Tag {
  const used = new Set(usesOf(parts).map(namespaceOf));
  const isUsed = (attribute: string) => parts.some((each) => hasAttribute(each, attribute));
  const others = [...used]
    .filter((each) => (each === '' || Object.hasOwn(namespacesOf(service).uris, each)) && each !== namespace)
    .sort();
  const prefixes = [namespace, ...others]
    .filter((each) => each !== '')
    .map((each) => [`xmlns:${each}`, uriOf(service, each)]);
  return tag(
    'xsd:schema',
    {
      'xmlns:xsd': xsdUri,
      ...Object.fromEntries(prefixes),
      ...(isUsed(expectedTypes) && { 'xmlns:xmime': 'http://www.w3.org/2005/05/xmlmime' }),
      ...(used.has(swaRefPrefix) && { [`xmlns:${swaRefPrefix}`]: swaRefUri }),
      targetNamespace: uriOf(service, namespace) || undefined,
      elementFormDefault: namespacesOf(service).unqualified?.includes(namespace) ? 'unqualified' : 'qualified',
      attributeFormDefault: 'qualified',
    },
    ...(used.has('xml') ? [tag('xsd:import', { namespace: xmlUri })] : []),
    ...(used.has(swaRefPrefix)
      ? [tag('xsd:import', { namespace: swaRefUri, schemaLocation: locate(swaRefPrefix) })]
      : []),
    ...others.map((each) =>
      tag('xsd:import', { namespace: uriOf(service, each) || undefined, schemaLocation: locate(each) }),
    ),
    ...parts.map(withoutEmptyPrefixes),
  );
}
