/** SOAP's printing of each kind: an element takes the namespace of the type that declares it. */
import { namespaceUris } from '../../contract/namespaces.ts';
import type { Namespace, ScalarSchema, Schema } from '../../contract/schema.ts';
import { walk } from '../../contract/walk.ts';
import { escapeXml } from '../../xml/print.ts';
import type { Print } from '../codec.ts';
import { formatDateTime } from '../date-time.ts';

/** Compiles the content of an element, given the default namespace in force around it. */
type PrintIn = (around: string) => Print;

const text = (shape: ScalarSchema): Print => {
  switch (shape.kind) {
    case 'string':
    case 'enum':
      return (value) => escapeXml(value as string);
    case 'integer':
    case 'boolean':
      return String;
    case 'dateTime':
      return (value) => formatDateTime(value as number, 'ms');
    default:
      return shape satisfies never;
  }
};

/** The opening tag up to its end, declaring the namespace only where it changes. */
const opening = (name: string, namespace: string, around: string): string =>
  namespace === around ? `<${name}` : `<${name} xmlns="${namespace}"`;

/** Lists and maps are types of the service itself, in its `own` namespace, whoever uses them (as in its published WSDL). */
const compile = (shape: Schema, own: string): PrintIn =>
  walk<PrintIn>(shape, {
    scalar: (scalar) => () => text(scalar),
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
    object(shape, members) {
      const namespace = namespaceUris[shape.namespace];
      return (around) => {
        const parts = members.map(({ name, part }) => ({
          name,
          print: part(namespace),
          before: `${opening(name, namespace, around)}>`,
          after: `</${name}>`,
        }));
        const whenEmpty = Object.entries(shape.whenEmpty)
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

/** The content of an element around which no default namespace is declared. */
export const compilePrint = (shape: Schema, { namespace }: { readonly namespace?: Namespace }): Print =>
  compile(shape, namespaceUris[namespace!])('');
