/** Prints SOAP messages that declare the namespace of each element on the element itself, independent of the gateway's printer. */
import { conventionsOfMessages } from '../../src/core/contract/conventions.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Field, ObjectSchema, Schema } from '../../src/core/contract/schema.ts';
import { namedOperations, ownUri, type Service, uriOf } from '../../src/core/contract/service.ts';
import { partsIn } from '../../src/core/contract/walk.ts';
import { dateTimeFormat } from '../../src/core/formats/date-time.ts';
import type { Side } from '../../src/documents/json-schema.ts';

export const envelopes = {
  soap11: 'http://schemas.xmlsoap.org/soap/envelope/',
  soap12: 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/** What the gateway printed before it declared namespaces once, apart from prefixes. */
export function printExplicitly(
  name: keyof typeof envelopes,
  service: Service,
  { operation, side }: { readonly operation: Operation; readonly side: Side },
  value: unknown,
): string {
  const own = ownUri(service);
  const { name: called, elements = {} } = operation;
  const { input = called, output = `${called}Response`, request = 'request', result = 'result' } = elements;
  const [root, part] = side === 'input' ? [input, request] : [output, result];
  const context = { service, side, message: operation[side] };
  const fields = contentOf(context, operation[side], value);
  const attributes = attributesOf(context, operation[side], value);
  const message = hasPart(service)
    ? element(root, own, element(part, own, fields, attributes))
    : element(root, own, fields, attributes);
  const body = element('Body', envelopes[name], message);
  return element('Envelope', envelopes[name], body);
}

function hasPart({ soapStyle = 'request-result' }: Service): boolean {
  return soapStyle === 'request-result';
}

interface Context {
  readonly service: Service;
  readonly side: Side;
  readonly message: ObjectSchema;
}

function contentOf(context: Context, schema: Schema, value: unknown): string {
  const { service } = context;
  switch (schema.kind) {
    case 'string':
    case 'enum':
    case 'integer':
    case 'boolean':
    case 'decimal':
    case 'date':
    case 'binary':
      return escapeText(String(value));
    case 'double':
      return String(value).replace('+', '');
    case 'dateTime':
      return dateTimeFormat(conventionsOfMessages(service).timeZone)(value as number, 'ms');
    case 'list': {
      const items = value as readonly unknown[];
      if (schema.joined) return escapeText(items.join(','));
      return items
        .map((item) => {
          const content = contentOf(context, schema.item, item);
          return element(
            schema.itemName,
            itemUri(service, schema.namespace),
            content,
            attributesOf(context, schema.item, item),
          );
        })
        .join('');
    }
    case 'map':
      return entriesOf(service, value as Readonly<Record<string, string>>);
    case 'object':
      return membersOf(context, schema, value as Readonly<Record<string, unknown>>);
    default:
      return schema satisfies never;
  }
}

function membersOf(context: Context, schema: ObjectSchema, value: Readonly<Record<string, unknown>>): string {
  const { side } = context;
  const isEmpty = Object.values(value).every((each) => each === undefined);
  return namesInOrder(context, schema)
    .map((name) => {
      const field = schema.fields[name];
      const uri = elementUri(context, schema, field);
      if (field?.xml === 'attribute' || (field?.xml === 'text' && value[name] === undefined)) return '';
      if (field !== undefined && value[name] !== undefined) {
        const list =
          field.schema.kind === 'list' && !field.schema.joined && field.schema.repeated ? field.schema : undefined;
        if (list !== undefined)
          return (value[name] as readonly unknown[])
            .map((item) =>
              element(name, uri, contentOf(context, list.item, item), attributesOf(context, list.item, item)),
            )
            .join('');
        const content = contentOf(context, field.schema, value[name]);
        if (field.xml === 'text') return content;
        return element(name, uri, content, attributesOf(context, field.schema, value[name]));
      }
      const mandatory = field?.mandatoryInStubs;
      if (side === 'input' && (mandatory === undefined || mandatory === true)) return '';
      if (isEmpty && schema.whenEmpty.includes(name)) return element(name, uri, '');
      if (field?.mandatoryInStubs === 'empty') return element(name, uri, '');
      return isNillable(context, schema, name) ? element(name, uri, '', `xmlns:i="${instance}" i:nil="true"`) : '';
    })
    .join('');
}

/** Empty for none. */
function elementUri({ service, message }: Context, schema: ObjectSchema, field: Field | undefined): string {
  if (service.soapStyle === 'rpc' && schema === message) return '';
  return itemUri(service, field?.namespace, schema.namespace);
}

function itemUri(service: Service, given: string | undefined, around?: string): string {
  const { own, unqualified = [] } = service.namespaces!;
  if (given !== undefined) return given === '' ? '' : uriOf(service, given);
  return unqualified.includes(around ?? own) ? '' : uriOf(service, around);
}

/** An attribute has no namespace. */
function attributesOf(context: Context, schema: Schema, value: unknown): string {
  if (schema.kind !== 'object') return '';
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(schema.fields)
    .filter(([name, { xml }]) => xml === 'attribute' && members[name] !== undefined)
    .map(([name, field]) => `${name}="${escapeText(contentOf(context, field.schema, members[name]), /["\t\n]/g)}"`)
    .join(' ');
}

/** The fields of all schemas with the name of this one. In this service their order is that of their names. */
function namesInOrder(context: Context, schema: ObjectSchema): readonly string[] {
  const others = sameType(context, schema).filter((each) => each !== schema);
  if (others.length === 0) return Object.keys(schema.fields);
  return [...new Set([schema, ...others].flatMap(({ fields }) => Object.keys(fields)))].sort();
}

/**
 * An element may be nil unless one of the schemas says otherwise, or it is mandatory in all of them. XSD requires the
 * attributes of a nil element, too.
 */
function isNillable(context: Context, schema: ObjectSchema, name: string): boolean {
  const fields = sameType(context, schema).map((each) => each.fields[name]);
  const { mandatoryFields } = context.service;
  const isMandatory = fields.every((field) => {
    const marked = field?.mandatoryInStubs;
    return mandatoryFields === 'marked' ? marked !== undefined : field?.required || (marked ?? true) !== true;
  });
  if (isMandatory) return fields.every((field) => field?.mandatoryInStubs === 'nillable');
  return fields.every(
    (field) => field?.nillable !== false && !requiresAttribute(field?.schema) && !isRepeated(field?.schema),
  );
}

function isRepeated(schema: Schema | undefined): boolean {
  return schema?.kind === 'list' && !schema.joined && schema.repeated === true;
}

function requiresAttribute(schema: Schema | undefined): boolean {
  if (schema?.kind !== 'object') return false;
  return Object.values(schema.fields).some(({ xml, required }) => xml === 'attribute' && required);
}

/** The fields that the element of an operation holds itself are those of one schema. */
function sameType({ service, message }: Context, schema: ObjectSchema): readonly ObjectSchema[] {
  const isWrapped = !hasPart(service);
  if (isWrapped && schema === message) return [schema];
  const { namespace, name } = schema;
  const objectsIn = (message: Schema): readonly ObjectSchema[] =>
    partsIn(message).flatMap(({ schema }) => (schema.kind === 'object' ? [schema] : []));
  return namedOperations(service)
    .flatMap(({ input, output }) => [input, output])
    .flatMap((root) => objectsIn(root).slice(isWrapped ? 1 : 0))
    .filter((each) => each.namespace === namespace && each.name === name);
}

function entriesOf(service: Service, value: Readonly<Record<string, string>>): string {
  const own = itemUri(service, undefined);
  const typed = `xmlns:i="${instance}" xmlns:s="http://www.w3.org/2001/XMLSchema" i:type="s:string"`;
  return Object.entries(value)
    .map(([key, text]) =>
      element(
        'entry',
        own,
        element('key', own, escapeText(key), typed) + element('value', own, escapeText(text), typed),
      ),
    )
    .join('');
}

const instance = 'http://www.w3.org/2001/XMLSchema-instance';

function element(name: string, uri: string, content: string, attributes = ''): string {
  return `<${name} xmlns="${uri}" ${attributes}>${content}</${name}>`;
}

function escapeText(text: string, signs = /[&<>\r]/g): string {
  return text.replace(signs, (sign) => `&#${sign.charCodeAt(0)};`);
}
