/** Reads and prints the header blocks that operations declare: members of one field of a message. */
import type { Operation } from '../../contract/operation.ts';
import { type Field, headerFieldOf, type ObjectSchema } from '../../contract/schema.ts';
import { namedOperations, type Service, uriOf } from '../../contract/service.ts';
import type { Element } from '../../lib/xml/element.ts';
import { dateTimeFormatOf, ownersOf, type Print, type Side } from '../codec.ts';
import { malformedBody } from '../malformed-body.ts';
import type { FormatContext } from '../protocol.ts';
import { elementAroundText } from './namespaces.ts';
import { compilePrint } from './print.ts';

/** A block that a message may have. */
interface Block {
  readonly name: string;
  readonly uri: string;
  readonly print: Print;
  around(text: string): string;
}

/** The header blocks of one message of an operation. */
export interface HeaderBlocks {
  /** Whether the operation declares the block. */
  knows(block: Element): boolean;
  /** The fields of the message with its header as a member. */
  join(fields: Element, header: Element | undefined): Element;
  /** Empty where the value has no header. */
  print(value: unknown): string;
}

const none: HeaderBlocks = Object.freeze<HeaderBlocks>({
  knows: () => false,
  join: (fields) => fields,
  print: () => '',
});

/** Compiles the headers of the operations of a server, each at its first use. */
export function compileHeaders({
  services,
}: Pick<FormatContext, 'services'>): (operation: Operation, side: Side) => HeaderBlocks {
  const owners = ownersOf(services, namedOperations);
  const known = new Map<ObjectSchema, HeaderBlocks>();
  return (operation, side) => {
    const schema = operation[side];
    const name = headerFieldOf(schema);
    const service = owners.get(operation);
    if (name === undefined || service === undefined) return none;
    let blocks = known.get(schema);
    if (blocks === undefined) {
      const declared = blocksOf(schema.fields[name]!, service, (each) =>
        compilePrint(each, dateTimeFormatOf(service), service, 'fault'),
      );
      blocks = createBlocks(name, declared);
      known.set(schema, blocks);
    }
    return blocks;
  };
}

function blocksOf({ schema }: Field, service: Service, compile: (schema: ObjectSchema) => Print): readonly Block[] {
  if (schema.kind !== 'object') return [];
  return Object.entries<Field>(schema.fields).flatMap(([name, { schema: content, namespace }]) =>
    content.kind === 'object'
      ? [
          {
            name,
            uri: uriOf(service, namespace),
            print: compile(content),
            around: (text: string) =>
              elementAroundText(
                service,
                { element: name, ...(namespace !== undefined && { namespace }), schema: content },
                text,
              ),
          },
        ]
      : [],
  );
}

function createBlocks(field: string, blocks: readonly Block[]): HeaderBlocks {
  const knows = ({ local, namespace }: Element) => blocks.some(({ name, uri }) => name === local && uri === namespace);
  return Object.freeze<HeaderBlocks>({
    knows,
    join(fields, header) {
      // The member is of other formats.
      if (fields.children.some(({ local }) => local === field)) throw malformedBody('a header in the body', field);
      const children = header?.children.filter(knows) ?? [];
      if (header === undefined || children.length === 0) return fields;
      const joined = { ...header, namespace: '', local: field, attributes: [], children, text: '' };
      return { ...fields, children: [...fields.children, joined] };
    },
    print(value) {
      const header = (value as Readonly<Record<string, unknown>>)[field];
      if (header === undefined) return '';
      const values = header as Readonly<Record<string, unknown>>;
      return blocks
        .map(({ name, print, around }) => (values[name] === undefined ? '' : around(print(values[name]))))
        .join('');
    },
  });
}
