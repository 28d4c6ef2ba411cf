/** Reads the operations of a port: the elements or the parts of their messages, and their faults. */

import { isSoapAction, type MessageElements, type Operation } from '../../contract/operation.ts';
import { type Field, type ObjectSchema, object, optional } from '../../contract/schema.ts';
import type { LocatedElement } from '../../lib/xml/located.ts';
import { capitalised } from '../names.ts';
import type { ComplexTypes } from './complex-types.ts';
import type { Definitions, Port } from './definitions.ts';
import { type FindingCollector, Refused } from './findings.ts';
import { childNamed, childrenNamed, docOf, nameIn, nameOf, type QName, soap12Uri, wsdlUri, xsdUri } from './names.ts';

export type Style = 'document' | 'rpc';

/** An operation of the port, with the elements of its messages. */
export interface PortOperation {
  readonly name: string;
  readonly doc: string;
  readonly element: LocatedElement;
  readonly style: Style;
  readonly input: Message;
  readonly output: Message;
  /** Without the fault which this program declares. */
  readonly faults: readonly PortFault[];
  readonly soapAction: Operation['soapAction'];
}

/** A fault of an operation. */
export interface PortFault {
  readonly name: string;
  /** The name of the element in its detail. */
  readonly element: QName | undefined;
}

export interface Message {
  /** The element in the Body. */
  readonly name: QName;
  /** The message in the WSDL. */
  readonly element: LocatedElement;
  readonly parts: readonly LocatedElement[];
}

/** The operations that the port has, with the messages as they are declared. */
export function readPortOperations(
  definitions: Definitions,
  port: Port,
  findings: FindingCollector,
): readonly PortOperation[] {
  const read: PortOperation[] = [];
  const names = new Set<string>();
  const elements = new Set<string>();
  const byName: OperationsByName = {
    declared: operationsIn(port.portType),
    inOtherVersion: port.other === undefined ? new Map() : operationsIn(port.other.binding),
  };
  for (const bound of childrenNamed(port.binding, wsdlUri, 'operation'))
    findings.readOperation(String(bound.attributes.get('name')), () => {
      const operation = readOperation(definitions, port, bound, byName, findings);
      if (names.has(operation.name)) throw new Refused(bound, 'another operation has the name');
      const { local } = operation.input.name;
      if (elements.has(local)) throw new Refused(bound, `another operation has the element ${local}`);
      names.add(operation.name);
      elements.add(local);
      read.push(operation);
    });
  return read;
}

/** The operations of a port type and of the binding for the other version of SOAP, by name. */
interface OperationsByName {
  readonly declared: ReadonlyMap<string, LocatedElement>;
  readonly inOtherVersion: ReadonlyMap<string, LocatedElement>;
}

function operationsIn(around: LocatedElement): ReadonlyMap<string, LocatedElement> {
  const operations = new Map<string, LocatedElement>();
  for (const each of childrenNamed(around, wsdlUri, 'operation')) {
    const name = nameOf(each);
    if (!operations.has(name)) operations.set(name, each);
  }
  return operations;
}

function readOperation(
  definitions: Definitions,
  port: Port,
  bound: LocatedElement,
  { declared, inOtherVersion }: OperationsByName,
  findings: FindingCollector,
): PortOperation {
  const name = nameOf(bound);
  const element = declared.get(name);
  if (element === undefined) throw new Refused(bound, 'the port type has no such operation');
  if (!/^[A-Za-z_]\w{0,59}$/.test(name)) throw new Refused(bound, 'a path of JSON cannot have the name');
  const style = styleOf(port, bound);
  const side = (which: 'input' | 'output'): Message | undefined => {
    const named = childNamed(element, wsdlUri, which);
    const message = named && definitions.named('message', named, 'message');
    if (named !== undefined && message === undefined) throw new Refused(named, 'its message is not declared');
    if (message === undefined) return undefined;
    const inBinding = childNamed(bound, wsdlUri, which) ?? bound;
    const body = bodyOf(inBinding, port.soap);
    noteHeaders(inBinding, port.soap, findings);
    const { attributes } = body ?? bound;
    if (attributes.get('use') === 'encoded')
      findings.addOnce(
        'changed',
        body ?? bound,
        'messages are encoded: requests are read so, answers are literal and without xsi:type',
      );
    const chosen = attributes.get('parts')?.trim().split(/\s+/);
    const parts = childrenNamed(message, wsdlUri, 'part').filter(
      (part) => chosen === undefined || chosen.includes(nameOf(part)),
    );
    const local = which === 'input' ? name : `${name}Response`;
    if (style === 'rpc') return { name: { uri: attributes.get('namespace') ?? '', local }, element: message, parts };
    const [part, ...others] = parts;
    const partElement = part && nameIn(part, 'element');
    if (part === undefined || others.length > 0)
      throw new Refused(message, `a message of style document with ${parts.length} parts`);
    if (partElement === undefined) throw new Refused(part, 'a part of style document that names a type and no element');
    return { name: partElement, element: message, parts };
  };
  const input = side('input');
  if (input === undefined) throw new Refused(element, 'an operation that the server begins');
  let output = side('output');
  if (output === undefined) {
    findings.add('changed', element, 'the operation has no answer: it is answered with an empty element');
    output = { name: { uri: input.name.uri, local: `${name}Response` }, element, parts: [] };
  }
  return {
    name,
    doc: docOf(element) || docOf(bound),
    element,
    style,
    input,
    output,
    faults: faultsOf(definitions, element),
    soapAction: soapActionIn(port, bound, inOtherVersion.get(name), findings),
  };
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

function noteHeaders(inBinding: LocatedElement, soap: string, findings: FindingCollector): void {
  for (const header of childrenNamed(inBinding, soap, 'header'))
    findings.addOnce('refused', header, `the header ${header.attributes.get('part')} is neither read nor sent`);
  for (const related of inBinding.children.filter(({ local }) => local === 'multipartRelated'))
    findings.addOnce('refused', related, 'attachments are neither read nor sent');
}

function faultsOf(definitions: Definitions, operation: LocatedElement): readonly PortFault[] {
  return childrenNamed(operation, wsdlUri, 'fault').flatMap((fault) => {
    const message = definitions.named('message', fault, 'message');
    const name = fault.attributes.get('name') ?? message?.attributes.get('name');
    const [part, ...others] = message === undefined ? [] : childrenNamed(message, wsdlUri, 'part');
    const element = part === undefined || others.length > 0 ? undefined : nameIn(part, 'element');
    return name === undefined || name === 'ServiceException' ? [] : [{ name, element }];
  });
}

/** The data of a fault: its type, or its text. Throws Refused for any other. */
export function readFaultData(types: ComplexTypes, from: LocatedElement, name: QName): ObjectSchema {
  const found = types.index.find('element', name);
  if (found === undefined) throw new Refused(from, `no element ${name.local} is declared in ${name.uri}`);
  const { schema } = types.typeOf(found.element, found, capitalised(name.local));
  if (schema.kind === 'object') return schema;
  if (schema.kind === 'list' || schema.kind === 'map') throw new Refused(found.element, 'it is no record');
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
  const found = types.index.find('element', message.name);
  if (found === undefined)
    throw new Refused(message.parts[0]!, `no element ${message.name.local} is declared in ${message.name.uri}`);
  const inline = childNamed(found.element, xsdUri, 'complexType');
  if (inline !== undefined) return types.message({ ...found, element: inline }, name);
  const type = nameIn(found.element, 'type');
  const declared = type && types.index.find('complexType', type);
  if (declared === undefined) throw new Refused(found.element, 'a message whose element has a simple type');
  return types.message(declared, name);
}

function rpcMessage(types: ComplexTypes, { parts }: Message, name: string): ObjectSchema {
  const fields: Record<string, Field> = {};
  for (const part of parts) {
    const partName = nameOf(part);
    const type = nameIn(part, 'type');
    if (type === undefined) throw new Refused(part, 'a part of style rpc that names an element and no type');
    const { schema } = types.namedType(part, type, capitalised(partName));
    // A part may be nil, so no stub says that a server requires it.
    fields[partName] = optional(schema, docOf(part));
  }
  return object(name, fields);
}

/** The elements of an operation, where these are not called after it. */
export function elementsOf({ name, input, output }: PortOperation): MessageElements | undefined {
  const asked = input.name.local === name ? {} : { input: input.name.local };
  const answered = output.name.local === `${name}Response` ? {} : { output: output.name.local };
  const elements = { ...asked, ...answered };
  return Object.keys(elements).length === 0 ? undefined : elements;
}
