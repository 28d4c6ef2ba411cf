/** Turns the WSDL documents of a service into a contract. */

import {
  binary,
  defineProblems,
  type Fault,
  type Field,
  type Fields,
  fieldOf,
  kind,
  type Namespaces,
  namespacesOfMessages,
  type ObjectSchema,
  type Operation,
  object,
  operation,
  optional,
  type ProblemKind,
  polymorphic,
  type Schema,
  type Service,
  type SoapStyle,
  service,
} from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { bytesMax, capitalised, faultTypeValues, UniqueNames } from '../../documents/index.ts';
import { type Marked, type MarkedField, markSecrets, type SecretChoice, unknownFault } from '../secrets.ts';
import { ComplexTypes } from './complex-types.ts';
import { choosePorts, Definitions, type Port, type PortChoice } from './definitions.ts';
import type { Loaded } from './documents.ts';
import { Refused } from './findings.ts';
import { demandsMtom } from './mtom-policy.ts';
import {
  childNamed,
  docOf,
  keyOf,
  nameIn,
  nameOf as nameOfPart,
  type QName,
  rootOf,
  soap12Uri,
  xsdUri,
} from './names.ts';
import {
  elementsOf,
  type PortFault,
  type PortOperation,
  readGlobalElement,
  readMessage,
  readPortOperations,
} from './operations.ts';
import { Prefixes } from './prefixes.ts';
import { Unread } from './read-location.ts';
import { SchemaIndex } from './schema-index.ts';

export interface ImportChoice extends PortChoice, SecretChoice {
  /** The time zone of moments without one; UTC by default. */
  readonly timeZone?: string | undefined;
  /** The operations that only read: names, with `*` for any letters. All others write. */
  readonly reads?: readonly string[] | undefined;
  /** What happens to members of requests that the contract lacks; they are refused by default. */
  readonly unknownRequestMembers?: 'refuse' | 'drop' | undefined;
}

/** A contract, and the server that answers it as the document says. */
export interface ImportedService extends Pick<Marked, 'unknown'> {
  readonly service: Service;
  /** The address of its port, as written; it may be none. */
  readonly location: string;
  /** The fields that are sensitive. */
  readonly secrets: readonly MarkedField[];
  /** The version of SOAP that the port speaks. */
  readonly format: 'soap11' | 'soap12';
}

/** One contract for each port type and style. Throws Unread where no operation can be imported, or the choice names a field that none has. */
export function importServices(loaded: Loaded, choice: ImportChoice): readonly ImportedService[] {
  const definitions = new Definitions(loaded.definitions);
  const ports = choosePorts(definitions, choice, loaded.findings);
  const groups = ports.flatMap((port) =>
    [...Map.groupBy(readPortOperations(definitions, port, loaded.findings), ({ style }) => style).values()].map(
      (declared) => ({ port, declared }),
    ),
  );
  const names = new UniqueNames();
  const addresses = new Set<string>();
  const services = groups.map(({ port, declared }) => {
    const isOnly = groups.length === 1;
    const name = names.take(nameOf(isOnly ? port.service : port.port));
    const located = addressOf(port, name);
    const isTaken = addresses.has(located.address);
    const address = isTaken ? { ...located, address: `${located.address}/${name}` } : located;
    addresses.add(address.address);
    if (isTaken)
      loaded.findings.add(
        'changed',
        port.port,
        `another port has the address, so JSON and FORM of this one are at ${address.address}`,
      );
    try {
      const imported = importPort(loaded, choice, { port, declared, name, ...address });
      const format = port.soap === soap12Uri ? ('soap12' as const) : ('soap11' as const);
      return imported && { ...imported, location: port.location, format };
    } catch (thrown) {
      // What the contract language refuses in its own words.
      if (!(thrown instanceof TypeError)) throw thrown;
      loaded.findings.add('refused', port.port, `${thrown.message}; the port is left out`);
      return undefined;
    }
  });
  const found = services.filter((each) => each !== undefined);
  if (found.length === 0) throw new Unread('no operation can be imported');
  const fault = unknownFault(found);
  if (fault !== undefined) throw new Unread(fault);
  return found;
}

/** A name of a service that an address may have. */
function nameOf(element: LocatedElement): string {
  return (element.attributes.get('name') ?? '').replace(/[^A-Za-z0-9_]/g, '').replace(/^(?![A-Za-z_])/, 'Service');
}

interface PortContract {
  readonly port: Port;
  readonly declared: readonly PortOperation[];
  readonly name: string;
  readonly address: string;
  readonly version: number;
  readonly soap?: string;
}

function importPort(
  { definitions: roots, schemas, findings }: Loaded,
  choice: ImportChoice,
  { port, declared: given, name, address, version, soap }: PortContract,
): Pick<ImportedService, 'service' | 'secrets' | 'unknown'> | undefined {
  const uris = given.map(({ input }) => input.name.uri).filter((uri) => uri !== '');
  const ownUri = mostFrequent(uris) ?? (rootOf(port.service).attributes.get('targetNamespace') || `urn:${name}`);
  const index = new SchemaIndex(schemas);
  const gatewayFault = gatewayFaultIn(index, declaredFaults(given));
  const declared = given.map((each) => ({
    ...each,
    faults: each.faults.filter(({ element }) => element === undefined || keyOf(element) !== gatewayFault?.key),
  }));
  const problems = problemsOf(declared);
  const role = kebabCase(name);
  const prefixes = new Prefixes(ownUri, [...schemas.map(({ root }) => root), ...roots], schemas);
  const types = new ComplexTypes(index, findings, prefixes, choice.timeZone ?? 'UTC');
  const read = new MessageReader(types, compileNames(choice.reads ?? []));
  const operations = declared.map((each) => read.operation(each, role, problems)).filter((each) => each !== undefined);
  if (operations.length === 0) return undefined;
  const style = styleOf(declared, operations);
  const shaped = operations.map((each) => (style === 'request-result' ? unwrapped(each) : each));
  const { operations: messages, fields: secrets, unknown } = markSecrets(shaped, choice);
  const used = new Set(messages.flatMap(namespacesOfMessages));
  const fault = gatewayFault && faultOf(gatewayFault, prefixes);
  const unqualified = prefixes.unqualified(used);
  const namespaces: Namespaces = {
    own: prefixes.own,
    uris: prefixes.uris(fault === undefined ? used : used.add(fault.prefix)),
    ...(unqualified.length > 0 && { unqualified }),
    ...(fault !== undefined && { fault }),
  };
  const made = service({
    name,
    version,
    answers: { from: version, to: version },
    doc: docOf(port.service) || docOf(rootOf(port.service)) || `${name}, as its WSDL describes it.`,
    roles: [role],
    address,
    ...(soap !== undefined && { legacy: { soap } }),
    namespaces,
    soapStyle: style,
    ...((demandsMtom(roots, port) || types.namesInclude) && { mtom: true as const }),
    ...(choice.unknownRequestMembers === 'drop' && { unknownRequestMembers: 'drop' }),
    ...(Object.keys(problems).length > 0 && { problems }),
    operations: messages,
  });
  return { service: made, secrets, unknown };
}

/** Reads each message once: operations may share its element. */
class MessageReader {
  readonly #types: ComplexTypes;
  readonly #known = new Map<string, ObjectSchema>();
  readonly #isReading: (name: string) => boolean;
  readonly #faults = new Map<string, Fault | undefined>();
  /** The types of elements of the Body, by their qualified names. */
  readonly #bodyElements = new Map<string, Schema>();

  constructor(types: ComplexTypes, isReading: (name: string) => boolean) {
    this.#types = types;
    this.#isReading = isReading;
  }

  operation(
    declared: PortOperation,
    role: string,
    problems: Readonly<Record<string, ProblemKind>>,
  ): Operation | undefined {
    const { name, doc, faults, soapAction, replyAction } = declared;
    const { findings } = this.#types;
    return findings.attempt(`the operation ${name} is left out`, () => {
      const input = this.#message(declared, 'input', `${capitalised(name)}Request`);
      const result = `${capitalised(name)}Result`;
      const output = declared.isOneWay ? object(result, {}) : this.#message(declared, 'output', result);
      const effect = this.#isReading(name) && !declared.isOneWay ? 'reads' : 'writes';
      if (effect === 'writes')
        findings.add('check', declared.element, `${name} writes, since --reads does not name it`);
      const elements = elementsOf(declared, this.#types.prefixes);
      const typed = faults.map((fault) => this.#fault(fault, problems[problemName(fault.name)]!, declared));
      const known = [...new Set(typed.filter((fault) => fault !== undefined))];
      return operation({
        name,
        doc: doc || `${capitalised(name)}.`,
        effect,
        role,
        problems: faults.flatMap(({ name }, at) => (typed[at] === undefined ? [problems[problemName(name)]!] : [])),
        ...(known.length > 0 && { faults: known }),
        ...(elements !== undefined && { elements }),
        ...(soapAction !== undefined && { soapAction }),
        ...(replyAction !== undefined && { replyAction }),
        ...(declared.isOneWay && { oneWay: true as const }),
        input,
        output,
      });
    });
  }

  /** One fault for each local name of an element; undefined where its data cannot be read. */
  #fault({ name, element }: PortFault, problem: ProblemKind, { element: around }: PortOperation): Fault | undefined {
    const { findings, prefixes } = this.#types;
    if (element === undefined || element.uri === '') {
      findings.add('changed', around, `the fault ${name} has no element: callers get its code and text, and no data`);
      return undefined;
    }
    const { local } = element;
    if (this.#faults.has(local)) return this.#faults.get(local);
    const namespace = prefixes.prefixOf(element.uri);
    let fault: Fault | undefined;
    try {
      const detail = readGlobalElement(this.#types, around, element);
      fault = { problem, element: local, ...(namespace !== prefixes.own && { namespace }), detail };
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      findings.add(
        'changed',
        thrown.place,
        `${thrown.message}: callers get the code and text of the fault ${name}, and no data`,
      );
    }
    this.#faults.set(local, fault);
    return fault;
  }

  #message(declared: PortOperation, side: 'input' | 'output', name: string): ObjectSchema {
    const { name: element, attachments = [] } = declared[side];
    const key = [keyOf(element), ...attachments.map(({ part }) => nameOfPart(part))].join(' ');
    const isShared = declared.style !== 'rpc' && declared[side].name.local !== '';
    const known = isShared ? this.#known.get(key) : undefined;
    if (known !== undefined) return known;
    const content = readMessage(this.#types, declared, side, name);
    if (declared[side].name.local === '' && declared.style !== 'rpc')
      for (const [field, { schema, namespace = '' }] of Object.entries(content.fields)) {
        const element = `${namespace}:${field}`;
        const other = this.#bodyElements.get(element) ?? schema;
        if (other !== schema && (schema.kind === 'object' || other.kind !== schema.kind))
          throw new Refused(declared[side].element, `the element ${field} has another type in another message`);
        this.#bodyElements.set(element, schema);
      }
    const read = this.#withAttachments(this.#withHeaders(content, declared, side), declared, side);
    if (isShared) this.#known.set(key, read);
    return read;
  }

  #withAttachments(message: ObjectSchema, declared: PortOperation, side: 'input' | 'output'): ObjectSchema {
    const { attachments = [] } = declared[side];
    const fields: Record<string, Field> = {};
    for (const { part, mediaType } of attachments) {
      const name = nameOfPart(part);
      if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) || Object.hasOwn(message.fields, name))
        throw new Refused(part, `an attachment cannot be called ${name}, which is another field, or no name in FORM`);
      const type = { max: bytesMax, ...(mediaType !== undefined && { mediaType }), example: 'AA==' };
      fields[name] = optional(binary(type), docOf(part), { xml: 'attachment' });
    }
    if (attachments.length === 0) return message;
    return withFields(message, (own) => ({ ...own, ...fields }));
  }

  /** Operations that share an element have the header of the first one. */
  #withHeaders(message: ObjectSchema, declared: PortOperation, side: 'input' | 'output'): ObjectSchema {
    const { findings, prefixes } = this.#types;
    const fields: Record<string, Field> = {};
    for (const header of declared[side].headers ?? []) {
      const namespace = prefixes.prefixOf(header.uri);
      const options = namespace === prefixes.own ? {} : { namespace };
      try {
        fields[header.local] = optional(readGlobalElement(this.#types, declared.element, header), '', options);
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        findings.add('refused', thrown.place, `${thrown.message}; the header ${header.local} is neither read nor sent`);
      }
    }
    if (Object.keys(fields).length === 0) return message;
    let name = 'soapHeaders';
    while (fieldOf(message, name) !== undefined) name += '_';
    const header = object(`${message.name}Headers`, fields);
    const field = optional(header, 'The header of the SOAP message.', { xml: 'header' });
    return withFields(message, (own) => ({ ...own, [name]: field }));
  }
}

/** The object with other fields, and the same for the types that extend it. */
function withFields(schema: ObjectSchema, change: (fields: Fields) => Fields): ObjectSchema {
  const { name, namespace, choices, hasOtherTypes, variants, isAbstract } = schema;
  const own = object(name, change(schema.fields), {
    choices,
    ...(namespace !== undefined && { namespace }),
    ...(hasOtherTypes && { hasOtherTypes }),
    ...(schema.extends !== undefined && { extends: schema.extends }),
  });
  if (variants === undefined) return own;
  const others = variants.map((each) => withFields(each, change));
  return polymorphic(own, others, isAbstract ? { abstract: true } : {});
}

/** Each fault is a problem. */
function problemsOf(operations: readonly PortOperation[]): Readonly<Record<string, ProblemKind>> {
  const names = new Set(operations.flatMap(({ faults }) => faults.map(({ name }) => name)));
  return defineProblems(
    Object.fromEntries(
      [...names].map((fault, at) => [problemName(fault), kind(422, String(1001 + at), 'validation', wordsOf(fault))]),
    ),
  );
}

function problemName(fault: string): string {
  const word = fault.replace(/\W+/g, '_').replace(/^(?![A-Za-z])/, 'fault');
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** `OrderNotFoundException` to `Order not found`. */
function wordsOf(fault: string): string {
  const words = fault
    .replace(/(?:Exception|Fault|Error)+$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return capitalised(words.trim() || fault);
}

/** All messages of an operation have their fields in one element, `request` or `result`. */
function styleOf(declared: readonly PortOperation[], operations: readonly Operation[]): SoapStyle {
  if (declared[0]?.style === 'rpc') return 'rpc';
  const holds = ({ fields }: ObjectSchema, part: string) =>
    Object.keys(fields).join() === part &&
    fields[part]!.schema.kind === 'object' &&
    fields[part]!.namespace === undefined;
  const isNested = operations.every(
    ({ input, output, elements }) => elements === undefined && holds(input, 'request') && holds(output, 'result'),
  );
  return isNested ? 'request-result' : 'wrapped';
}

function unwrapped(each: Operation): Operation {
  return operation({
    ...each,
    input: each.input.fields.request!.schema as ObjectSchema,
    output: each.output.fields.result!.schema as ObjectSchema,
  });
}

/** The fault that this program declares, whatever its names are: its type has an error and one of four types. */
interface GatewayFault {
  /** Of the element. */
  readonly key: string;
  /** The namespace of the type. */
  readonly uri: string;
  readonly errors: readonly string[];
}

function declaredFaults(operations: readonly PortOperation[]): readonly QName[] {
  return operations.flatMap(({ faults }) => faults.flatMap(({ element }) => element ?? []));
}

function gatewayFaultIn(index: SchemaIndex, elements: readonly QName[]): GatewayFault | undefined {
  for (const element of elements) {
    const found = index.find('element', element);
    const name = found && nameIn(found.element, 'type');
    const record = name && index.find('complexType', name);
    const sequence = record && childNamed(record.element, xsdUri, 'sequence');
    const [error, type, ...others] = sequence?.children ?? [];
    if (name === undefined || error === undefined || type === undefined || others.length > 0) continue;
    const isTyped = nameOfPart(error) === 'error' && nameOfPart(type) === 'type';
    const errors = enumeratedIn(index, error);
    if (isTyped && errors !== undefined && enumeratedIn(index, type)?.join() === faultTypeValues.join())
      return { key: keyOf(element), uri: name.uri, errors };
  }
  return undefined;
}

/** The values of the enumeration that is the type of an element. */
function enumeratedIn(index: SchemaIndex, element: LocatedElement): readonly string[] | undefined {
  const name = nameIn(element, 'type');
  const type = name && index.find('simpleType', name);
  const restriction = type && childNamed(type.element, xsdUri, 'restriction');
  return restriction?.children.flatMap(({ local, attributes }) =>
    local === 'enumeration' ? [attributes.get('value') ?? ''] : [],
  );
}

function faultOf({ uri, errors }: GatewayFault, prefixes: Prefixes): Namespaces['fault'] {
  const prefix = prefixes.prefixOf(uri);
  return prefix === prefixes.own && errors.join() === 'Unknown' ? undefined : { prefix, errors };
}

/** `/orders/v2` is version 2 of `/orders`. Any other path stays an address for SOAP, also the root. */
function addressOf({ location }: Port, name: string): { address: string; version: number; soap?: string } {
  const path = URL.canParse(location) ? new URL(location).pathname.replace(/\/+$/, '') : '';
  if (path === '') return { address: `/${name}`, version: 1, soap: '/' };
  const [, base = '', digits] = /^(.+)\/v([1-9]\d{0,3})$/i.exec(path) ?? [];
  if (digits !== undefined) return { address: base, version: Number(digits) };
  return { address: path, version: 1, soap: path };
}

/** Returns whether one of the patterns fits a name, in any case. */
export function compileNames(patterns: readonly string[]): (name: string) => boolean {
  const compiled = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 'iu'));
  return (name) => compiled.some((each) => each.test(name));
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
}

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const each of values) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** `OrderService` to `order-service`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
