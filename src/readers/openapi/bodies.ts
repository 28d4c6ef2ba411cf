/** Reads the bodies of requests: JSON, forms, texts and bytes. */
import {
  isFormType,
  isJsonType,
  optional,
  type ParameterStyle,
  parameterStyles,
  required,
  type Schema,
  type UpstreamBody,
  type UpstreamParameter,
} from '../../core/contract/index.ts';
import { capitalised, type StubNames } from '../../documents/index.ts';
import type { Node } from './documents.ts';
import { concreteType, mediaOf, textOrBytes } from './media-types.ts';
import { memberName } from './names.ts';
import {
  asParameter,
  type Declared,
  type Fields,
  type Parameter,
  schemaIn,
  schemaOfParameter,
  styleOf,
} from './parameters.ts';
import { anyValue, asRequired, withName, xsdOf } from './scalars.ts';
import type { SchemaReader } from './schemas.ts';
import { textOf, typesOf } from './shapes.ts';

interface ReadBody {
  readonly body: UpstreamBody | undefined;
  /** The members in JSON. */
  readonly names: ReadonlySet<string>;
  fields(names: StubNames): Fields;
}

const noBody: ReadBody = { body: undefined, names: new Set(), fields: () => ({}) };

/** Reads the body of a request. `parameters`: those of the operation, with which Swagger 2.0 describes bodies. */
export function readBody(
  reader: SchemaReader,
  declared: Declared,
  parameters: readonly Parameter[],
  type: string,
): ReadBody {
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

interface BodyContext {
  readonly type: string;
  readonly node: Node;
  readonly isRequired: boolean;
  readonly content?: Node | undefined;
}

function bodyOf(reader: SchemaReader, declaredType: string, schema: Node | undefined, context: BodyContext): ReadBody {
  const { type, node, isRequired, content } = context;
  const media = concreteType(declaredType);
  const optionally = isRequired ? {} : ({ optional: true } as const);
  const isForm = isFormType(media);
  if (!isJsonType(media) && !isForm) return wholeBody(media, textOrBytes(reader, media, schema), isRequired);
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
    fields(names) {
      const fields = reader.fields(shape, type, names, { mayBeLeftOut: !isForm && !isRequired });
      return isForm ? partFields(fields) : fields;
    },
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
      const whole = isRequired ? asRequired(withName(schema, field)) : withName(schema, field);
      return { [field]: make(whole, 'The whole body.', { ...(xsd && { xsd }) }) };
    },
    get body() {
      return { type, field, ...(!isRequired && { optional: true as const }) };
    },
  };
}

/** The members of a form, as its pairs or parts hold them. */
function partFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, schema: asParameter(field.schema) }]),
  );
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
          const schema = withName(schemaOfParameter(reader, each, `${type}${capitalised(field)}`), field);
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
