/** Prints canonical values as elements, each in the namespace of the type that declares it. */
import { qualifiedName, recordTypes } from '../../contract/record-types.ts';
import type { Schema } from '../../contract/schema.ts';
import type { Service } from '../../contract/service.ts';
import { walk } from '../../contract/walk.ts';
import { escapeXml } from '../../xml/print.ts';
import { type Append, compileItems, compileMembers, scalarAppend } from '../append.ts';
import type { Print, Side } from '../codec.ts';
import type { FormatDateTime } from '../date-time.ts';
import { qualify } from './namespaces.ts';

/** The content of an element, for a message that declares the namespaces. */
export function compilePrint(schema: Schema, formatDateTime: FormatDateTime, service: Service, side: Side): Print {
  const append = compile(schema, formatDateTime, service, side);
  return (value) => append('', value);
}

/**
 * Lists and maps are types of the service, in its own namespace, as in its published WSDL. That needs no prefix.
 *
 * An answer says of each nillable member of a type that it is absent (decision 0028), a request omits it.
 */
function compile(schema: Schema, formatDateTime: FormatDateTime, service: Service, side: Side): Append {
  const types = recordTypes(service);
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
    object(object, members) {
      const parts = new Map(members.map(({ name, part }) => [name, part]));
      const all = types.get(qualifiedName(object, service))!.members.map(({ name, isNillable }) => {
        const element = qualify(service, object.namespace, name);
        return {
          name,
          before: `<${element}>`,
          append: parts.get(name) ?? appendNothing,
          after: `</${element}>`,
          absent: side === 'output' && isNillable ? `<${element} xsi:nil="true"/>` : '',
        };
      });
      const isEmpty = new Set(side === 'output' ? object.whenEmpty : []);
      const empty = all.map(({ name, absent }) =>
        isEmpty.has(name) ? `<${qualify(service, object.namespace, name)}/>` : absent,
      );
      return compileMembers(all, { start: '', separator: '', end: '', empty: empty.join('') });
    },
  });
}

/** For a member of the type that values of this schema never have. */
function appendNothing(text: string): string {
  return text;
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
