/** Compiles the reading and the printing of operations for one format. */
import { conventionsOfMessages } from '../contract/conventions.ts';
import { isBound, type Operation, splitByLocation } from '../contract/operation.ts';
import type { Issue } from '../contract/problem.ts';
import { DroppingCollector, IssueCollector, type Read, type Reader } from '../contract/read.ts';
import type { FieldLocation, ObjectSchema } from '../contract/schema.ts';
import type { Service } from '../contract/service.ts';
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
export type CompilePrint = (
  schema: ObjectSchema,
  formatDateTime: FormatDateTime,
  service: Service,
  side: Printed,
) => Print;

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
  const codecs = new Map<Operation, Codec<N>>();
  return (operation) => {
    const known = codecs.get(operation);
    if (known !== undefined) return known;
    const service = owners.get(operation);
    if (service === undefined) throw new TypeError(`no service has ${operation.name}`);
    const formatDateTime = dateTimeFormatOf(service);
    const codec = compileCodec(operation, {
      compileRead: (schema) => compileRead(schema, reader),
      compilePrint: (schema: ObjectSchema, side: Side) => compilePrint(schema, formatDateTime, service, side),
      drops: service.unknownRequestMembers === 'drop' && leniencies.has('unknown-members'),
    });
    codecs.set(operation, codec);
    return codec;
  };
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
  const compileSide = isBound(operation) ? compileLocations : compileBody;
  return {
    input: compileSide(operation.input, 'input', compilers),
    output: compileSide(operation.output, 'output', compilers),
  };
}

/** For an operation whose fields are all in the body. */
function compileBody<N>(
  schema: ObjectSchema,
  side: Side,
  { compileRead, compilePrint, drops }: Compilers<N>,
): SideCodec<N> {
  const read = compileRead(schema);
  return {
    read({ body }) {
      const collector = drops && side === 'input' ? new DroppingCollector() : new IssueCollector();
      // An empty request is an empty object and not absent: its missing fields are issues.
      const value = (body === undefined ? undefined : read(body, collector)) ?? Object.freeze({});
      return resultOf(value, collector);
    },
    print: compilePrint(schema, side),
  };
}

/** In this order, so that issues of the path come first. */
const locations: readonly FieldLocation[] = ['path', 'query', 'header', 'body'];

/** For an operation with an HTTP binding. */
function compileLocations<N>(
  schema: ObjectSchema,
  side: Side,
  { compileRead, compilePrint, drops }: Compilers<N>,
): SideCodec<N> {
  const schemas = splitByLocation(schema);
  const reads = locations.map((location): readonly [FieldLocation, Read<N>] => [
    location,
    compileRead(schemas[location]),
  ]);
  const names = Object.keys(schema.fields);
  return {
    read(nodes) {
      const collector = drops && side === 'input' ? new DroppingCollector() : new IssueCollector();
      const found: Record<string, unknown> = {};
      for (const [location, read] of reads) {
        const node = nodes[location];
        if (node !== undefined) Object.assign(found, read(node, collector));
      }
      // In the order of the contract, wherever the fields were.
      const inOrder = names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]]));
      return resultOf(Object.freeze(Object.fromEntries(inOrder)), collector);
    },
    print: compilePrint(schemas.body, side),
  };
}
