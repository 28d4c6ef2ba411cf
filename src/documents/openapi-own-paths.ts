/** Describes operations at the methods and paths of their upstreams, where a service serves them, too. */
import {
  bodyFieldsOf,
  type Field,
  isFormType,
  isJsonType,
  namesInPath,
  type ObjectSchema,
  type Operation,
  object,
  ownBindingOf,
  type Schema,
  type Service,
  type UpstreamBinding,
  type UpstreamParameter,
} from '../core/contract/index.ts';
import { deriveJsonSchema, fieldSchema, type JsonSchema } from './json-schema.ts';
import { capitalised } from './names.ts';
import type { Components } from './openapi-components.ts';

/** An operation at its own path. */
export interface OwnPath {
  readonly service: Service;
  readonly operation: Operation;
  readonly upstream: UpstreamBinding;
  readonly method: string;
  /** With names in braces. */
  readonly path: string;
  /** The names of fields by those in the braces, which are the same for all methods of a path. */
  readonly inPath: Readonly<Record<string, string>>;
}

/** As requests find them: of those with one method and path, the first one answers. */
export function ownPathsOf(services: readonly Service[]): readonly OwnPath[] {
  const found = new Map<string, OwnPath>();
  const firstNames = new Map<string, readonly string[]>();
  for (const service of services)
    for (const operation of service.operations.values()) {
      const own = ownBindingOf(service, operation);
      if (own === undefined) continue;
      const { upstream } = own;
      const fields = namesInPath(upstream.path);
      const pattern = own.path.replace(/\{\w+\}/g, '{}');
      const names = firstNames.get(pattern) ?? fields.map((field) => nameIn(upstream, field));
      firstNames.set(pattern, names);
      const key = `${upstream.method} ${pattern}`;
      if (found.has(key)) continue;
      const inPath = Object.fromEntries(names.map((name, at) => [name, fields[at]!]));
      let at = 0;
      const path = pattern.replaceAll('{}', () => `{${names[at++]}}`);
      found.set(key, { service, operation, upstream, method: upstream.method.toLowerCase(), path, inPath });
    }
  return [...found.values()];
}

/** In braces, a name without signs of URLs. */
function nameIn({ parameters = {} }: UpstreamBinding, field: string): string {
  const { name = field } = parameters[field] ?? {};
  return /^[^{}/?#]+$/.test(name) ? name : field;
}

/** The parameters in path, query, headers and cookies. */
export function parametersAt({ operation, upstream, inPath }: OwnPath): readonly JsonSchema[] {
  const { parameters = {} } = upstream;
  const fields = operation.input.fields;
  const outside = Object.entries(parameters).filter(([, { in: location }]) => location !== 'path');
  return [
    ...Object.entries(inPath).map(([name, field]) =>
      parameterObject({ in: 'path', ...parameters[field], name }, fields[field]!),
    ),
    ...outside.map(([field, parameter]) => parameterObject({ name: field, ...parameter }, fields[field]!)),
  ];
}

/** The styles of OpenAPI in each place, the default one first. */
const styles: Readonly<Record<UpstreamParameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function parameterObject({ name, in: location, style, explode }: UpstreamParameter, field: Field): JsonSchema {
  const { description: _, ...schema } = fieldSchema(field, deriveJsonSchema(field.schema, 'output'));
  const common = { name, in: location, required: field.required || location === 'path', description: field.doc };
  if (style === 'json') return { ...common, content: { 'application/json': { schema } } };
  // No style of OpenAPI 3 separates by tabs.
  if (style === 'tabDelimited') return { ...common, schema: { type: 'string' } };
  const isOther = style !== undefined && !styles[location].includes(style);
  return {
    ...common,
    ...(style !== undefined && { style: isOther ? styles[location][0] : style }),
    ...(explode === undefined ? isOther && { explode: style === 'form' } : { explode }),
    schema,
  };
}

/** The body of requests; undefined for none. */
export function bodyAt(own: OwnPath, version: number, components: Components): JsonSchema | undefined {
  const { operation, upstream } = own;
  const names = bodyFieldsOf(operation, upstream);
  if (names.length === 0) return undefined;
  const { type = 'application/json', field, optional, parts = {} } = upstream.body ?? {};
  const schema = schemaOf({ type, field, names, side: 'input', operation }, version, components);
  const encoding = Object.entries(parts).map(([name, { style, explode }]) => [
    operation.input.fields[name]?.json ?? name,
    style === 'json' || style === 'tabDelimited' ? { contentType: 'application/json' } : { style, explode },
  ]);
  const encoded = encoding.length > 0 && { encoding: Object.fromEntries(encoding) };
  return { required: optional !== true, content: { [type]: { schema, ...encoded } } };
}

/** The body of answers; undefined for none. */
export function answerAt(own: OwnPath, version: number, components: Components): JsonSchema | undefined {
  const { operation, upstream } = own;
  const { type = 'application/json', field, headers = {} } = upstream.answer ?? {};
  const names = Object.keys(operation.output.fields).filter((name) => !Object.hasOwn(headers, name));
  if (names.length === 0 || upstream.method === 'HEAD') return undefined;
  const schema = schemaOf({ type, field, names, side: 'output', operation }, version, components);
  return { [type]: { schema } };
}

/** The headers of answers that are fields of the contract. */
export function answerHeadersAt({ operation, upstream }: OwnPath): JsonSchema {
  return Object.fromEntries(
    Object.entries(upstream.answer?.headers ?? {}).map(([name, header]) => {
      const field = operation.output.fields[name]!;
      return [header, { description: field.doc, schema: deriveJsonSchema(field.schema, 'output') }];
    }),
  );
}

interface Content {
  readonly type: string;
  /** The field that is the whole body. */
  readonly field: string | undefined;
  /** The fields that it has. */
  readonly names: readonly string[];
  readonly side: 'input' | 'output';
  readonly operation: Operation;
}

/** Other members than those of the contract are passed on, in requests as in answers. */
function schemaOf(
  { type, field, names, side, operation }: Content,
  version: number,
  components: Components,
): JsonSchema {
  const message: ObjectSchema = operation[side];
  const derive = (schema: Schema) => components.json(version, operation, 'output', schema);
  const whole = field === undefined || isFormType(type) ? undefined : message.fields[field];
  if (whole !== undefined)
    return isJsonType(type) ? fieldSchema(whole, derive(whole.schema)) : plainSchema(whole.schema);
  const isAll = names.length === Object.keys(message.fields).length;
  const fields = Object.fromEntries(names.map((name) => [name, message.fields[name]!]));
  const name = side === 'input' ? `${capitalised(operation.name)}Body` : message.name;
  const body = object(name, fields, isAll ? { choices: message.choices } : {});
  return type === 'multipart/form-data' ? partsSchema(body) : derive(body);
}

/** A part that is bytes is no base64. */
function partsSchema({ fields }: ObjectSchema): JsonSchema {
  const parts = Object.entries<Field>(fields).map(([name, { json = name, schema, doc }]) => {
    const part = schema.kind === 'list' ? { type: 'array', items: plainSchema(schema.item) } : plainSchema(schema);
    return [json, { ...part, ...(doc !== '' && { description: doc }) }] as const;
  });
  const required = Object.entries<Field>(fields).flatMap(([name, { json = name, required }]) => (required ? json : []));
  return { type: 'object', properties: Object.fromEntries(parts), ...(required.length > 0 && { required }) };
}

function plainSchema(schema: Schema): JsonSchema {
  return schema.kind === 'binary'
    ? { type: 'string', contentMediaType: 'application/octet-stream' }
    : deriveJsonSchema(schema, 'output');
}
