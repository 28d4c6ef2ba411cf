/** Compiles the reading and the printing of operations for one format. */
import {
  conventionsOfMessages,
  DroppingCollector,
  type FieldLocation,
  type Issue,
  IssueCollector,
  isBound,
  type ObjectSchema,
  type Operation,
  type Read,
  type Reader,
  type Service,
  splitByLocation,
} from '../contract/index.ts';
import { memoize } from '../lib/index.ts';
import { dateTimeFormat, type FormatDateTime } from './date-time.ts';
import type { Leniency } from './leniencies.ts';
import type { FormatContext } from './protocol.ts';

/** Prints a canonical value of one schema. */
export type Print = (value: unknown) => string;

export type Side = 'input' | 'output';

/** What is printed: a message, or the data of a fault. */
export type Printed = Side | 'fault';

/** A message by location of its fields: a tree of the format, or texts by name of a field. */
export type Parts<N> = Readonly<Partial<Record<FieldLocation, N>>>;

export interface ReadResult {
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** What the message needed to be read. */
  readonly leniencies?: readonly Leniency[];
}

interface SideCodec<N> {
  readonly read: (parts: Parts<N>) => ReadResult;
  /** Prints the fields of the body. */
  readonly print: Print;
}

/** Reads and prints the messages of one operation. */
export type Codec<N> = Readonly<Record<Side, SideCodec<N>>>;

/** Compiles the printing of the fields of a body. */
type CompilePrint = (schema: ObjectSchema, formatDateTime: FormatDateTime, service: Service, side: Printed) => Print;

/** How one format reads and prints the operations that it carries. */
export interface FormatParts<N> {
  readonly carried: (service: Service) => readonly Operation[];
  readonly reader: Reader<N>;
  readonly compilePrint: CompilePrint;
}

/** Returns the codecs of all operations that the format carries. Each is compiled at its first use. */
export function compileCodecs<N>(
  { services, compileRead, leniencies }: FormatContext,
  { carried, reader, compilePrint }: FormatParts<N>,
): (operation: Operation) => Codec<N> {
  const owners = ownersOf(services, carried);
  return memoize((operation) => {
    const service = owners.get(operation);
    if (service === undefined) throw new TypeError(`no service has ${operation.name}`);
    const formatDateTime = dateTimeFormatOf(service);
    return compileCodec(operation, {
      compileRead: (schema) => compileRead(schema, reader),
      compilePrint: (schema: ObjectSchema, side: Side) => compilePrint(schema, formatDateTime, service, side),
      drops: service.unknownRequestMembers === 'drop' && leniencies.has('unknown-members'),
    });
  });
}

/** Returns how the messages of a service write date and time. */
export function dateTimeFormatOf(service: Pick<Service, 'conventions'>): FormatDateTime {
  const { timeZone, fractions } = conventionsOfMessages(service);
  return dateTimeFormat(timeZone, fractions);
}

/** Versions share operations. Their oldest one decides how they are printed, since its stubs know the fewest members. */
export function ownersOf(
  services: readonly Service[],
  carried: (service: Service) => readonly Operation[],
): ReadonlyMap<Operation, Service> {
  return new Map(services.toReversed().flatMap((service) => carried(service).map((operation) => [operation, service])));
}

/** Compiles schemas of one service. */
interface Compilers<N> {
  readonly compileRead: (schema: ObjectSchema) => Read<N>;
  readonly compilePrint: (schema: ObjectSchema, side: Side) => Print;
  /** Whether unknown members of requests are ignored. */
  readonly drops: boolean;
}

const dropped: readonly Leniency[] = Object.freeze(['unknown-members'] as const);

function resultOf(value: unknown, collector: IssueCollector): ReadResult {
  const { issues } = collector;
  const hasDropped = collector instanceof DroppingCollector && collector.hasDropped;
  return { value, issues, ...(hasDropped && { leniencies: dropped }) };
}

function compileCodec<N>(operation: Operation, compilers: Compilers<N>): Codec<N> {
  const compile = (side: Side) => compileSide(operation[side], side, isBound(operation), compilers);
  return { input: compile('input'), output: compile('output') };
}

/** In this order, so that issues of the path come first. */
const locations: readonly FieldLocation[] = ['path', 'query', 'header', 'body'];

/** Only an operation with an HTTP binding has fields outside of its body. */
function compileSide<N>(
  schema: ObjectSchema,
  side: Side,
  isBound: boolean,
  { compileRead, compilePrint, drops }: Compilers<N>,
): SideCodec<N> {
  const readParts = isBound ? compileLocations(schema, locations, compileRead) : readBodyBy(compileRead(schema));
  return {
    read(parts) {
      const collector = drops && side === 'input' ? new DroppingCollector() : new IssueCollector();
      // An empty request is an empty object and not absent: its missing fields are issues.
      return resultOf(readParts(parts, collector) ?? Object.freeze({}), collector);
    },
    print: compilePrint(isBound ? splitByLocation(schema).body : schema, side),
  };
}

/** Reads the fields of a message from its parts. */
export type ReadParts<N> = (parts: Parts<N>, collector: IssueCollector) => unknown;

/** Returns the reading of a message whose fields are all in its body. */
export function readBodyBy<N>(read: Read<N>): ReadParts<N> {
  return ({ body }, collector) => (body === undefined ? undefined : read(body, collector));
}

/** Compiles the reading of a message with fields at several locations. */
export function compileLocations<N>(
  schema: ObjectSchema,
  locations: readonly FieldLocation[],
  compileRead: (schema: ObjectSchema) => Read<N>,
): ReadParts<N> {
  const schemas = splitByLocation(schema);
  const reads = locations.map((location) => [location, compileRead(schemas[location])] as const);
  const names = Object.keys(schema.fields);
  return (parts, collector) => {
    const found: Record<string, unknown> = {};
    for (const [location, read] of reads) {
      const node = parts[location];
      if (node !== undefined) Object.assign(found, read(node, collector));
    }
    // In the order of the contract, wherever the fields were.
    const inOrder = names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]]));
    return Object.freeze(Object.fromEntries(inOrder));
  };
}
