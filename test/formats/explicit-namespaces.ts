/** Prints SOAP messages that declare the namespace of each element on the element itself, independent of the gateway's printer. */
import { conventionsOf } from '../../src/contract/conventions.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { ObjectSchema, Schema } from '../../src/contract/schema.ts';
import { ownUri, type Service, uriOf } from '../../src/contract/service.ts';
import type { Side } from '../../src/documents/json-schema.ts';
import { dateTimeFormat } from '../../src/formats/date-time.ts';

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
  const [root, part] = side === 'input' ? [operation.name, 'request'] : [`${operation.name}Response`, 'result'];
  const fields = contentOf(service, operation[side], value);
  const body = element('Body', envelopes[name], element(root, own, element(part, own, fields)));
  return element('Envelope', envelopes[name], body);
}

function contentOf(service: Service, schema: Schema, value: unknown): string {
  switch (schema.kind) {
    case 'string':
    case 'enum':
    case 'integer':
    case 'boolean':
      return escapeText(String(value));
    case 'dateTime':
      return dateTimeFormat(conventionsOf([service]).timeZone)(value as number, 'ms');
    case 'list': {
      const items = value as readonly unknown[];
      if (schema.joined) return escapeText(items.join(','));
      return items
        .map((item) => element(schema.itemName, ownUri(service), contentOf(service, schema.item, item)))
        .join('');
    }
    case 'map':
      return entriesOf(service, value as Readonly<Record<string, string>>);
    case 'object':
      return membersOf(service, schema, value as Readonly<Record<string, unknown>>);
    default:
      return schema satisfies never;
  }
}

function membersOf(service: Service, schema: ObjectSchema, value: Readonly<Record<string, unknown>>): string {
  const uri = uriOf(service, schema.namespace);
  const present = Object.entries(schema.fields).filter(([name]) => value[name] !== undefined);
  if (present.length > 0)
    return present.map(([name, field]) => element(name, uri, contentOf(service, field.schema, value[name]))).join('');
  return Object.entries(schema.whenEmpty)
    .map(([name, how]) => element(name, uri, '', how === 'nil' ? `xmlns:i="${instance}" i:nil="true"` : ''))
    .join('');
}

function entriesOf(service: Service, value: Readonly<Record<string, string>>): string {
  const own = ownUri(service);
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

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
