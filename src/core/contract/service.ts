/** Services: the operations of one version, and the addresses where callers reach them. */

import { memoizeWeakly } from '../lib/index.ts';
import type { Conventions } from './conventions.ts';
import type { CredentialPlace } from './credential-place.ts';
import {
  elementName,
  elementPrefix,
  type Fault,
  hasOwnAction,
  isBound,
  type Operation,
  sidesOf,
  type UpstreamBinding,
} from './operation.ts';
import { type ProblemKind, type ProblemName, problems } from './problem.ts';
import { type Field, headerFieldOf, isRepeated, mayHaveAttributes, type ObjectSchema, type Schema } from './schema.ts';
import { namespaceOf, partsIn } from './walk.ts';

/** Version numbers, both ends included. */
export interface VersionRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Addresses from before versions, for callers that still use them. Where several versions declare one, the oldest answers there, and
 * the newest a request that has what the oldest lacks.
 */
export interface LegacyAddresses {
  /** SOAP callers: `/pal/servlet/soap/Recurring`, or `/`. Below it are the operations, for JSON and FORM; but not below `/`. */
  readonly soap?: string;
  /** The form adapter, where the body names the operation: `/pal/adapter/httppost`. */
  readonly adapter?: string;
  /** The WSDL as a file: `/pal/Recurring.wsdl`. */
  readonly wsdl?: string;
}

/** XML namespaces, for the operations that SOAP carries. */
export interface Namespaces {
  /** Prefix of the service's own elements, lists and maps: the target namespace of its WSDL. */
  readonly own: string;
  /** URIs by prefix; a schema names another than the own one by its prefix. */
  readonly uris: Readonly<Record<string, string>>;
  /** Prefixes of namespaces whose elements have none, except those of messages (`elementFormDefault` of XML Schema). */
  readonly unqualified?: readonly string[];
  /** The type of a fault in the WSDL, which is sent without detail; by default in the own namespace. */
  readonly fault?: { readonly prefix: string; readonly errors: readonly string[] };
}

/**
 * How SOAP messages of a service hold their fields: `wrapped` directly in the element of the operation, as WSDL tools generate it;
 * `rpc` the same, with fields in no namespace; `request-result` in one element below it, `request` or `result`.
 */
export type SoapStyle = 'wrapped' | 'rpc' | 'request-result';

/** One version of one service. */
export interface Service<O extends Operation = Operation> {
  /** `Recurring`, as in the WSDL and in `action=Recurring.disable`. */
  readonly name: string;
  readonly version: number;
  /** The versions that this contract answers, its own included; where two contracts answer one, the newer does. */
  readonly answers: VersionRange;
  readonly doc: string;
  /** The version that reads and answers the requests to this one that have a member or an operation which this one lacks. */
  readonly otherwise?: number;
  /** The roles that credentials may have for it. */
  readonly roles: readonly string[];
  /** Roles that stand for several others, by name. */
  readonly roleSets?: Readonly<Record<string, readonly string[]>>;
  /** `/pal/servlet/Recurring`; the version follows: `/v25`. */
  readonly address: string;
  readonly legacy?: LegacyAddresses;
  /**
   * Below it, operations that an upstream answers are served at their methods and paths there, too, as the upstream serves them:
   * `/api/v3`, or empty.
   */
  readonly paths?: string;
  /** How the upstream of `paths` is shown the credentials of callers, where it wants them elsewhere than callers may have them. */
  readonly credentials?: {
    readonly places: readonly CredentialPlace[];
    /** The upstream takes HTTP Basic, too. */
    readonly basic?: true;
  };
  readonly namespaces?: Namespaces;
  /** `request-result` where it is absent. */
  readonly soapStyle?: SoapStyle;
  /** Servers in SOAP that answer it get bytes as parts beside the envelope (MTOM), unless the configuration of the upstream says otherwise. */
  readonly mtom?: true;
  /**
   * Members of requests that the contract lacks are ignored, and each such request is counted as a leniency, `unknown-members`. Where
   * it is absent, such requests are refused.
   */
  readonly unknownRequestMembers?: 'drop';
  /**
   * The fields that its WSDL declares mandatory (minOccurs 1, not nillable): all required ones, where it is absent, or those
   * that are `marked` by `mandatoryInStubs`, for a service whose WSDL is published already.
   */
  readonly mandatoryFields?: 'required' | 'marked';
  /** Conventions of all services of a server. A service without any takes those of the others; its messages have neutral ones. */
  readonly conventions?: Conventions;
  /** The member of errors, in JSON and FORM, that maps each invalid field to its message; absent where errors have none. */
  readonly errorMap?: string;
  /** The problems of its operations; those of the engine where documents list them among these. */
  readonly problems?: Readonly<Record<string, ProblemKind>>;
  /**
   * Replaces the service's name before the operation's where a request is hashed; for a service whose stored hashes are
   * older than the name.
   */
  readonly hashPrefix?: string;
  readonly operations: ReadonlyMap<string, O>;
}

/**
 * Throws for two operations of one name, for a role or a namespace that the service does not declare, and for a message that its
 * SOAP style cannot hold.
 */
export function service<O extends Operation>(
  parts: Omit<Service, 'operations'> & { readonly operations: readonly O[] },
): Service<O> {
  const operations = new Map(parts.operations.map((each) => [each.name, each]));
  if (operations.size !== parts.operations.length) throw new TypeError(`${parts.name}: two operations have one name`);
  if (parts.namespaces === undefined && !parts.operations.every(isBound))
    throw new TypeError(`${parts.name}: an operation without a binding needs the namespaces of its service`);
  for (const operation of parts.operations) {
    const { name, role, faults = [] } = operation;
    if (!parts.roles.includes(role)) throw new TypeError(`${parts.name} has no role ${role}, which ${name} asks for`);
    for (const { problem } of faults)
      if (parts.problems?.[problem.name] !== problem)
        throw new TypeError(`${parts.name} has no problem ${problem.name}, which is a fault of ${name}`);
    for (const prefix of namespacesOfMessages(operation))
      if (parts.namespaces?.uris[prefix] === undefined)
        throw new TypeError(`${parts.name} has no namespace ${prefix}, which ${name} uses`);
  }
  checkRoleSets(parts);
  checkElements(parts);
  checkFaults(parts);
  if (parts.soapStyle === 'rpc') for (const each of parts.operations) checkParts(each);
  return Object.freeze({ ...parts, operations });
}

/** The namespaces that the elements of faults name. */
export function namespacesOfFaults(faults: readonly Fault[] = []): readonly string[] {
  return faults.flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace]));
}

/** A service that is declared. */
type Parts = Omit<Service, 'operations'> & { readonly operations: readonly Operation[] };

function checkRoleSets({ name, roles, roleSets = {} }: Parts): void {
  for (const [set, members] of Object.entries(roleSets)) {
    const unknown = [set, ...members].find((each) => !roles.includes(each));
    if (unknown !== undefined) throw new TypeError(`${name} has no role ${unknown}, which the set ${set} names`);
  }
}

/** The element of a message names its operation, or the SOAPAction does. */
function checkElements({ name, operations }: Parts): void {
  const named = operations.filter((each) => !isBound(each));
  const keyOf = (operation: Operation, side: 'input' | 'output') =>
    `${elementPrefix(operation, side) ?? ''} ${elementName(operation, side)}`;
  const withElement = named.filter((each) => elementName(each, 'input') !== '');
  for (const [element, sharing] of Map.groupBy(withElement, (each) => keyOf(each, 'input')))
    for (const [at, each] of sharing.entries())
      if (sharing.slice(0, at).some((other) => !hasOwnAction(each, other)))
        throw new TypeError(`${name}: two operations have the element ${element.trim()}`);
  const contents = new Map<string, ObjectSchema>();
  for (const operation of named)
    for (const side of sidesOf(operation)) {
      const element = keyOf(operation, side);
      // The fields are elements of their own.
      if (elementName(operation, side) === '') continue;
      const known = contents.get(element) ?? operation[side];
      if (known !== operation[side]) throw new TypeError(`${name}: the element ${element.trim()} has two contents`);
      contents.set(element, known);
    }
}

/** A stub knows a fault by its element. */
function checkFaults({ name, operations }: Parts): void {
  const known = new Map(operations.flatMap(({ faults = [] }) => faults.map((each) => [each.element, each] as const)));
  for (const { faults = [], http } of operations)
    for (const { element, detail, problem } of faults) {
      if (http !== undefined) throw new TypeError(`${name}: an operation with a binding has no fault ${element}`);
      const { detail: other, problem: otherProblem } = known.get(element)!;
      if (other !== detail || otherProblem !== problem)
        throw new TypeError(`${name}: the fault ${element} has two contents`);
    }
}

/** A part of a message occurs once. */
function checkParts({ name, input, output, http }: Operation): void {
  if (http !== undefined) return;
  for (const message of [input, output])
    if (mayHaveAttributes(message) || Object.values(message.fields).some(({ schema }) => isRepeated(schema)))
      throw new TypeError(`${name}: a message in the style rpc has parts that are elements and occur once`);
}

/** The element around the fields of a SOAP message; undefined where the element of the operation holds them. */
export function elementAround(
  { soapStyle = 'request-result' }: Service,
  { elements = {} }: Pick<Operation, 'elements'>,
  side: 'input' | 'output',
): string | undefined {
  switch (soapStyle) {
    case 'wrapped':
    case 'rpc':
      return undefined;
    case 'request-result': {
      const { request = 'request', result = 'result' } = elements;
      return side === 'input' ? request : result;
    }
    default:
      return soapStyle satisfies never;
  }
}

/** The name under which requests of an operation are hashed: a key never replays the outcome of another service. */
export function hashNameOf({ name, hashPrefix = `${name}.` }: Service, operation: Operation): string {
  return hashPrefix + operation.name;
}

/** Every problem that a service can refuse for, by name, in the order of the documents. */
export function problemsOf({ problems: own = {} }: Service): ReadonlyMap<string, ProblemKind> {
  const engine = (Object.keys(problems) as ProblemName[]).filter((name) => !Object.hasOwn(own, name));
  return new Map([...engine.map((name) => [name, problems[name]] as const), ...Object.entries(own)]);
}

/** Throws for a service without operations that SOAP carries. */
export function namespacesOf({ name, namespaces }: Service): Namespaces {
  if (namespaces === undefined) throw new TypeError(`${name} has no XML namespaces`);
  return namespaces;
}

/** The URI of the service's own namespace. */
export function ownUri(service: Service): string {
  return uriOf(service, undefined);
}

/** The namespace of a field's element by its prefix; undefined for none. */
export function elementNamespace(
  service: Service,
  { namespace: ofObject = namespacesOf(service).own }: ObjectSchema,
  { namespace }: Field,
): string | undefined {
  if (namespace !== undefined) return namespace === '' ? undefined : namespace;
  return ofObject === '' || namespacesOf(service).unqualified?.includes(ofObject) ? undefined : ofObject;
}

/**
 * The action of an answer by WS-Addressing: the default for the names in the WSDL (WS-Addressing 1.0, Metadata, section 4.4.4). `fault`: the
 * element of a declared fault.
 */
export function replyActionOf(service: Service, { name, replyAction }: Operation, fault?: string): string {
  if (replyAction !== undefined && fault === undefined) return replyAction;
  const uri = ownUri(service);
  const delimiter = uri.startsWith('urn:') ? ':' : '/';
  const message = fault === undefined ? [`${name}Response`] : [name, 'Fault', `${fault}Fault`];
  const start = uri.endsWith(delimiter) ? uri.slice(0, -1) : uri;
  return [start, `${service.name}PortType`, ...message].join(delimiter);
}

/** The namespace of the elements of a list or a map, which are types of the service; undefined for none. */
export function itemNamespace(service: Service, { namespace }: { readonly namespace?: string }): string | undefined {
  if (namespace !== undefined) return namespace === '' ? undefined : namespace;
  const { own, unqualified } = namespacesOf(service);
  return unqualified?.includes(own) ? undefined : own;
}

/** The URI of a schema's namespace: that of its prefix, or the service's own; empty for none. */
export function uriOf(service: Service, prefix: string | undefined): string {
  if (prefix === '') return '';
  const { own, uris } = namespacesOf(service);
  const uri = uris[prefix ?? own];
  if (uri === undefined) throw new TypeError(`${service.name} has no namespace ${prefix ?? own}`);
  return uri;
}

/** The faults of the operations that SOAP carries: those of one element once. */
export function faultsOf(service: Service): readonly Fault[] {
  const faults = namedOperations(service).flatMap(({ faults = [] }) => faults);
  return [...new Map(faults.map((each) => [each.element, each])).values()];
}

/** A block of the SOAP header of an operation; also another global element. */
export interface HeaderBlock {
  /** Of the element, which is the member of the header in other formats. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly schema: ObjectSchema;
}

/** The header blocks that a message declares. */
export function headerBlocksOf(message: ObjectSchema): readonly HeaderBlock[] {
  const name = headerFieldOf(message);
  const schema = name === undefined ? undefined : message.fields[name]?.schema;
  if (schema?.kind !== 'object') return [];
  return Object.entries<Field>(schema.fields).flatMap(([name, { namespace, schema }]) =>
    schema.kind === 'object' ? [{ name, namespace, schema }] : [],
  );
}

/** The operations that callers name in soap, json and form. */
export function namedOperations({ operations }: Service): readonly Operation[] {
  return [...operations.values()].filter((each) => !isBound(each));
}

/** The operations that a method and a path name. */
export function boundOperations({ operations }: Service) {
  return [...operations.values()].filter(isBound);
}

/**
 * The newest contract of a service that is not newer than the version asked for (specification, section 9, leaves this
 * open), or the newest of all. `services`: newest last.
 */
export function contractOf(services: readonly Service[], name: string, asked?: number): Service | undefined {
  return services.findLast(
    (each) => each.name === name && (asked === undefined || (each.answers.from <= asked && asked <= each.answers.to)),
  );
}

/** The newest version of each service. `services`: newest last. */
export function newestOf(services: readonly Service[]): readonly Service[] {
  return services.filter((each) => contractOf(services, each.name) === each);
}

/** `v1`, `v2`: the versions that a contract answers. */
export function versionsOf({ answers: { from, to } }: Service): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `v${from + at}`);
}

/** The address of a version; SOAP callers need no more of the path. */
export function serviceAddress({ address, version }: Service, asked = version): string {
  return `${address}/v${asked}`;
}

/** The address of an operation; with the names in braces of its binding, where it has one. */
export function operationAddress(service: Service, { name, http }: Operation): string {
  return serviceAddress(service) + (http?.path ?? `/${encodeURIComponent(name)}`);
}

/** The namespaces that a message names, with that of its element. */
export function namespacesOfMessage(operation: Operation, side: 'input' | 'output'): readonly string[] {
  const element = elementPrefix(operation, side);
  return [...(element === undefined || element === '' ? [] : [element]), ...namespacesIn(operation[side])];
}

/** The namespaces that the messages and the faults of an operation name. */
export function namespacesOfMessages(operation: Operation): readonly string[] {
  const { faults = [] } = operation;
  return [
    ...namespacesOfMessage(operation, 'input'),
    ...namespacesOfMessage(operation, 'output'),
    ...faults.flatMap(({ detail }) => namespacesIn(detail)),
    ...namespacesOfFaults(faults),
  ];
}

/** The namespaces that a schema and its parts name. */
export const namespacesIn = memoizeWeakly((schema: Schema): readonly string[] => {
  const found = partsIn(schema).flatMap(({ schema, field }) => [field?.namespace ?? '', namespaceOf(schema) ?? '']);
  return [...new Set(found)].filter((each) => each !== '' && each !== 'xml');
});

/** Returns the operation of a name like `Orders.GetOrder`. The names of services and operations may have dots, too. */
export function operationNamed(
  services: readonly Service[],
  name: string,
): { readonly service: Service; readonly operation: Operation } | undefined {
  for (const service of services) {
    const operation = name.startsWith(`${service.name}.`)
      ? service.operations.get(name.slice(service.name.length + 1))
      : undefined;
    if (operation !== undefined) return { service, operation };
  }
  return undefined;
}

/** An operation as its upstream has it. */
interface OwnBinding {
  readonly upstream: UpstreamBinding;
  /** Names of fields are in braces. */
  readonly path: string;
}

/** Where an operation is served at the method and path of its upstream; undefined where it is not. */
export function ownBindingOf({ paths }: Service, { upstream }: Operation): OwnBinding | undefined {
  // A query in the path tells operations apart that have one path.
  if (paths === undefined || upstream === undefined || upstream.path.includes('?')) return undefined;
  return { upstream, path: paths + upstream.path };
}

/** `Orders.getOrder` and so on. */
export function operationNames(services: readonly Service[]): readonly string[] {
  return services.flatMap(({ name, operations }) => [...operations.keys()].map((operation) => `${name}.${operation}`));
}
