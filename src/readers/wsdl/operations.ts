/** Reads the operations of a port: the elements or the parts of their messages, and their faults. */

import {
  binary,
  type Field,
  isMediaType,
  isScalar,
  isSoapAction,
  type MessageElements,
  type ObjectSchema,
  type Operation,
  object,
  optional,
  required,
} from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { bytesMax, capitalised, UniqueNames } from '../../documents/index.ts';
import type { ComplexTypes } from './complex-types.ts';
import type { Definitions, Port } from './definitions.ts';
import { type FindingCollector, Refused } from './findings.ts';
import {
  childNamed,
  childrenNamed,
  docOf,
  keyOf,
  mimeUri,
  nameIn,
  nameOf,
  type QName,
  soap12Uri,
  wsdlUri,
  xsdUri,
} from './names.ts';
import type { Prefixes } from './prefixes.ts';
import type { Declared } from './schema-index.ts';

type Style = 'document' | 'rpc';

/** An operation of the port, with the elements of its messages. */
export interface PortOperation {
  readonly name: string;
  readonly doc: string;
  readonly element: LocatedElement;
  readonly style: Style;
  readonly input: Message;
  readonly output: Message;
  readonly faults: readonly PortFault[];
  readonly soapAction: Operation['soapAction'];
  readonly replyAction: string | undefined;
  readonly isOneWay: boolean;
}

export interface PortFault {
  readonly name: string;
  /** The name of the element in its detail. */
  readonly element: QName | undefined;
}

interface Message {
  /** The element in the Body; without a name where the parts are elements of the Body. */
  readonly name: QName;
  /** The message in the WSDL. */
  readonly element: LocatedElement;
  readonly parts: readonly LocatedElement[];
  /** The elements of its header. */
  readonly headers?: readonly QName[];
  /** Parts beside the envelope, to which nothing refers. */
  readonly attachments?: readonly AttachedPart[];
  /** Parts that are elements with a reference to their bytes. */
  readonly referring?: ReadonlySet<LocatedElement>;
}

/** A part of a message that is sent beside the envelope. */
interface AttachedPart {
  readonly part: LocatedElement;
  readonly mediaType: string | undefined;
}

/** The operations that the port has, with the messages as they are declared. */
export function readPortOperations(
  definitions: Definitions,
  port: Port,
  findings: FindingCollector,
): readonly PortOperation[] {
  const read: PortOperation[] = [];
  const names = new UniqueNames();
  const byName: OperationsByName = {
    declared: operationsIn(port.portType),
    inOtherVersion: port.other === undefined ? new Map() : operationsIn(port.other.binding),
  };
  for (const bound of childrenNamed(port.binding, wsdlUri, 'operation'))
    findings.attempt(`the operation ${String(bound.attributes.get('name'))} is left out`, () => {
      const operation = readOperation(definitions, port, bound, byName, findings);
      const { name, input } = operation;
      const { local } = input.name;
      if ((local !== '' || input.parts.length === 0) && read.some((other) => isSameRequest(operation, other)))
        throw new Refused(
          bound,
          `another operation has ${local === '' ? 'no element, either,' : `the element ${local},`} and no other SOAPAction`,
        );
      const unique = names.take(name);
      if (unique !== name) findings.add('changed', bound, `another operation is called ${name}; this one is ${unique}`);
      read.push({ ...operation, name: unique });
    });
  return read;
}

/** Whether nothing in a request tells two operations apart. */
function isSameRequest(one: PortOperation, other: PortOperation): boolean {
  const actions = ({ soapAction = '' }: PortOperation) =>
    typeof soapAction === 'string' ? [soapAction, soapAction] : [soapAction.soap11, soapAction.soap12];
  const [first, second] = [actions(one), actions(other)];
  const isSameBody =
    keyOf(one.input.name) === keyOf(other.input.name) &&
    (one.input.parts.length === 0) === (other.input.parts.length === 0);
  return isSameBody && first.some((action, at) => action === second[at]);
}

/** The operations of a port type and of the binding for the other version of SOAP, by name. */
interface OperationsByName {
  readonly declared: ReadonlyMap<string, readonly LocatedElement[]>;
  readonly inOtherVersion: ReadonlyMap<string, readonly LocatedElement[]>;
}

function operationsIn(around: LocatedElement): ReadonlyMap<string, readonly LocatedElement[]> {
  return Map.groupBy(childrenNamed(around, wsdlUri, 'operation'), nameOf);
}

/** The one of several operations with one name whose input is called the same. */
function overloadOf(bound: LocatedElement, among: readonly LocatedElement[] = []): LocatedElement | undefined {
  const inputOf = (each: LocatedElement) => childNamed(each, wsdlUri, 'input')?.attributes.get('name');
  return among.find((each) => inputOf(each) === inputOf(bound)) ?? among[0];
}

function readOperation(
  definitions: Definitions,
  port: Port,
  bound: LocatedElement,
  { declared, inOtherVersion }: OperationsByName,
  findings: FindingCollector,
): PortOperation {
  const name = nameOf(bound);
  const element = overloadOf(bound, declared.get(name));
  if (element === undefined) throw new Refused(bound, 'the port type has no such operation');
  if (!/^[\p{L}_][\p{L}\p{N}._-]{0,127}$/u.test(name)) throw new Refused(bound, 'a path of JSON cannot have the name');
  const style = styleOf(port, bound);
  const side = (which: 'input' | 'output'): Message | undefined => {
    const named = childNamed(element, wsdlUri, which);
    const message = named && definitions.named('message', named, 'message');
    if (named !== undefined && message === undefined) throw new Refused(named, 'its message is not declared');
    if (message === undefined) return undefined;
    const inBinding = childNamed(bound, wsdlUri, which) ?? bound;
    const body = bodyOf(inBinding, port.soap);
    const headers = headersOf(definitions, inBinding, port.soap, findings);
    const { attributes } = body ?? bound;
    if (attributes.get('use') === 'encoded')
      findings.addOnce(
        'changed',
        body ?? bound,
        'messages are encoded: requests are read so, answers are literal and without xsi:type',
      );
    const chosen = attributes.get('parts')?.trim().split(/\s+/);
    const all = childrenNamed(message, wsdlUri, 'part');
    const attached = attachedParts(all, inBinding, findings);
    // Encoded messages have an element that refers to the attachment.
    const isReferring = (part: LocatedElement) =>
      style === 'rpc' && attributes.get('use') === 'encoded' && attached.has(part);
    const isInBody = (part: LocatedElement) => !headers.parts.has(part) && (!attached.has(part) || isReferring(part));
    const parts = all.filter((part) => (chosen === undefined ? isInBody(part) : chosen.includes(nameOf(part))));
    const nameless = style === 'rpc' ? parts.find((part) => nameOf(part) === '') : undefined;
    if (nameless !== undefined) throw new Refused(nameless, 'the part has no name, which would be that of an element');
    const attachments = [...attached].flatMap(([part, mediaType]) =>
      parts.includes(part) ? [] : [{ part, mediaType }],
    );
    const beside = {
      headers: headers.names,
      attachments,
      referring: new Set(parts.filter((part) => attached.has(part))),
    };
    const local = which === 'input' ? name : `${name}Response`;
    if (style === 'rpc')
      return {
        name: { uri: attributes.get('namespace') ?? '', local },
        element: message,
        parts,
        ...beside,
      };
    const [part, ...others] = parts;
    const partElement = part && nameIn(part, 'element');
    const isOne = partElement !== undefined && others.length === 0;
    const shared = isOne ? partElement : { uri: '', local: '' };
    return { name: shared, element: message, parts, ...beside };
  };
  const input = side('input');
  if (input === undefined) throw new Refused(element, 'an operation that the server begins');
  const answer = side('output');
  const output = answer ?? { name: { uri: input.name.uri, local: `${name}Response` }, element, parts: [] };
  return {
    name,
    doc: docOf(element) || docOf(bound),
    element,
    isOneWay: answer === undefined,
    style,
    input,
    output,
    faults: faultsOf(definitions, element),
    soapAction: soapActionIn(port, bound, overloadOf(bound, inOtherVersion.get(name)), findings),
    replyAction: replyActionIn(childNamed(element, wsdlUri, 'output')),
  };
}

/** The action that the output states, in whichever version of the metadata of WS-Addressing. */
function replyActionIn(output: LocatedElement | undefined): string | undefined {
  const found = output?.qualified.find(
    ({ namespace, local }) => local === 'Action' && /\/addressing\b/.test(namespace),
  );
  const action = found?.value ?? '';
  return action.trim() !== '' && isSoapAction(action.trim()) ? action.trim() : undefined;
}

/** The actions of the bindings for both versions of SOAP; one that is not bound has that of the other. */
function soapActionIn(
  { soap, other }: Port,
  bound: LocatedElement,
  twin: LocatedElement | undefined,
  findings: FindingCollector,
): Operation['soapAction'] {
  const read = (from: LocatedElement, uri: string): string => {
    const action = childNamed(from, uri, 'operation')?.attributes.get('soapAction')?.trim() ?? '';
    if (isSoapAction(action)) return action;
    findings.add('refused', from, `no header can have the SOAPAction ${action}, so it is left out`);
    return '';
  };
  const own = read(bound, soap);
  const others = other === undefined || twin === undefined ? own : read(twin, other.soap);
  if (own === others) return own === '' ? undefined : own;
  return soap === soap12Uri ? { soap11: others, soap12: own } : { soap11: own, soap12: others };
}

function styleOf({ binding, soap }: Port, bound: LocatedElement): Style {
  const own = childNamed(bound, soap, 'operation')?.attributes.get('style');
  const style = own ?? childNamed(binding, soap, 'binding')?.attributes.get('style') ?? 'document';
  return style === 'rpc' ? 'rpc' : 'document';
}

/** With MTOM or attachments, the body is a part of a multipart message. */
function bodyOf(inBinding: LocatedElement, soap: string): LocatedElement | undefined {
  const direct = childNamed(inBinding, soap, 'body');
  if (direct !== undefined) return direct;
  for (const related of inBinding.children.filter(({ local }) => local === 'multipartRelated'))
    for (const part of related.children) {
      const body = childNamed(part, soap, 'body');
      if (body !== undefined) return body;
    }
  return undefined;
}

/** The declared header blocks: the parts of messages, each with its element. */
function headersOf(
  definitions: Definitions,
  inBinding: LocatedElement,
  soap: string,
  findings: FindingCollector,
): { readonly names: readonly QName[]; readonly parts: ReadonlySet<LocatedElement> } {
  const names: QName[] = [];
  const parts = new Set<LocatedElement>();
  for (const header of childrenNamed(inBinding, soap, 'header')) {
    const message = definitions.named('message', header, 'message');
    const called = header.attributes.get('part');
    const part = message && childrenNamed(message, wsdlUri, 'part').find((each) => nameOf(each) === called);
    const element = part && nameIn(part, 'element');
    if (part !== undefined) parts.add(part);
    if (element === undefined || element.uri === '')
      findings.addOnce(
        'refused',
        header,
        `the header ${called} has no element with a namespace, and is neither read nor sent`,
      );
    else if (!names.some(({ local }) => local === element.local)) names.push(element);
  }
  return { names, parts };
}

/** The parts of a message that a binding sends beside the envelope, each with its media type where it has one alone. */
function attachedParts(
  parts: readonly LocatedElement[],
  inBinding: LocatedElement,
  findings: FindingCollector,
): ReadonlyMap<LocatedElement, string | undefined> {
  const found = new Map<LocatedElement, string | undefined>();
  const related = childrenNamed(inBinding, mimeUri, 'multipartRelated');
  const contents = related.flatMap((each) =>
    childrenNamed(each, mimeUri, 'part').flatMap((part) => childrenNamed(part, mimeUri, 'content')),
  );
  for (const content of contents) {
    const called = content.attributes.get('part');
    const part = parts.find((each) => nameOf(each) === called);
    const type = content.attributes.get('type')?.trim() ?? '';
    if (part === undefined) {
      findings.addOnce('refused', content, `no part ${called} is declared, so the attachment is neither read nor sent`);
      continue;
    }
    const isAnother = found.has(part) && found.get(part) !== type;
    const saysNothing = isAnother || !isMediaType(type) || type === 'application/octet-stream';
    found.set(part, saysNothing ? undefined : type);
  }
  return found;
}

function faultsOf(definitions: Definitions, operation: LocatedElement): readonly PortFault[] {
  return childrenNamed(operation, wsdlUri, 'fault').flatMap((fault) => {
    const message = definitions.named('message', fault, 'message');
    const name = fault.attributes.get('name') ?? message?.attributes.get('name');
    const [part, ...others] = message === undefined ? [] : childrenNamed(message, wsdlUri, 'part');
    const element = part === undefined || others.length > 0 ? undefined : nameIn(part, 'element');
    return name === undefined ? [] : [{ name, element }];
  });
}

/** The content of an element of a fault or a header: its type, or its text. Throws Refused for any other. */
export function readGlobalElement(types: ComplexTypes, from: LocatedElement, name: QName): ObjectSchema {
  const found = types.index.requireElement(from, name);
  const { schema } = types.typeOf(found.element, found, capitalised(name.local));
  if (schema.kind === 'object') return schema;
  if (schema.kind === 'list' || schema.kind === 'map') {
    const type = nameIn(found.element, 'type');
    const inline = childNamed(found.element, xsdUri, 'complexType');
    const declared =
      inline === undefined ? type && types.index.find('complexType', type) : { ...found, element: inline };
    if (declared === undefined) throw new Refused(found.element, 'it is no record');
    return types.message(declared, capitalised(name.local));
  }
  const namespace = types.prefixes.prefixOf(name.uri);
  const options = namespace === types.prefixes.own ? {} : { namespace };
  return object(`${capitalised(name.local)}Text`, { value: optional(schema, '', { xml: 'text' }) }, options);
}

/** The object of a message. `name`: of the object, where its type has none. */
export function readMessage(
  types: ComplexTypes,
  operation: PortOperation,
  side: 'input' | 'output',
  name: string,
): ObjectSchema {
  const message = operation[side];
  if (message.parts.length === 0) return object(name, {});
  if (operation.style === 'rpc') return rpcMessage(types, message, name);
  if (message.name.local === '') return bodyMessage(types, message, name);
  const found = types.index.requireElement(message.parts[0]!, message.name);
  const inline = childNamed(found.element, xsdUri, 'complexType');
  if (inline !== undefined) return types.message({ ...found, element: inline }, name);
  const type = nameIn(found.element, 'type');
  const declared = type && types.index.find('complexType', type);
  if (type === undefined || declared === undefined) return textMessage(types, found, name);
  const isOwn = type.uri === message.name.uri;
  if (isOwn && types.index.derivedFrom(declared).length === 0) return types.message(declared, name);
  // A type of another namespace keeps its name, and so does one in whose place others stand.
  const { schema } = types.namedType(found.element, type, type.local);
  const isKept = schema.kind === 'object' && (!isOwn || schema.variants !== undefined);
  return isKept ? schema : types.message(declared, name);
}

/** The message is the value of its element. */
function textMessage(types: ComplexTypes, found: Declared, name: string): ObjectSchema {
  const { schema, xsd } = types.typeOf(found.element, found, name);
  if (!isScalar(schema)) throw new Refused(found.element, 'a message without content of its own');
  const isNillable = found.element.attributes.get('nillable') === 'true';
  const isRequired = !isNillable && (schema.kind !== 'string' || (schema.min ?? 0) > 0);
  return object(name, {
    value: (isRequired ? required : optional)(schema, docOf(found.element), { xml: 'text', ...(xsd && { xsd }) }),
  });
}

/** Each part is an element of the Body. */
function bodyMessage(types: ComplexTypes, { parts }: Message, name: string): ObjectSchema {
  const fields: Record<string, Field> = {};
  for (const part of parts) {
    const reference = nameIn(part, 'element');
    const type = nameIn(part, 'type');
    const found = reference && types.index.find('element', reference);
    if (found === undefined && type === undefined)
      throw new Refused(part, `no element ${reference?.local} is declared in ${reference?.uri}`);
    const { uri, local } = reference ?? { uri: '', local: nameOf(part) };
    const { schema, xsd } =
      found === undefined
        ? types.namedType(part, type!, capitalised(local))
        : types.typeOf(found.element, found, capitalised(local));
    if (Object.hasOwn(fields, local)) throw new Refused(part, `two parts are called ${local}`);
    fields[local] = optional(schema, docOf(part), {
      namespace: types.prefixes.prefixOf(uri),
      nillable: false,
      ...(xsd && { xsd }),
    });
  }
  return object(name, fields);
}

function rpcMessage(types: ComplexTypes, { parts, referring }: Message, name: string): ObjectSchema {
  const fields: Record<string, Field> = {};
  for (const part of parts) {
    const type = nameIn(part, 'type');
    if (type === undefined) {
      elementPart(types, part, fields);
      continue;
    }
    const partName = nameOf(part);
    const { schema, xsd } = types.namedType(part, type, capitalised(partName));
    if (referring?.has(part)) {
      const max = schema.kind === 'binary' ? schema.max : bytesMax;
      fields[partName] = optional(binary({ max, attached: 'href', example: 'AA==' }), docOf(part));
      continue;
    }
    // A part may be nil, so no stub says that a server requires it.
    fields[partName] = optional(schema, docOf(part), xsd === undefined ? {} : { xsd });
  }
  return object(name, fields);
}

/** A part that names an element: it stands in the operation with the name of that, as most makers read WSDL 1.1. */
function elementPart(types: ComplexTypes, part: LocatedElement, fields: Record<string, Field>): void {
  const name = nameIn(part, 'element');
  if (name === undefined) throw new Refused(part, 'a part without a type and an element');
  const { uri, local } = name;
  const found = types.index.requireElement(part, name);
  const { schema, xsd } = types.typeOf(found.element, found, capitalised(local));
  if (Object.hasOwn(fields, local)) throw new Refused(part, `two parts are called ${local}`);
  fields[local] = optional(schema, docOf(part), { namespace: types.prefixes.prefixOf(uri), ...(xsd && { xsd }) });
}

/** The elements of an operation, where these are not called after it, or are not in the namespace of the service. */
export function elementsOf({ name, input, output }: PortOperation, prefixes: Prefixes): MessageElements | undefined {
  const prefixIn = ({ uri, local }: QName) => {
    const prefix = prefixes.prefixOf(uri);
    return local === '' || prefix === prefixes.own ? undefined : prefix;
  };
  const [asked, answered] = [prefixIn(input.name), prefixIn(output.name)];
  const elements = {
    ...(input.name.local !== name && { input: input.name.local }),
    ...(output.name.local !== `${name}Response` && { output: output.name.local }),
    ...(asked !== undefined && { inputNamespace: asked }),
    ...(answered !== undefined && { outputNamespace: answered }),
  };
  return Object.keys(elements).length === 0 ? undefined : elements;
}
