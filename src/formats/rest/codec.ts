/** The compiled reading and writing of an operation on resources: path, query, header and body in, canonical out, and back. */
import { type BoundOperation, locationOf, splitByLocation } from '../../contract/operation.ts';
import type { Path } from '../../contract/path.ts';
import type { Issue } from '../../contract/problem.ts';
import { compileRead, IssueCollector, type Read } from '../../contract/read.ts';
import type { FieldLocation, ObjectSchema, Schema } from '../../contract/schema.ts';
import { boundOperations, type Service } from '../../contract/service.ts';
import { compilePrint } from '../json/print.ts';
import { reader } from '../json/read.ts';

/** A request or an answer, taken apart; each part is a tree as JSON has it, or a record of texts. */
export type Parts = Readonly<Record<FieldLocation, unknown>>;

interface ReadSide {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** One side of an operation: its input or its output. */
export interface SideCodec {
  readonly parts: Readonly<Record<FieldLocation, ObjectSchema>>;
  read(nodes: Parts): ReadSide;
  /** What a body alone tells. */
  readBody(tree: unknown): ReadSide;
  /** The part that stands in the body, as JSON. */
  printBody(value: unknown): string;
}

const places: readonly FieldLocation[] = ['path', 'query', 'header', 'body'];

/** What a shape has at the end of a path; undefined where the path leaves it. */
const shapeAt = (shape: Schema, [step, ...rest]: Path): Schema | undefined => {
  if (step === undefined) return shape;
  switch (shape.kind) {
    case 'object': {
      const field = typeof step === 'string' ? shape.fields[step] : undefined;
      return field && shapeAt(field.schema, rest);
    }
    case 'map':
      return shape.item && shapeAt(shape.item, rest);
    case 'list':
      return shapeAt(shape.item, rest);
    default:
      return undefined;
  }
};

const nodeAt = (node: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    return Object.getOwnPropertyDescriptor(inner, typeof step === 'string' ? step : step.index)?.value;
  }, node);

/** As long as a caller needs it to find the place; no run of digits that could be a card's. */
const quotable = (text: string): boolean => text.length <= 64 && !/\d{8}/.test(text);

/** The issue with what stands at its place, where that may be shown. */
const withValue = (shape: ObjectSchema, nodes: Parts, issue: Issue): Issue => {
  const [name] = issue.path;
  const field = typeof name === 'string' ? shape.fields[name] : undefined;
  const found = shapeAt(shape, issue.path);
  if (field === undefined || found === undefined || (found.kind === 'string' && found.sensitive)) return issue;
  const node = nodeAt(nodes[locationOf(field)], issue.path);
  const text = typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean' ? String(node) : '';
  return quotable(text) ? { ...issue, value: text } : issue;
};

const compileSide = (shape: ObjectSchema): SideCodec => {
  const parts = splitByLocation(shape);
  const reads = places.map((place): readonly [FieldLocation, Read<unknown>] => [
    place,
    compileRead(parts[place], reader),
  ]);
  const names = Object.keys(shape.fields);
  const readBody = compileRead(parts.body, reader);
  return Object.freeze<SideCodec>({
    parts,
    read(nodes) {
      const findings = new IssueCollector();
      const read = Object.assign({}, ...reads.map(([place, read]) => read(nodes[place], findings)));
      // In the contract's order, wherever they stood.
      const value = Object.fromEntries(names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])));
      return { value: Object.freeze(value), issues: findings.issues.map((each) => withValue(shape, nodes, each)) };
    },
    readBody(tree) {
      const findings = new IssueCollector();
      const value = readBody(tree, findings) ?? Object.freeze({});
      return { value, issues: findings.issues };
    },
    printBody: compilePrint(parts.body),
  });
};

export interface EndpointCodec {
  readonly input: SideCodec;
  readonly output: SideCodec;
}

/** Compiles all operations of all services once. */
export const compileEndpoints = (services: readonly Service[]): ((operation: BoundOperation) => EndpointCodec) => {
  const codecs = new Map<BoundOperation, EndpointCodec>();
  for (const service of services)
    for (const operation of boundOperations(service))
      codecs.set(operation, { input: compileSide(operation.input), output: compileSide(operation.output) });
  return (operation) => {
    const found = codecs.get(operation);
    if (found === undefined) throw new TypeError(`no codec was compiled for ${operation.name}`);
    return found;
  };
};
