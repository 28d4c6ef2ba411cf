/** Imports an OpenAPI document: the contract as a value and as TypeScript, and what was left out or said in another way. */
import {
  type Operation,
  object,
  operation,
  type Service,
  service,
  type UpstreamBinding,
} from '../../core/contract/index.ts';
import { capitalised, StubNames } from '../../documents/index.ts';
import { findingComments } from '../findings.ts';
import { type MarkedField, markSecrets, type SecretChoice, secretLines, unknownFault } from '../secrets.ts';
import { checkSource } from '../wsdl/check-source.ts';
import { compileNames, kebabCase } from '../wsdl/import-service.ts';
import { type ReadingOptions, Unread } from '../wsdl/read-location.ts';
import { writeContracts } from '../wsdl/write-contract.ts';
import { readOutput } from './answers.ts';
import { loadOpenApi, type Node, type OpenApiDocuments, Refused } from './documents.ts';
import { ErrorReader } from './errors.ts';
import { type OpenApiFinding, OpenApiFindings, openApiFindingLines } from './findings.ts';
import { readInput } from './messages.ts';
import { memberName, typeName } from './names.ts';
import type { Declared } from './parameters.ts';
import { sizeOf } from './schema-size.ts';
import { type CutMembers, SchemaReader } from './schemas.ts';
import { credentialsOf, serverOf, swaggerServer, tokenUrlOf } from './servers.ts';
import { textOf } from './shapes.ts';

export interface OpenApiOptions extends ReadingOptions, SecretChoice {
  /** Further operations that only read, beside GET, HEAD and OPTIONS: names, with `*` for any letters. */
  readonly reads?: readonly string[] | undefined;
  /** What happens to members of requests that the contract lacks; they are refused by default. */
  readonly unknownRequestMembers?: 'refuse' | 'drop' | undefined;
}

export interface ImportedOpenApi {
  readonly service: Service;
  /** The address of the server; empty where the document has none. */
  readonly location: string;
  /** Where the document says that the gateway gets tokens for itself (OAuth 2); it may begin at the server. */
  readonly tokenUrl: string | undefined;
  /** Operations of the document, those that were left out included. */
  readonly declared: number;
  readonly findings: readonly OpenApiFinding[];
  /** The fields that are sensitive. */
  readonly secrets: readonly MarkedField[];
  /** Returns the source text of the contract. Throws UnsafeSource rather than return code. */
  text(): string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Types that each WSDL of this program has. */
const reservedTypes = ['ServiceException', 'Error'] as const;
const operationsMax = 5_000;
/** How often all is read with more members cut. */
const roundsMax = 5;
/** Members of all messages: what reads and prints them visits each as often as a message may have it. */
const fieldsMax = 1_000_000;

/** `location`: a path, or a URL where the network is allowed. Throws Unread where nothing can be imported. */
export async function importOpenApi(location: string, options: OpenApiOptions): Promise<ImportedOpenApi> {
  const documents = await loadOpenApi(location, options);
  try {
    return importLoaded(documents, options);
  } catch (thrown) {
    if (thrown instanceof Refused) throw new Unread(`${documents.placeOf(thrown.place)}: ${thrown.message}`);
    throw thrown;
  }
}

/** Members that are found to hold a type too often are cut in all messages, so each type has one form. */
function importLoaded(documents: OpenApiDocuments, options: OpenApiOptions): ImportedOpenApi {
  let cut: CutMembers = new Set();
  for (let round = 1; ; round += 1) {
    const findings = new OpenApiFindings(documents);
    const reader = new SchemaReader(documents, findings, cut);
    const imported = importBy(reader, options);
    if (cut === 'all' || (reader.tooMany.size === 0 && !reader.isTangled)) return imported;
    cut = round === roundsMax || reader.isTangled ? 'all' : new Set([...cut, ...reader.tooMany]);
  }
}

function importBy(reader: SchemaReader, options: OpenApiOptions): ImportedOpenApi {
  const { documents, findings } = reader;
  const { root } = documents;
  const { swagger, openapi } = (Object(root.value) ?? {}) as { readonly swagger?: unknown; readonly openapi?: unknown };
  const isSwagger = String(swagger) === '2.0' || swagger === 2;
  if (!isSwagger && !/^3\.[0-2](?:\.|$)/.test(String(openapi)))
    throw new Unread('this is no OpenAPI document: it says neither openapi 3.0, 3.1 or 3.2 nor swagger 2.0');
  const declared = declaredOperations(documents, findings, isSwagger);
  noteCalls(documents, findings, declared);
  if (declared.length > operationsMax) throw new Unread(`the document has more than ${operationsMax} operations`);
  const info = documents.member(root, 'info');
  const title = textOf(info && documents.member(info, 'title')?.value);
  const location = isSwagger ? swaggerServer(documents) : serverOf(documents);
  const paths = URL.canParse(location) ? new URL(location).pathname.replace(/\/+$/, '') : location.replace(/\/+$/, '');
  const name = serviceName(title, declared, paths);
  const named = nameOperations(declared, findings);
  for (const each of named) reader.names.take(each.name);
  // Another operation may be called as the answer of one.
  const answers = new Map(named.map((each) => [each.name, reader.names.take(`${each.name}Response`)]));
  for (const each of [name, ...reservedTypes]) reader.names.take(each);
  const role = kebabCase(name);
  const errors = new ErrorReader(reader);
  const isReading = compileNames(options.reads ?? []);
  let fields = 0;
  const operations = named.flatMap(({ name: each, declared: of }): readonly Operation[] => {
    const read = findings.attempt(`the operation ${each} is left out`, () => {
      const made = readOperation(reader, errors, of, { name: each, answer: answers.get(each)!, role, isReading });
      fields += sizeOf(made.input).fields + sizeOf(made.output).fields;
      if (fields > fieldsMax) throw new Refused(of.node, `all messages together have more than ${fieldsMax} members`);
      return made;
    });
    return read === undefined ? [] : [read];
  });
  if (operations.length === 0)
    throw new Unread(['no operation can be imported', ...openApiFindingLines(findings.all())].join('\n'));
  const problems = Object.fromEntries(
    Object.entries(errors.problems).filter(([, problem]) => operations.some((each) => each.problems.includes(problem))),
  );
  const presented = credentialsOf(documents, findings, isSwagger);
  const marked = markSecrets(operations, {
    ...options,
    writeOnly: reader.writeOnly,
    credentials: new Set(presented.credentials?.places.flatMap((place) => ('name' in place ? place.name : []))),
  });
  const fault = unknownFault([marked]);
  if (fault !== undefined) throw new Unread(fault);
  const made = service({
    name,
    version: 1,
    answers: { from: 1, to: 1 },
    doc:
      textOf(info && documents.member(info, 'description')?.value) || `${name}, as its OpenAPI document describes it.`,
    roles: [role],
    address: `/${name}`,
    paths: isPath(paths) ? paths : '',
    ...presented,
    // Axis makes the name of a package of it, which must differ from that of the service.
    namespaces: { own: 'api', uris: { api: `urn:openapi:${name.toLowerCase()}` } },
    soapStyle: 'wrapped',
    ...(options.unknownRequestMembers === 'drop' && { unknownRequestMembers: 'drop' }),
    ...(Object.keys(problems).length > 0 && { problems }),
    operations: marked.operations,
  });
  const all = findings.all();
  return {
    service: made,
    location,
    tokenUrl: tokenUrlOf(documents, isSwagger),
    declared: declared.length,
    findings: all,
    secrets: marked.fields,
    text: () => textOfContract(made, all, marked.fields),
  };
}

function textOfContract(made: Service, findings: readonly OpenApiFinding[], secrets: readonly MarkedField[]): string {
  const text = writeContracts(
    [made],
    [
      `/** ${made.name}, version ${made.version}: the contract of an OpenAPI document, by \`triglyph serve --openapi\`. */`,
      '// The server checks what the document demands of values: lengths, ranges, patterns, and what must be there.',
      ...findingComments([...openApiFindingLines(findings), ...secretLines(secrets)]),
    ],
  );
  checkSource(text);
  return text;
}

interface Naming {
  readonly name: string;
  /** The element of its answer. */
  readonly answer: string;
  readonly role: string;
  readonly isReading: (name: string) => boolean;
}

function readOperation(
  reader: SchemaReader,
  errors: ErrorReader,
  declared: Declared,
  { name, answer, role, isReading }: Naming,
): Operation {
  const { node, method } = declared;
  const { summary, description, servers } = reader.requireObject(node);
  if (servers !== undefined)
    reader.findings.add('changed', node, 'servers of one operation are not asked: all requests go to one server');
  const type = typeName(capitalised(name));
  const input = readInput(reader, declared, `${type}Request`);
  const output = readOutput(reader, declared, `${type}Result`);
  const { faults, errors: byStatus } = errors.read(declared, type);
  const { path, query } = splitPath(input.path);
  if (/\{[^{}]*\+\}/.test(declared.path))
    reader.findings.add('changed', node, 'a parameter of several steps of a path is one step');
  const upstream: UpstreamBinding = {
    method: method as UpstreamBinding['method'],
    path: path + query,
    parameters: input.parameters,
    ...(input.body && { body: input.body }),
    answer: output.answer,
    ...(faults.length > 0 && { errors: byStatus }),
  };
  if (declared.path.includes('?'))
    reader.findings.add('changed', node, 'a path with a query is no path of its own: call the operation by its name');
  try {
    return operation({
      name,
      doc: textOf(summary) || textOf(description) || `${capitalised(name)}.`,
      effect: reading.has(method) || isReading(name) ? 'reads' : 'writes',
      role,
      problems: [],
      ...(faults.length > 0 && { faults }),
      upstream,
      ...(answer !== `${name}Response` && { elements: { output: answer } }),
      input: object(reader.names.take(`${type}Request`), input.fields),
      output: object(reader.names.take(`${type}Result`), output.fields),
    });
  } catch (thrown) {
    // What the contract language refuses in its own words.
    if (thrown instanceof TypeError) throw new Refused(node, thrown.message);
    throw thrown;
  }
}

/** A fragment tells operations of one path apart in some documents, and is never sent. */
function splitPath(path: string): { readonly path: string; readonly query: string } {
  const [, plain = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(path) ?? [];
  const encode = (text: string): string =>
    text.replace(/[^\w.~!$&'()*+,;=:@%/{}-]/gu, (sign) => encodeURIComponent(sign));
  const encoded = encode(plain.replace(/\{(?!\w+\})|(?<!\{\w+)\}/g, (sign) => encodeURIComponent(sign)));
  // A pair with a template is a parameter of the query.
  const pairs = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/[{}]/.test(pair));
  return {
    path: encoded.startsWith('/') ? encoded : `/${encoded}`,
    query: pairs.length === 0 ? '' : `?${encode(pairs.join('&'))}`,
  };
}

function isPath(text: string): boolean {
  return /^(?:\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(text);
}

function declaredOperations(
  documents: OpenApiDocuments,
  findings: OpenApiFindings,
  isSwagger: boolean,
): readonly Declared[] {
  const { root } = documents;
  const paths = documents.member(root, 'paths');
  const texts = (node: Node | undefined): readonly string[] | undefined => {
    const values = documents.members(node).flatMap(([, { value }]) => (typeof value === 'string' ? [value] : []));
    return values.length === 0 ? undefined : values;
  };
  const typesAt = (node: Node, name: string): readonly string[] | undefined => texts(documents.member(node, name));
  const found: Declared[] = [];
  const items = paths === undefined ? [] : Object.keys(Object(paths.value)).filter((path) => !path.startsWith('x-'));
  for (const path of items) {
    const item = findings.attempt('the path is left out', () => documents.member(paths!, path));
    if (item === undefined) continue;
    if (!path.startsWith('/')) {
      findings.add('refused', item, 'a path begins with a slash; it is left out');
      continue;
    }
    noteParts(documents, item, findings);
    const shared = parametersAt(documents, item, findings);
    for (const method of methods) {
      const node = findings.attempt('the operation is left out', () => documents.member(item, method));
      if (node === undefined || typeof node.value !== 'object' || node.value === null) continue;
      const own = parametersAt(documents, node, findings);
      const keyOf = ({ value }: Node): string => JSON.stringify([Object(value).in, Object(value).name]);
      const ownKeys = new Set(own.map(keyOf));
      found.push({
        node,
        method: method.toUpperCase(),
        path,
        parameters: [...shared.filter((each) => !ownKeys.has(keyOf(each))), ...own],
        consumes: typesAt(node, 'consumes') ?? typesAt(root, 'consumes') ?? ['application/json'],
        produces: typesAt(node, 'produces') ?? typesAt(root, 'produces') ?? ['application/json'],
        isSwagger,
      });
    }
  }
  return found;
}

/** Reports parts of a path that no request is made by, or that say another server. */
function noteParts(documents: OpenApiDocuments, item: Node, findings: OpenApiFindings): void {
  const { servers } = Object(item.value) as { readonly servers?: unknown };
  if (Array.isArray(servers) && servers.length > 0)
    findings.add('changed', item, 'servers of one path are not asked: all requests go to one server');
  for (const [method, node] of documents.members(memberOf(documents, item, 'additionalOperations', findings)))
    findings.add('refused', node, `no request is made by ${method}; the operation is left out`);
}

/** Reports the requests that the server makes, and the webhooks of the document. */
function noteCalls(documents: OpenApiDocuments, findings: OpenApiFindings, declared: readonly Declared[]): void {
  for (const [, node] of documents.members(memberOf(documents, documents.root, 'webhooks', findings)))
    findings.add('refused', node, 'the server sends a webhook, so no caller does; it is left out');
  for (const { node } of declared)
    for (const [, callback] of documents.members(memberOf(documents, node, 'callbacks', findings)))
      findings.add('refused', callback, 'the server sends a callback, so no caller does; it is left out');
}

function memberOf(documents: OpenApiDocuments, node: Node, name: string, findings: OpenApiFindings): Node | undefined {
  return findings.attempt('they are left out', () => documents.member(node, name));
}

function parametersAt(documents: OpenApiDocuments, node: Node, findings: OpenApiFindings): readonly Node[] {
  const list = documents.member(node, 'parameters');
  const count = Array.isArray(list?.value) ? list.value.length : 0;
  return Array.from({ length: count }, (_, at) => at).flatMap(
    (at) => findings.attempt('the parameter is left out', () => documents.member(list!, at)) ?? [],
  );
}

interface Named {
  readonly name: string;
  readonly declared: Declared;
}

/** By `operationId`, or by method and path. */
function nameOperations(declared: readonly Declared[], findings: OpenApiFindings): readonly Named[] {
  const names = new StubNames();
  const all = declared.map((each) => ({ each, id: idOf(each) }));
  // Names of the document go first, so that made up ones do not change them.
  const byId = new Map(
    all.flatMap(({ each, id }) => (id === undefined ? [] : [[each, names.take(operationName(id))] as const])),
  );
  return all.flatMap(({ each, id }): readonly Named[] => {
    const name = byId.get(each) ?? names.take(operationName(`${each.method.toLowerCase()} ${each.path}`));
    if (each.method === 'TRACE' || each.method === 'QUERY') {
      findings.add('refused', each.node, `no request is made by ${each.method}; the operation ${name} is left out`);
      return [];
    }
    if (id !== undefined && name !== id) findings.add('changed', each.node, `the operation ${id} is called ${name}`);
    return [{ name, declared: each }];
  });
}

/** Stubs make a class of it, too, whose name begins with a letter. */
function operationName(id: string): string {
  return memberName(id).replace(/^_(?=\d)/, 'operation');
}

function idOf({ node }: Declared): string | undefined {
  const { operationId } = node.value as { readonly operationId?: unknown };
  return typeof operationId === 'string' && operationId.trim() !== '' ? operationId.trim() : undefined;
}

/** No path of the server begins with the address of the service. */
function serviceName(title: string, declared: readonly Declared[], root: string): string {
  const wanted = typeName(title === '' ? 'Api' : title, 'Api').slice(0, 60);
  const first = new Set(declared.map(({ path }) => `${root}${path}`.split('/')[1] ?? ''));
  let name = wanted;
  for (let number = 2; first.has(name); number++) name = `${wanted}${number}`;
  return name;
}
