/** Turns the WSDL documents of a service into a contract. */

import { type Fault, type Operation, operation } from '../../contract/operation.ts';
import { defineProblems, kind, type ProblemKind } from '../../contract/problem.ts';
import type { ObjectSchema } from '../../contract/schema.ts';
import {
  type Namespaces,
  namespacesIn,
  namespacesOfFaults,
  type Service,
  type SoapStyle,
  service,
} from '../../contract/service.ts';
import { capitalised } from '../names.ts';
import { ComplexTypes } from './complex-types.ts';
import { choosePort, Definitions, type Port, type PortChoice } from './definitions.ts';
import type { Loaded } from './documents.ts';
import { type FindingCollector, Refused } from './findings.ts';
import { childNamed, docOf, keyOf, nameIn, rootOf, soap12Uri, xsdUri } from './names.ts';
import {
  elementsOf,
  type PortFault,
  type PortOperation,
  readFaultData,
  readMessage,
  readPortOperations,
  type Style,
} from './operations.ts';
import { Prefixes } from './prefixes.ts';
import { Unread } from './read-location.ts';
import { SchemaIndex } from './schema-index.ts';
import { sizeOf } from './schema-size.ts';

/** Fields of all messages: those of a type that occurs in several places count in each. */
const fieldsMax = 2_000_000;

export interface ImportChoice extends PortChoice {
  /** The time zone of moments without one; UTC by default. */
  readonly timeZone?: string | undefined;
  /** The operations that only read: names, with `*` for any letters. All others write. */
  readonly reads?: readonly string[] | undefined;
}

/** A contract, and the server that answers it as the document says. */
export interface ImportedService {
  readonly service: Service;
  /** The address of its port, as written; it may be none. */
  readonly location: string;
  /** The version of SOAP that the port speaks. */
  readonly format: 'soap11' | 'soap12';
}

/** Throws Unread where no operation can be imported. */
export function importServices(loaded: Loaded, choice: ImportChoice): readonly ImportedService[] {
  const definitions = new Definitions(loaded.definitions);
  const port = choosePort(definitions, choice, loaded.findings);
  const service = importPort(loaded, definitions, port, choice);
  return [{ service, location: port.location, format: port.soap === soap12Uri ? 'soap12' : 'soap11' }];
}

function importPort(
  { definitions: roots, schemas, findings }: Loaded,
  definitions: Definitions,
  port: Port,
  choice: ImportChoice,
): Service {
  const declared = readPortOperations(definitions, port, findings);
  const ownUri = mostFrequent(declared.map(({ input }) => input.name.uri));
  const index = new SchemaIndex(schemas);
  const prefixes = new Prefixes(ownUri, [...schemas.map(({ root }) => root), ...roots], schemas);
  const types = new ComplexTypes(index, findings, prefixes, choice.timeZone ?? 'UTC');
  const commonStyle = mostFrequent(declared.map(({ style }) => style));
  const fitting = declared.filter((each) => isLikeOthers(each, ownUri, commonStyle, findings));
  const problems = problemsOf(fitting);
  const read = new MessageReader(types, compileNames(choice.reads ?? []));
  const name = (port.service.attributes.get('name') ?? 'Service').replace(/[^A-Za-z0-9_]/g, '');
  const role = kebabCase(name);
  const operations = fitting.map((each) => read.operation(each, role, problems)).filter((each) => each !== undefined);
  if (operations.length === 0) throw new Unread('no operation can be imported');
  const style = styleOf(fitting, operations);
  const messages = operations.map((each) => (style === 'request-result' ? unwrapped(each) : each));
  const used = new Set(
    messages.flatMap(({ input, output, faults = [] }) => [
      ...[input, output, ...faults.map(({ detail }) => detail)].flatMap(namespacesIn),
      ...namespacesOfFaults(faults),
    ]),
  );
  const fault = faultOf(index, prefixes, ownUri);
  const unqualified = prefixes.unqualified(used);
  const namespaces: Namespaces = {
    own: prefixes.own,
    uris: prefixes.uris(fault === undefined ? used : used.add(fault.prefix)),
    ...(unqualified.length > 0 && { unqualified }),
    ...(fault !== undefined && { fault }),
  };
  const { address, version, soap } = addressOf(port, name);
  return service({
    name,
    version,
    answers: { from: version, to: version },
    doc: docOf(port.service) || docOf(rootOf(port.service)) || `${name}, as its WSDL describes it.`,
    roles: [role],
    address,
    ...(soap !== undefined && { legacy: { soap } }),
    namespaces,
    soapStyle: style,
    ...(Object.keys(problems).length > 0 && { problems }),
    operations: messages,
  });
}

/** Reads each message once: operations may share its element. */
class MessageReader {
  readonly #types: ComplexTypes;
  readonly #known = new Map<string, ObjectSchema>();
  readonly #isReading: (name: string) => boolean;
  readonly #faults = new Map<string, Fault | undefined>();
  #fields = 0;

  constructor(types: ComplexTypes, isReading: (name: string) => boolean) {
    this.#types = types;
    this.#isReading = isReading;
  }

  operation(
    declared: PortOperation,
    role: string,
    problems: Readonly<Record<string, ProblemKind>>,
  ): Operation | undefined {
    const { name, doc, faults, soapAction } = declared;
    const { findings } = this.#types;
    return findings.readOperation(name, () => {
      const input = this.#message(declared, 'input', `${capitalised(name)}Request`);
      const output = this.#message(declared, 'output', `${capitalised(name)}Result`);
      const effect = this.#isReading(name) ? 'reads' : 'writes';
      this.#fields += sizeOf(input).fields + sizeOf(output).fields;
      if (this.#fields > fieldsMax)
        throw new Refused(declared.element, `all messages together have more than ${fieldsMax} members`);
      if (effect === 'writes')
        findings.add('check', declared.element, `${name} writes, since --reads does not name it`);
      const elements = elementsOf(declared);
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
      const detail = readFaultData(this.#types, around, element);
      fault = { problem, element: local, ...(namespace !== prefixes.own && { namespace }), detail };
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      findings.add(
        'changed',
        thrown.element,
        `${thrown.message}: callers get the code and text of the fault ${name}, and no data`,
      );
    }
    this.#faults.set(local, fault);
    return fault;
  }

  #message(declared: PortOperation, side: 'input' | 'output', name: string): ObjectSchema {
    const key = keyOf(declared[side].name);
    const known = declared.style === 'rpc' ? undefined : this.#known.get(key);
    const read = known ?? readMessage(this.#types, declared, side, name);
    this.#known.set(key, read);
    return read;
  }
}

/** A service has one namespace and one style. */
function isLikeOthers(each: PortOperation, ownUri: string, style: Style, findings: FindingCollector): boolean {
  const outside = [each.input, each.output].find(({ name }) => name.uri !== ownUri);
  if (outside !== undefined)
    findings.add(
      'refused',
      outside.element,
      `the element is in ${outside.name.uri || 'no namespace'} and those of other operations in ${ownUri}; the operation ${each.name} is left out`,
    );
  else if (each.style !== style)
    findings.add(
      'refused',
      each.element,
      `the style is ${each.style} and that of other operations ${style}; the operation ${each.name} is left out`,
    );
  return outside === undefined && each.style === style;
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

/** The type of a fault that this program declares. */
function faultOf(index: SchemaIndex, prefixes: Prefixes, ownUri: string): Namespaces['fault'] {
  const found = index.find('element', { uri: ownUri, local: 'ServiceException' });
  const type = found && nameIn(found.element, 'type');
  const errors = type && index.find('simpleType', { uri: type.uri, local: 'Error' });
  const restriction = errors && childNamed(errors.element, xsdUri, 'restriction');
  if (type === undefined || restriction === undefined) return undefined;
  const values = restriction.children.flatMap(({ local, attributes }) =>
    local === 'enumeration' ? [attributes.get('value') ?? ''] : [],
  );
  const prefix = prefixes.prefixOf(type.uri);
  return prefix === prefixes.own && values.join() === 'Unknown' ? undefined : { prefix, errors: values };
}

/** `/orders/v2` is version 2 of `/orders`. Any other path stays an address for SOAP. */
function addressOf({ location }: Port, name: string): { address: string; version: number; soap?: string } {
  const path = URL.canParse(location) ? new URL(location).pathname.replace(/\/+$/, '') : '';
  if (path === '') return { address: `/${name}`, version: 1 };
  const [, base = '', digits] = /^(.+)\/v([1-9]\d{0,3})$/i.exec(path) ?? [];
  if (digits !== undefined) return { address: base, version: Number(digits) };
  return { address: path, version: 1, soap: path };
}

/** Returns whether one of the patterns fits a name, in any case. */
function compileNames(patterns: readonly string[]): (name: string) => boolean {
  const compiled = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 'iu'));
  return (name) => compiled.some((each) => each.test(name));
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
}

function mostFrequent<T>(values: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const each of values) counts.set(each, (counts.get(each) ?? 0) + 1);
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  if (first === undefined) throw new Unread('no operation can be imported');
  return first[0];
}

function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
