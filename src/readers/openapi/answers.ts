/** Reads the answers of an operation: their bodies, and the headers of these. */
import {
  isAnswerHeader,
  isJsonType,
  optional,
  type Schema,
  string,
  type UpstreamAnswer,
} from '../../core/contract/index.ts';
import { StubNames } from '../../documents/index.ts';
import { keyOf, type Node } from './documents.ts';
import { concreteType, mediaOf, textOrBytes } from './media-types.ts';
import { memberName } from './names.ts';
import { type Declared, type Fields, schemaIn } from './parameters.ts';
import { anyValue, textOptions, withName, xsdOf } from './scalars.ts';
import type { SchemaReader } from './schemas.ts';
import { textOf, typesOf } from './shapes.ts';

interface ReadOutput {
  readonly fields: Fields;
  readonly answer: UpstreamAnswer;
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
  const distinct = [...new Map(used.map((each) => [each.schema && keyOf(each.schema), each])).values()];
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
      // OpenAPI says the type of the content elsewhere (3.1, section 4.8.17).
      if (/^content-type$/i.test(name) || Object.values(headers).includes(name)) continue;
      if (!isAnswerHeader(name) || name.length > 80) {
        findings.add('refused', node, `the header ${name} of an answer is not for callers; it is left out`);
        continue;
      }
      const wanted = memberName(name);
      const field = names.take(Object.hasOwn(fields, wanted) ? `${wanted}InHeader` : wanted);
      fields[field] = optional(
        string({ ...textOptions, example: 'text' }),
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
  if (isSwagger) {
    const schema = schemaIn(reader, response);
    return schema && { media: concreteType(mediaOf(produces)), schema };
  }
  const contents = documents.members(documents.member(response, 'content'));
  if (contents.length === 0) return undefined;
  const media = mediaOf(contents.map(([name]) => name));
  const content = contents.find(([name]) => name === media)![1];
  return { media: concreteType(media), schema: schemaIn(reader, content) };
}

/** A schema that is one of several, wherever these are. */
function unionOf(schemas: readonly (Node | undefined)[]): Node {
  const nodes = schemas.filter((each) => each !== undefined);
  const [first] = nodes;
  const url = first?.url ?? '';
  const oneOf = nodes.map((each) => ({
    $ref: `${each.url === url ? '' : each.url}#${encodePointer(each.pointer)}`,
  }));
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
  if (!isJsonType(media)) return whole(textOrBytes(reader, media, schema), { type: media });
  const named = media === 'application/json' ? {} : { type: media };
  if (schema === undefined) return whole(anyValue, named);
  const shape = reader.shapeOf(schema);
  if (shape.properties.size === 0 || [...typesOf(shape)].join() !== 'object')
    return whole(reader.schema(schema, `${type}Result`), named);
  Object.assign(fields, reader.fields(shape, type, names));
  return named;
}
