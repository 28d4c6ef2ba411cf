/** Operations: what a caller can ask, what the answer is, and what the caller needs for it. */
import { isAnswerHeader, isOwnHeader } from './header-names.ts';
import type { ProblemKind, ProblemRef } from './problem.ts';
import {
  type Field,
  type FieldLocation,
  type Grant,
  type Infer,
  isScalar,
  type ObjectSchema,
  object,
  type Schema,
} from './schema.ts';

/** Whether an operation changes data. */
export type Effect = 'reads' | 'writes';
/** A method of HTTP that an operation may be bound to. */
export type Method = 'GET' | 'POST' | 'PATCH';

/** A method and a path that name an operation. In a PATCH, what is left out (or null) stays as it is. */
export interface HttpBinding {
  readonly method: Method;
  /** Below the versioned address of the service: `/accountHolders/{id}`; a name in braces is a field of the input. */
  readonly path: string;
}

/**
 * The method and path of an operation at an upstream that answers it. Callers name the operation; fields of the input whose names
 * are not in the path go to the query of a GET or a DELETE, and else to a body of JSON, unless `parameters` and `body` say more.
 */
export interface UpstreamBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Below the URL of the upstream: `/orders/{id}`; a name in braces is a required field of the input, without `parameters` a scalar. */
  readonly path: string;
  /** Where fields stand outside of the body, by their names. With it, all others are in the body. */
  readonly parameters?: Readonly<Record<string, UpstreamParameter>>;
  /** By default an object of JSON. */
  readonly body?: UpstreamBody;
  /** By default an object of JSON. */
  readonly answer?: UpstreamAnswer;
  /** The problems, with their data, that a status or a class of them stands for: `404`, `4XX`, `default`. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** How a field is written outside of the body, as OpenAPI 3.1 says it (section 4.8.12). */
export interface UpstreamParameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** Its name there; by default that of the field. */
  readonly name?: string;
  /** By default `simple` in paths and headers, and else `form`. `json`: the value as JSON. */
  readonly style?: ParameterStyle;
  /** Whether each item and each member stands alone; by default for `form`. */
  readonly explode?: boolean;
}

/** The styles of OpenAPI; `tabDelimited` is of Swagger 2.0. */
export type ParameterStyle = (typeof parameterStyles)[number];
export const parameterStyles = Object.freeze([
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'tabDelimited',
  'deepObject',
  'json',
] as const);

/** The body of requests to an upstream. */
export interface UpstreamBody {
  /** `application/json` and the like, a form, `multipart/form-data`; of anything else the body is one field, a text or bytes. */
  readonly type: string;
  /** The field that is the whole body. Without it the fields are its members. */
  readonly field?: string;
  /** Where all its fields are absent, it is left out. */
  readonly optional?: true;
  /** The fields that are lists and objects and that a form writes in another style than `form`, exploded. */
  readonly parts?: Readonly<Record<string, Pick<UpstreamParameter, 'style' | 'explode'>>>;
}

/** The answers of an upstream that say that the operation was executed. */
export interface UpstreamAnswer {
  /** Of an answer that is stored and sent again; 200, or 204 without a body. */
  readonly status?: number;
  /** As for the body of a request: JSON by default, else one field. */
  readonly type?: string;
  readonly field?: string;
  /** The fields that are headers, with their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation: what callers send, what they receive, and what they may be refused for. */
export interface Operation<
  N extends string = string,
  I extends ObjectSchema = ObjectSchema,
  O extends ObjectSchema = ObjectSchema,
  E extends Effect = Effect,
> {
  readonly name: N;
  readonly doc: string;
  readonly effect: E;
  /** The role that the credential must have, as its service names it. */
  readonly role: string;
  readonly input: I;
  readonly output: O;
  /** What the domain may refuse it for, beyond what every operation may be refused for. */
  readonly problems: readonly ProblemRef[];
  /** Those of its problems that come with data. */
  readonly faults?: readonly Fault[];
  /** Fields of the input whose value a grant of the caller must hold. */
  readonly grants: readonly GrantedField[];
  /** The elements of its SOAP messages, where they are not called after it. */
  readonly elements?: MessageElements;
  /** Whoever answers it says only that it has received the request: callers get 202 without a body. It has no output. */
  readonly oneWay?: true;
  /** With a binding, the rest format carries the operation; without one, callers name it in soap, json and form. */
  readonly http?: HttpBinding;
  /** The changes of a status that it makes, for the reference. */
  readonly transitions?: Transitions;
  /** How an upstream is asked, where it is not asked as this program is. */
  readonly upstream?: UpstreamBinding;
  /** The SOAPAction that an upstream in SOAP demands, and that the WSDL declares; by default it is empty. Callers may send any. */
  readonly soapAction?: string | SoapActions;
  /** The action of the answer by WS-Addressing, which the WSDL declares; by default it follows from the names in the WSDL. */
  readonly replyAction?: string;
}

/** What each status may become, with the reason for the change. `S`: the statuses. */
export type Transitions<S extends string = string> = Readonly<Record<S, Readonly<Partial<Record<S, string>>>>>;

/** A problem with data. SOAP callers receive an element in the detail of the fault, others the member `fault`. */
export interface Fault {
  readonly problem: ProblemKind;
  /** The local name of the element. */
  readonly element: string;
  /** Prefix of the namespace of the element; the service's own where it is absent. */
  readonly namespace?: string;
  readonly detail: ObjectSchema;
}

/** The actions of an operation whose bindings for SOAP 1.1 and SOAP 1.2 differ. */
export interface SoapActions {
  readonly soap11: string;
  readonly soap12: string;
}

/** The elements of SOAP messages. */
export interface MessageElements {
  /** By default the name of the operation. Empty where the fields are the elements of the Body themselves. */
  readonly input?: string;
  /** By default the name of the operation, with `Response` behind it. Empty as for `input`. */
  readonly output?: string;
  /** In the style `request-result`: the element that holds the fields, where it is not called `request`. */
  readonly request?: string;
  /** The same where it is not called `result`. */
  readonly result?: string;
  /** Prefix of the namespace of the element; empty for none, that of the service where it is absent. */
  readonly inputNamespace?: string;
  /** As `inputNamespace`. */
  readonly outputNamespace?: string;
}

/** A field of the input whose values a grant must hold. */
export interface GrantedField {
  readonly field: string;
  readonly grant: Grant;
}

/** An operation that a method and a path name. */
export interface BoundOperation extends Operation {
  readonly http: HttpBinding;
}

/** The TypeScript type of the input of an operation. */
export type Input<O> = O extends Operation<string, infer I, ObjectSchema> ? Infer<I> : never;
/** The TypeScript type of the output of an operation. */
export type Output<O> = O extends Operation<string, ObjectSchema, infer R> ? Infer<R> : never;

/** An option of the command line is named after it. */
const grantName = /^[A-Za-z][A-Za-z0-9]*$/;

/** Declares an operation. Throws where its fields and its HTTP bindings disagree, and for the name of a grant. */
export function operation<
  const N extends string,
  I extends ObjectSchema,
  O extends ObjectSchema,
  const E extends Effect,
>(parts: Omit<Operation<N, I, O, E>, 'grants'>): Operation<N, I, O, E> {
  checkBinding(parts);
  checkUpstreamBinding({ ...parts, problems: problemsWithFaults(parts) });
  checkOneWay(parts);
  for (const version of ['soap11', 'soap12'] as const) {
    const action = soapActionOf(parts, version);
    if (!isSoapAction(action)) throw new TypeError(`${parts.name}: ${JSON.stringify(action)} is no SOAPAction`);
  }
  const grants = Object.entries(parts.input.fields).flatMap(([field, { schema }]) =>
    schema.kind === 'string' && schema.authorizes !== undefined ? [{ field, grant: schema.authorizes }] : [],
  );
  for (const { grant } of grants)
    if (!grantName.test(grant.name)) throw new TypeError(`${parts.name}: ${grant.name} is no name of a grant`);
  return Object.freeze({ ...parts, problems: problemsWithFaults(parts), grants });
}

function problemsWithFaults({ problems, faults = [] }: Omit<Operation, 'grants'>): readonly ProblemRef[] {
  return [...new Set([...problems, ...faults.map(({ problem }) => problem)])];
}

/** The fault of an operation for a problem. A problem may have another status than its kind in the contract. */
export function faultOf({ faults }: Operation, { name }: Pick<ProblemKind, 'name'>): Fault | undefined {
  return faults?.find(({ problem }) => problem.name === name);
}

export function isBound(operation: Operation): operation is BoundOperation {
  return operation.http !== undefined;
}

/** The names in braces of a path, in their order. */
export function namesInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** The local name of the element of a SOAP message. */
export function elementName({ name, elements }: Operation, side: 'input' | 'output'): string {
  return elements?.[side] ?? (side === 'input' ? name : `${name}Response`);
}

/** The prefix of the namespace of the element of a SOAP message: undefined for that of the service, empty for none. */
export function elementPrefix({ elements }: Operation, side: 'input' | 'output'): string | undefined {
  return side === 'input' ? elements?.inputNamespace : elements?.outputNamespace;
}

/** Whether two operations with one element are told apart by their actions. */
export function hasOwnAction(one: Operation, other: Operation): boolean {
  const versions = ['soap11', 'soap12'] as const;
  return versions.every((version) => soapActionOf(one, version) !== soapActionOf(other, version));
}

/** The SOAPAction in one version of SOAP; empty where there is none. */
export function soapActionOf({ soapAction = '' }: Pick<Operation, 'soapAction'>, version: keyof SoapActions): string {
  return typeof soapAction === 'string' ? soapAction : soapAction[version];
}

/** Whether a header can have a text in quotes, without escapes. */
export function isSoapAction(text: string): boolean {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text);
}

export function locationOf(field: Field): FieldLocation {
  return field.in ?? 'body';
}

/** One schema for each location of the fields; the rules between fields are those of the body. */
export function splitByLocation(schema: ObjectSchema): Readonly<Record<FieldLocation, ObjectSchema>> {
  const { name, fields, choices, ignoredMembers } = schema;
  const isAllBody = Object.values(fields).every((field) => locationOf(field) === 'body');
  const fieldsIn = (location: FieldLocation) =>
    Object.fromEntries(Object.entries(fields).filter(([, field]) => locationOf(field) === location));
  return {
    path: object(name, fieldsIn('path')),
    query: object(name, fieldsIn('query')),
    header: object(name, fieldsIn('header')),
    // All of it is the body: so are its other types.
    body: isAllBody ? schema : object(name, fieldsIn('body'), { choices, ignoredMembers }),
  };
}

function checkBinding({ name, input, output, http }: Omit<Operation, 'grants'>): void {
  if (http === undefined) {
    const fields = [...Object.entries(input.fields), ...Object.entries(output.fields)];
    const outside = fields.find(([, field]) => locationOf(field) !== 'body');
    if (outside !== undefined) throw new TypeError(`${name}: without a binding, ${outside[0]} belongs in the body`);
    return;
  }
  const named = namesInPath(http.path);
  const fields = Object.keys(splitByLocation(input).path.fields);
  if (named.toSorted().join() !== fields.toSorted().join())
    throw new TypeError(`${name}: ${http.path} and its fields in the path (${fields.join(', ')}) differ`);
}

function checkOneWay({ name, effect, output, oneWay, http }: Omit<Operation, 'grants'>): void {
  if (oneWay !== true) return;
  if (effect === 'reads') throw new TypeError(`${name}: an operation without an answer reads nothing`);
  if (http !== undefined) throw new TypeError(`${name}: an operation with a binding has an answer`);
  const [field] = Object.keys(output.fields);
  if (field !== undefined) throw new TypeError(`${name}: an operation without an answer has no ${field} in its output`);
}

/** The messages of an operation in SOAP. */
export function sidesOf({ oneWay }: Pick<Operation, 'oneWay'>): readonly ('input' | 'output')[] {
  return oneWay === true ? ['input'] : ['input', 'output'];
}

/** Whether the fields that are not in the path go to the query. */
export function sendsQuery({ method, parameters }: UpstreamBinding): boolean {
  return parameters === undefined && (method === 'GET' || method === 'DELETE');
}

/** The fields that are in the body of a request to the upstream. */
export function bodyFieldsOf({ input }: Pick<Operation, 'input'>, binding: UpstreamBinding): readonly string[] {
  if (sendsQuery(binding)) return [];
  const { path, parameters = {} } = binding;
  const outside = new Set([...namesInPath(path), ...Object.keys(parameters)]);
  return Object.keys(input.fields).filter((name) => !outside.has(name));
}

/** Whether a media type is one of JSON. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(type);
}

/** Whether a media type is one of forms. */
export function isFormType(type: string): boolean {
  return type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data';
}

function checkUpstreamBinding({ name, input, output, problems, http, upstream }: Omit<Operation, 'grants'>): void {
  if (upstream === undefined) return;
  const { method, path, parameters, body, answer, errors = {} } = upstream;
  const fault = (text: string): TypeError => new TypeError(`${name}: ${method} ${path} ${text}`);
  if (http !== undefined) throw fault('is for an operation without an HTTP binding');
  if (!/^\/[\w.~!$&'()*+,;=:@%/{}-]*(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?$/.test(path) || path.split('/').some(isDotSegment))
    throw fault('is no path of an upstream');
  const named = namesInPath(path);
  if (new Set(named).size !== named.length) throw fault('has a field twice');
  for (const each of named) {
    const field: Field | undefined = Object.hasOwn(input.fields, each) ? input.fields[each] : undefined;
    if (field === undefined) throw fault(`names ${each}, which is no field`);
    if (!field.required || (parameters === undefined && !isScalar(field.schema)))
      throw fault(`names ${each}, which is no required scalar`);
  }
  const ofInput = [...Object.keys(parameters ?? {}), ...(body?.field === undefined ? [] : [body.field])];
  const ofOutput = [...Object.keys(answer?.headers ?? {}), ...(answer?.field === undefined ? [] : [answer.field])];
  const unknown =
    ofInput.find((each) => !Object.hasOwn(input.fields, each)) ??
    ofOutput.find((each) => !Object.hasOwn(output.fields, each));
  if (unknown !== undefined) throw fault(`names ${unknown}, which is no field`);
  for (const [each, { in: location }] of Object.entries(parameters ?? {}))
    if ((location === 'path') !== named.includes(each)) throw fault(`and its parameter ${each} disagree`);
  for (const [each, { in: location, name: header = each }] of Object.entries(parameters ?? {}))
    if (location === 'header' && !isOwnHeader(header)) throw fault(`cannot have ${each} in the header ${header}`);
  for (const [each, header] of Object.entries(answer?.headers ?? {}))
    if (!isAnswerHeader(header)) throw fault(`cannot have ${each} in the header ${header} of its answer`);
  const inBody = bodyFieldsOf({ input }, upstream);
  if (body?.field !== undefined && inBody.join() !== body.field) throw fault(`has more in its body than ${body.field}`);
  for (const each of Object.values(errors))
    if (!problems.some((problem) => (typeof problem === 'string' ? problem : problem.name) === each))
      throw fault(`names ${each}, which is no problem of it`);
  if (!sendsQuery(upstream)) return;
  for (const [each, { schema }] of Object.entries<Field>(input.fields))
    if (!named.includes(each) && !fitsQuery(schema)) throw fault(`cannot have ${each} in its query`);
}

/** A segment that removes others from a path (RFC 3986, section 5.2.4), also where a server decodes it first. */
export function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** Whether a value removes segments where a server decodes the slashes in it, also those of Windows. */
export function hidesDotSegment(value: string): boolean {
  const segments = value.split(/[/\\]/);
  return segments.length > 1 && segments.some(isDotSegment);
}

/** A list is its name with each item in turn. */
function fitsQuery(schema: Schema): boolean {
  return isScalar(schema) || (schema.kind === 'list' && isScalar(schema.item));
}
