/** Reads and prints the header blocks that operations declare: members of one field of a message. */
import {
  headerBlocksOf,
  headerFieldOf,
  namedOperations,
  type ObjectSchema,
  type Operation,
  type Service,
  uriOf,
} from '../../contract/index.ts';
import { memoize } from '../../lib/index.ts';
import type { Element } from '../../xml/index.ts';
import { dateTimeFormatOf, ownersOf, type Side } from '../codec.ts';
import { malformedBody } from '../malformed-body.ts';
import type { FormatContext } from '../protocol.ts';
import { elementAroundText } from './namespaces.ts';
import { compilePrint } from './print.ts';

/** The header blocks of one message of an operation. */
interface HeaderBlocks {
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
  const blocksOf = memoize((operation: Operation) => {
    const service = owners.get(operation);
    const compile = (message: ObjectSchema) => (service === undefined ? none : compileBlocks(message, service));
    return { input: compile(operation.input), output: compile(operation.output) };
  });
  return (operation, side) => blocksOf(operation)[side];
}

function compileBlocks(message: ObjectSchema, service: Service): HeaderBlocks {
  const field = headerFieldOf(message);
  if (field === undefined) return none;
  const blocks = headerBlocksOf(message).map((block) => ({
    block,
    uri: uriOf(service, block.namespace),
    print: compilePrint(block.schema, dateTimeFormatOf(service), service, 'fault'),
  }));
  const knows = ({ local, namespace }: Element) =>
    blocks.some(({ block, uri }) => block.name === local && uri === namespace);
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
        .map(({ block, print }) =>
          values[block.name] === undefined ? '' : elementAroundText(service, block, print(values[block.name])),
        )
        .join('');
    },
  });
}
