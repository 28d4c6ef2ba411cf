/** Prints canonical values as elements, each in the namespace of the type that declares it. */
import type { Schema } from '../../contract/schema.ts';
import { ownUri, type Service, uriOf } from '../../contract/service.ts';
import { walk } from '../../contract/walk.ts';
import { escapeXml } from '../../xml/print.ts';
import { type Append, compileItems, compileMembers, scalarAppend } from '../append.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';

/** The content of an element that is not inside a default namespace. */
export function compilePrint(schema: Schema, formatDateTime: FormatDateTime, service: Service): Print {
  const append = compile(schema, formatDateTime, service)('');
  return (value) => append('', value);
}

/** Compiles the content of an element for the default namespace around it. */
type AppendIn = (around: string) => Append;

/** Lists and maps are types of the service, in its own namespace, as in its published WSDL. */
function compile(schema: Schema, formatDateTime: FormatDateTime, service: Service): AppendIn {
  const own = ownUri(service);
  const appendDateTime: Append = (text, value) => text + formatDateTime(value as number, 'ms');
  return walk<AppendIn>(schema, {
    scalar(scalar) {
      const append = scalarAppend(scalar, appendText, appendDateTime);
      return () => append;
    },
    joined: () => () => (text, value) => appendText(text, (value as string[]).join(',')),
    list:
      ({ itemName }, item) =>
      (around) =>
        compileItems(
          { before: `${opening(itemName, own, around)}>`, append: item(own), after: `</${itemName}>` },
          { start: '', separator: '', end: '', empty: '' },
        ),
    map: () => (around) => {
      const before = `${opening('entry', own, around)}><key xsi:type="xsd:string">`;
      return (text, value) => {
        let printed = text;
        for (const [key, entry] of Object.entries(value as Readonly<Record<string, string>>)) {
          const named = appendText(printed + before, key);
          printed = `${appendText(`${named}</key><value xsi:type="xsd:string">`, entry)}</value></entry>`;
        }
        return printed;
      };
    },
    object(schema, members) {
      const namespace = uriOf(service, schema.namespace);
      return (around) => {
        const open = (name: string) => opening(name, namespace, around);
        const parts = members.map(({ name, part }) => ({
          name,
          before: `${open(name)}>`,
          append: part(namespace),
          after: `</${name}>`,
        }));
        const empty = Object.entries(schema.whenEmpty)
          .map(([name, how]) => open(name) + (how === 'nil' ? ' xsi:nil="true"/>' : '/>'))
          .join('');
        return compileMembers(parts, { start: '', separator: '', end: '', empty });
      };
    },
  });
}

function appendText(text: string, value: unknown): string {
  return text + escapeXml(value as string);
}

/** The start of a tag. It declares the namespace only if that is another than around it. */
function opening(name: string, namespace: string, around: string): string {
  return namespace === around ? `<${name}` : `<${name} xmlns="${namespace}"`;
}
