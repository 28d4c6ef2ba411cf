/** Prints canonical values as elements, each in the namespace of the type that declares it. */
import type { Schema } from '../../contract/schema.ts';
import type { Service } from '../../contract/service.ts';
import { walk } from '../../contract/walk.ts';
import { escapeXml } from '../../xml/print.ts';
import { type Append, compileItems, compileMembers, scalarAppend } from '../append.ts';
import type { Print } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';
import { qualify } from './namespaces.ts';

/** The content of an element, for a message that declares the namespaces. */
export function compilePrint(schema: Schema, formatDateTime: FormatDateTime, service: Service): Print {
  const append = compile(schema, formatDateTime, service);
  return (value) => append('', value);
}

/** Lists and maps are types of the service, in its own namespace, as in its published WSDL. That needs no prefix. */
function compile(schema: Schema, formatDateTime: FormatDateTime, service: Service): Append {
  const appendDateTime: Append = (text, value) => text + formatDateTime(value as number, 'ms');
  return walk<Append>(schema, {
    scalar: (scalar) => scalarAppend(scalar, appendText, appendDateTime),
    joined: () => (text, value) => appendText(text, (value as string[]).join(',')),
    list: ({ itemName }, item) =>
      compileItems(
        { before: `<${itemName}>`, append: item, after: `</${itemName}>` },
        { start: '', separator: '', end: '', empty: '' },
      ),
    map: () => appendEntries,
    object({ namespace, whenEmpty }, members) {
      const qualified = (name: string) => qualify(service, namespace, name);
      const parts = members.map(({ name, part }) => ({
        name,
        before: `<${qualified(name)}>`,
        append: part,
        after: `</${qualified(name)}>`,
      }));
      const empty = Object.entries(whenEmpty)
        .map(([name, how]) => `<${qualified(name)}${how === 'nil' ? ' xsi:nil="true"/>' : '/>'}`)
        .join('');
      return compileMembers(parts, { start: '', separator: '', end: '', empty });
    },
  });
}

function appendEntries(text: string, value: unknown): string {
  let printed = text;
  for (const [key, entry] of Object.entries(value as Readonly<Record<string, string>>)) {
    const named = appendText(`${printed}<entry><key xsi:type="xsd:string">`, key);
    printed = `${appendText(`${named}</key><value xsi:type="xsd:string">`, entry)}</value></entry>`;
  }
  return printed;
}

function appendText(text: string, value: unknown): string {
  return text + escapeXml(value as string);
}
