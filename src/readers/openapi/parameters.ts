/** Reads parameters: what a message has outside of its body, and the forms of Swagger 2.0. */
import {
  type Field,
  isEntries,
  type ParameterStyle,
  parameterStyles,
  type Schema,
  string,
  type UpstreamParameter,
} from '../../core/contract/index.ts';
import type { Node } from './documents.ts';
import { anyValue, textOptions } from './scalars.ts';
import type { SchemaReader } from './schemas.ts';

/** Fields of a message by their names. */
export type Fields = Record<string, Field>;

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

export interface Parameter {
  readonly node: Node;
  readonly name: string;
  readonly location: string;
  readonly isRequired: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Reads a parameter; undefined, with a finding, for one without a name or a place. Throws Refused for no object. */
export function parameterOf(reader: SchemaReader, node: Node): Parameter | undefined {
  const members = reader.requireObject(node);
  const { name, in: location, required: isRequired } = members;
  if (typeof name !== 'string' || typeof location !== 'string') {
    reader.findings.add('refused', node, 'a parameter without a name, or a place, is left out');
    return undefined;
  }
  return { node, name, location, isRequired: isRequired === true, members };
}

/** The schema of a parameter; a text where it says none. */
export function schemaOfParameter(reader: SchemaReader, { node, members }: Parameter, hint: string): Schema {
  const { documents } = reader;
  const content = documents.members(documents.member(node, 'content'))[0]?.[1];
  const schema = schemaIn(reader, node) ?? (content && schemaIn(reader, content));
  if (schema !== undefined) return asParameter(reader.schema(schema, hint));
  // Swagger 2.0 has the type in the parameter itself.
  return typeof members.type === 'string' ? reader.schema(node, hint) : string({ ...textOptions, example: 'text' });
}

/** What a reference that leads nowhere stands for may be anything. */
export function schemaIn({ documents, findings }: SchemaReader, node: Node): Node | undefined {
  return findings.attempt('the value may be anything', () => documents.member(node, 'schema'));
}

/** In a parameter or a part of a form, a map or one of several types is JSON as text. */
export function asParameter(schema: Schema): Schema {
  const isJson = schema.kind === 'object' ? schema.json !== undefined : schema.kind === 'list' && isEntries(schema);
  return isJson ? anyValue : schema;
}

const collections: Readonly<Record<string, Pick<UpstreamParameter, 'style' | 'explode'>>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
};

/** How a parameter is written, where that is another way than that of its place. */
export function styleOf({ location, members }: Parameter): Pick<UpstreamParameter, 'style' | 'explode'> {
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
