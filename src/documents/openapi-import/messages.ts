/** Reads what an operation receives and answers: parameters, bodies, responses, and the headers of these. */
import {
  isJsonType,
  isOwnHeader,
  type ParameterStyle,
  parameterStyles,
  type UpstreamAnswer,
  type UpstreamBody,
  type UpstreamParameter,
} from '../../contract/operation.ts';
import { binaryLengthMax } from '../../contract/scalar.ts';
import { binary, type Field, list, optional, required, type Schema, string } from '../../contract/schema.ts';
import type { Node } from './documents.ts';
import { capitalise, memberName, StubNames } from './names.ts';
import { anyValue, itemsMax, type SchemaReader, textMax, textOf, xsdOf } from './schemas.ts';
import { typesOf } from './shapes.ts';

type Fields = Record<string, Field>;

/** The fields of a message, and where they stand at the upstream. */
export interface ReadInput {
  readonly fields: Fields;
  /** The path, with the names of fields in braces. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, UpstreamParameter>>;
  readonly body: UpstreamBody | undefined;
}

export interface ReadOutput {
  readonly fields: Fields;
  readonly answer: UpstreamAnswer;
}

/** An operation in a document, with what is around it. */
export interface Declared {
  readonly node: Node;
  readonly method: string;
  readonly path: string;
  /** Those of the path, and those of the operation, which replace them. */
  readonly parameters: readonly Node[];
  /** Of Swagger 2.0: the media types of bodies, and of answers. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly isSwagger: boolean;
}

interface Parameter {
  readonly node: Node;
  readonly name: string;
  readonly location: string;
  readonly isRequired: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

const reservedField = 'idempotencyKey';
const text = { max: textMax, emptyString: 'invalid' } as const;

export function readInput(reader: SchemaReader, declared: Declared, type: string): ReadInput {
  const { findings } = reader;
  const names = new StubNames();
  names.take(reservedField);
  const all = declared.parameters.flatMap((node) => parameterOf(reader, node) ?? []);
  const inBody = readBody(reader, declared, all, type);
  const fields: Fields = {};
  const parameters: Record<string, UpstreamParameter> = {};
  let { path } = declared;
  const pathNames = new Map<string, string>();
  const outside = all.filter(({ location }) => location !== 'body' && location !== 'formData');
  for (const match of path.matchAll(/\{([^{}]*)\}/g)) {
    const [, name = ''] = match;
    if (!outside.some((each) => each.location === 'path' && each.name === name))
      outside.push({ node: declared.node, name, location: 'path', isRequired: true, members: {} });
  }
  for (const each of outside) {
    const { node, name, location } = each;
    if (location === 'path' && !path.includes(`{${name}}`)) {
      findings.add('refused', node, `the path has no {${name}}; the parameter is left out`);
      continue;
    }
    if (location === 'header' && /^idempotency-key$/i.test(name)) {
      findings.add(
        'changed',
        node,
        'the gateway has this header for each write; --upstream-idempotency header passes it on',
      );
      continue;
    }
    if (location === 'header' && !isOwnHeader(name)) {
      findings.add('refused', node, `the gateway sends the header ${name} itself; the parameter is left out`);
      continue;
    }
    if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie') {
      findings.add('refused', node, 'a parameter in an unknown place is left out');
      continue;
    }
    const wanted = memberName(name);
    const isTaken = inBody.names.has(wanted) || Object.hasOwn(fields, wanted);
    const field = names.take(isTaken ? `${wanted}In${capitalise(location)}` : wanted);
    const schema = withName(schemaOfParameter(reader, each, `${type}${capitalise(field)}`), field);
    const xsd = xsdOf(schema);
    const make = each.isRequired || location === 'path' ? required : optional;
    fields[field] = make(schema, textOf(each.members.description), { ...(xsd && { xsd }) });
    parameters[field] = { in: location, ...(name !== field && { name }), ...styleOf(each) };
    if (location === 'path') pathNames.set(name, field);
  }
  path = path.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${pathNames.get(name) ?? name}}`);
  Object.assign(fields, inBody.fields(names));
  return { fields, path, parameters, body: inBody.body };
}

function parameterOf(reader: SchemaReader, node: Node): Parameter | undefined {
  const members = reader.requireObject(node);
  const { name, in: location, required: isRequired } = members;
  if (typeof name !== 'string' || typeof location !== 'string') {
    reader.findings.add('refused', node, 'a parameter without a name, or a place, is left out');
    return undefined;
  }
  return { node, name, location, isRequired: isRequired === true, members };
}

function schemaOfParameter(reader: SchemaReader, { node, members }: Parameter, hint: string): Schema {
  const { documents } = reader;
  const content = documents.members(documents.member(node, 'content'))[0]?.[1];
  const schema = schemaIn(reader, node) ?? (content && schemaIn(reader, content));
  if (schema !== undefined) return reader.schema(schema, hint);
  // Swagger 2.0 has the type in the parameter itself.
  return typeof members.type === 'string' ? reader.schema(node, hint) : string({ ...text, example: 'text' });
}

/** What a reference that leads nowhere stands for may be anything. */
function schemaIn({ documents, findings }: SchemaReader, node: Node): Node | undefined {
  return findings.attempt('the value may be anything', () => documents.member(node, 'schema'));
}

/** A list is called as its field. */
function withName(schema: Schema, name: string): Schema {
  if (schema.kind !== 'list' || schema.joined) return schema;
  return list(schema.item, name, { repeated: true, max: itemsMax, ...(schema.xsd && { xsd: schema.xsd }) });
}

const collections: Readonly<Record<string, Pick<UpstreamParameter, 'style' | 'explode'>>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
};

function styleOf({ location, members }: Parameter): Pick<UpstreamParameter, 'style' | 'explode'> {
  const { style, explode, content, collectionFormat, type, items } = members;
  if (content !== undefined) return { style: 'json' };
  if (type === 'array' || (collectionFormat !== undefined && items !== undefined)) {
    const named = collections[typeof collectionFormat === 'string' ? collectionFormat : 'csv'];
    if (location === 'query' || location === 'formData') return named ?? {};
    return {};
  }
  const known = parameterStyles.find((each) => each === style && each !== 'json') as ParameterStyle | undefined;
  return { ...(known && { style: known }), ...(typeof explode === 'boolean' && { explode }) };
}

interface ReadBody {
  readonly body: UpstreamBody | undefined;
  /** The members in JSON. */
  readonly names: ReadonlySet<string>;
  fields(names: StubNames): Fields;
}

const noBody: ReadBody = { body: undefined, names: new Set(), fields: () => ({}) };

function readBody(reader: SchemaReader, declared: Declared, parameters: readonly Parameter[], type: string): ReadBody {
  const { documents } = reader;
  const { node, consumes, isSwagger } = declared;
  const inForm = parameters.filter(({ location }) => location === 'formData');
  if (inForm.length > 0) return formOf(reader, inForm, consumes, type);
  if (isSwagger) {
    const whole = parameters.find(({ location }) => location === 'body');
    if (whole === undefined) return noBody;
    const schema = schemaIn(reader, whole.node);
    return bodyOf(reader, mediaOf(consumes), schema, { type, node: whole.node, isRequired: whole.isRequired });
  }
  const requestBody = documents.member(node, 'requestBody');
  if (requestBody === undefined) return noBody;
  const contents = documents.members(documents.member(requestBody, 'content'));
  if (contents.length === 0) return noBody;
  const media = mediaOf(contents.map(([name]) => name));
  const content = contents.find(([name]) => name === media)?.[1];
  const isRequired = reader.requireObject(requestBody).required === true;
  const others = contents.map(([name]) => name).filter((name) => name !== media);
  if (others.length > 0)
    reader.findings.add('changed', requestBody, `the server gets ${media}, and not ${others.slice(0, 5).join(', ')}`);
  const schema = content && schemaIn(reader, content);
  return bodyOf(reader, media, schema, { type, node: requestBody, isRequired, content });
}

/** The media type that is sent and asked for: JSON, or a form, or what there is. */
export function mediaOf(types: readonly string[]): string {
  const plain = (each: string): string => each.split(';', 1)[0]!.trim().toLowerCase();
  const orders: readonly ((each: string) => boolean)[] = [
    (each) => plain(each) === 'application/json',
    (each) => isJsonType(plain(each)),
    (each) => each === '*/*' || each === 'application/*',
    (each) => plain(each) === 'application/x-www-form-urlencoded',
    (each) => plain(each) === 'multipart/form-data',
    (each) => plain(each).startsWith('text/') && !/xml/.test(each),
    () => true,
  ];
  for (const fits of orders) {
    const found = types.find(fits);
    if (found !== undefined) return found;
  }
  return 'application/json';
}

interface BodyContext {
  readonly type: string;
  readonly node: Node;
  readonly isRequired: boolean;
  readonly content?: Node | undefined;
}

function bodyOf(reader: SchemaReader, declaredType: string, schema: Node | undefined, context: BodyContext): ReadBody {
  const { type, node, isRequired, content } = context;
  const media = declaredType.includes('*') ? 'application/json' : declaredType.split(';', 1)[0]!.trim().toLowerCase();
  const optionally = isRequired ? {} : ({ optional: true } as const);
  const isForm = media === 'application/x-www-form-urlencoded' || media === 'multipart/form-data';
  if (!isJsonType(media) && !isForm) {
    const isText = /^text\/|xml|javascript|graphql|yaml|csv/.test(media) && !isBinarySchema(reader, schema);
    const value = isText ? string({ ...text, example: 'text' }) : binary({ max: binaryLengthMax, example: 'aGVsbG8=' });
    return wholeBody(media, value, isRequired);
  }
  if (schema === undefined) return wholeBody('application/json', anyValue, isRequired);
  const shape = reader.shapeOf(schema);
  const isObject = shape.properties.size > 0 && [...typesOf(shape)].join() === 'object';
  if (!isObject) {
    if (isForm) reader.findings.add('changed', node, 'a form without members is JSON');
    return wholeBody(isForm ? 'application/json' : media, reader.schema(schema, `${type}Body`), isRequired);
  }
  if (shape.additional !== undefined)
    reader.findings.add(
      'changed',
      schema,
      'the body may have members of any name, which callers in SOAP and FORM do not send',
    );
  if (shape.isUnion)
    reader.findings.add(
      'changed',
      schema,
      'the body is one of several types: it has the members of all of them, and each may be absent',
    );
  return {
    names: new Set(shape.properties.keys()),
    fields: (names) => reader.fields(shape, type, names),
    get body() {
      const parts = isForm && content !== undefined ? partsOf(reader, content) : {};
      return media === 'application/json' && isRequired
        ? undefined
        : { type: media, ...optionally, ...(Object.keys(parts).length > 0 && { parts }) };
    },
  };
}

function wholeBody(type: string, schema: Schema, isRequired: boolean): ReadBody {
  let field = 'body';
  return {
    names: new Set(['body']),
    fields(names) {
      field = names.take('body');
      const make = isRequired && schema.kind !== 'list' && schema.kind !== 'map' ? required : optional;
      const xsd = xsdOf(schema);
      return { [field]: make(withName(schema, field), 'The whole body.', { ...(xsd && { xsd }) }) };
    },
    get body() {
      return { type, field, ...(!isRequired && { optional: true as const }) };
    },
  };
}

function isBinarySchema(reader: SchemaReader, schema: Node | undefined): boolean {
  return schema !== undefined && reader.shapeOf(schema).format === 'binary';
}

/** The styles of members of a form, by the names that they have as fields. */
function partsOf(reader: SchemaReader, content: Node): NonNullable<UpstreamBody['parts']> {
  const { documents } = reader;
  return Object.fromEntries(
    documents.members(documents.member(content, 'encoding')).flatMap(([name, node]) => {
      const { style, explode } = reader.requireObject(node);
      const known = parameterStyles.find((each) => each === style) as ParameterStyle | undefined;
      if (known === undefined && typeof explode !== 'boolean') return [];
      return [[memberName(name), { ...(known && { style: known }), ...(typeof explode === 'boolean' && { explode }) }]];
    }),
  );
}

/** The members of a form of Swagger 2.0. */
function formOf(
  reader: SchemaReader,
  inForm: readonly Parameter[],
  consumes: readonly string[],
  type: string,
): ReadBody {
  const hasFile = inForm.some(({ members }) => members.type === 'file');
  const media =
    hasFile || (consumes.includes('multipart/form-data') && !consumes.includes('application/x-www-form-urlencoded'))
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
  const parts: Record<string, Pick<UpstreamParameter, 'style' | 'explode'>> = {};
  return {
    names: new Set(inForm.map(({ name }) => name)),
    fields: (names) =>
      Object.fromEntries(
        inForm.map((each) => {
          const field = names.take(memberName(each.name));
          const schema = withName(schemaOfParameter(reader, each, `${type}${capitalise(field)}`), field);
          const style = styleOf(each);
          if (style.style !== undefined) parts[field] = style;
          const xsd = xsdOf(schema);
          const options = { ...(field !== each.name && { json: each.name }), ...(xsd && { xsd }) };
          return [field, (each.isRequired ? required : optional)(schema, textOf(each.members.description), options)];
        }),
      ),
    get body() {
      const isOptional = inForm.every(({ isRequired }) => !isRequired);
      return {
        type: media,
        ...(isOptional && { optional: true as const }),
        ...(Object.keys(parts).length > 0 && { parts }),
      };
    },
  };
}

/** The response of a status of success. Several of them have the members of all. */
export function readOutput(reader: SchemaReader, declared: Declared, type: string): ReadOutput {
  const { documents, findings } = reader;
  const responses = documents.member(declared.node, 'responses');
  const all = documents.members(responses).filter(([name]) => !name.startsWith('x-'));
  const successes = all.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const chosen = successes.length > 0 ? successes : all.filter(([status]) => status === 'default');
  const [first] = chosen;
  const status = /^2\d\d$/.test(first?.[0] ?? '') ? { status: Number(first![0]) } : {};
  const names = new StubNames();
  const contents = chosen.flatMap(([, response]) => contentOf(reader, response, declared) ?? []);
  const byType = contents.filter(({ media }) => isJsonType(media));
  const used = byType.length > 0 ? byType : contents.slice(0, 1);
  const [content] = used;
  const isBodyless = declared.method === 'HEAD';
  const fields: Fields = {};
  let answer: UpstreamAnswer = { ...status };
  const distinct = [
    ...new Map(used.map((each) => [each.schema && `${each.schema.url}#${each.schema.pointer}`, each])).values(),
  ];
  if (content !== undefined && !isBodyless) {
    const schema = distinct.length > 1 ? unionOf(distinct.map((each) => each.schema)) : content.schema;
    if (distinct.length > 1)
      findings.add(
        'changed',
        responses ?? declared.node,
        'answers of several statuses have the members of all of them',
      );
    answer = { ...answer, ...readContent(reader, { media: content.media, schema }, { type, names, fields }) };
  }
  const headers: Record<string, string> = {};
  for (const [, response] of chosen)
    for (const [name, node] of documents.members(documents.member(response, 'headers'))) {
      if (
        /^content-(?:type|length|encoding)$/i.test(name) ||
        !/^[\w-]{1,80}$/.test(name) ||
        Object.values(headers).includes(name)
      )
        continue;
      const wanted = memberName(name);
      const field = names.take(Object.hasOwn(fields, wanted) ? `${wanted}InHeader` : wanted);
      fields[field] = optional(
        string({ ...text, example: 'text' }),
        textOf(reader.requireObject(node).description) || `The header ${name}.`,
      );
      headers[field] = name;
    }
  return { fields, answer: { ...answer, ...(Object.keys(headers).length > 0 && { headers }) } };
}

interface Content {
  readonly media: string;
  readonly schema: Node | undefined;
}

/** What a response holds; undefined for nothing. */
export function contentOf(
  reader: SchemaReader,
  response: Node,
  { isSwagger, produces }: Declared,
): Content | undefined {
  const { documents } = reader;
  const plain = (media: string): string =>
    media.includes('*') ? 'application/json' : media.split(';', 1)[0]!.trim().toLowerCase();
  if (isSwagger) {
    const schema = schemaIn(reader, response);
    return schema && { media: plain(mediaOf(produces)), schema };
  }
  const contents = documents.members(documents.member(response, 'content'));
  if (contents.length === 0) return undefined;
  const media = mediaOf(contents.map(([name]) => name));
  const content = contents.find(([name]) => name === media)![1];
  return { media: plain(media), schema: schemaIn(reader, content) };
}

/** A schema that is one of several, wherever these are. */
function unionOf(schemas: readonly (Node | undefined)[]): Node {
  const nodes = schemas.filter((each) => each !== undefined);
  const [first] = nodes;
  const url = first?.url ?? '';
  const oneOf = nodes.map((each) =>
    each.url === url
      ? { $ref: `#${encodePointer(each.pointer)}` }
      : { $ref: `${each.url}#${encodePointer(each.pointer)}` },
  );
  return {
    value: { oneOf },
    url,
    pointer: `${first?.pointer ?? ''}/oneOf:${nodes.map(({ pointer }) => pointer).join(',')}`,
  };
}

function encodePointer(pointer: string): string {
  return pointer.split('/').map(encodeURIComponent).join('/');
}

interface OutputContext {
  readonly type: string;
  readonly names: StubNames;
  readonly fields: Fields;
}

function readContent(
  reader: SchemaReader,
  { media, schema }: Content,
  { type, names, fields }: OutputContext,
): UpstreamAnswer {
  const whole = (value: Schema, more: UpstreamAnswer): UpstreamAnswer => {
    const field = names.take('result');
    const xsd = xsdOf(value);
    fields[field] = optional(withName(value, field), 'The whole body.', { ...(xsd && { xsd }) });
    return { ...more, field };
  };
  if (!isJsonType(media)) {
    const isText = /^text\/|xml|javascript|graphql|yaml|csv|x-www-form/.test(media) && !isBinarySchema(reader, schema);
    const value = isText ? string({ ...text, example: 'text' }) : binary({ max: binaryLengthMax, example: 'aGVsbG8=' });
    return whole(value, { type: media });
  }
  const named = media === 'application/json' ? {} : { type: media };
  if (schema === undefined) return whole(anyValue, named);
  const shape = reader.shapeOf(schema);
  if (shape.properties.size === 0 || [...typesOf(shape)].join() !== 'object')
    return whole(reader.schema(schema, `${type}Result`), named);
  Object.assign(fields, reader.fields(shape, type, names));
  return named;
}
