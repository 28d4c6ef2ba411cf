/** Prints canonical values as elements, each in the namespace of the type that declares it. */
import type { ScalarSchema, Schema } from '../../contract/schema.ts';
import { ownUri, type Service, uriOf } from '../../contract/service.ts';
import { walk } from '../../contract/walk.ts';
import { escapeXml } from '../../xml/print.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';

/** The content of an element that is not inside a default namespace. */
export function compilePrint(schema: Schema, formatDateTime: FormatDateTime, service: Service): Print {
  return compile(schema, service, formatDateTime)('');
}

/** Compiles the content of an element for the default namespace around it. */
type PrintIn = (around: string) => Print;

/** Lists and maps are types of the service, in its own namespace, as in its published WSDL. */
function compile(schema: Schema, service: Service, formatDateTime: FormatDateTime): PrintIn {
  const own = ownUri(service);
  return walk<PrintIn>(schema, {
    scalar: (scalar) => () => compileScalar(scalar, formatDateTime),
    joined: () => () => (value) => escapeXml((value as string[]).join(',')),
    list:
      ({ itemName }, item) =>
      (around) => {
        const before = `${opening(itemName, own, around)}>`;
        const print = item(own);
        return (value) => (value as unknown[]).map((each) => `${before}${print(each)}</${itemName}>`).join('');
      },
    map: () => (around) => {
      const before = `${opening('entry', own, around)}><key xsi:type="xsd:string">`;
      return (value) =>
        Object.entries(value as Record<string, string>)
          .map(
            ([key, entry]) =>
              `${before}${escapeXml(key)}</key><value xsi:type="xsd:string">${escapeXml(entry)}</value></entry>`,
          )
          .join('');
    },
    object(schema, members) {
      const namespace = uriOf(service, schema.namespace);
      return (around) => {
        const parts = members.map(({ name, part }) => ({
          name,
          print: part(namespace),
          before: `${opening(name, namespace, around)}>`,
          after: `</${name}>`,
        }));
        const whenEmpty = Object.entries(schema.whenEmpty)
          .map(([name, how]) => opening(name, namespace, around) + (how === 'nil' ? ' xsi:nil="true"/>' : '/>'))
          .join('');
        return (value) => {
          const object = value as Readonly<Record<string, unknown>>;
          let content = '';
          for (const { name, print, before, after } of parts) {
            const member = object[name];
            if (member !== undefined) content += before + print(member) + after;
          }
          return content === '' ? whenEmpty : content;
        };
      };
    },
  });
}

function compileScalar(schema: ScalarSchema, formatDateTime: FormatDateTime): Print {
  switch (schema.kind) {
    case 'string':
    case 'enum':
      return (value) => escapeXml(value as string);
    case 'integer':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => formatDateTime(value as number, 'ms');
    default:
      return schema satisfies never;
  }
}

/** The start of a tag. It declares the namespace only if that is another than around it. */
function opening(name: string, namespace: string, around: string): string {
  return namespace === around ? `<${name}` : `<${name} xmlns="${namespace}"`;
}
