/** Visits the parts of a message in the order of the reading walk, with what the contract says of each. */
import {
  anyText,
  type CompileRead,
  callWhole,
  compileRead,
  isRepeated,
  type ListSchema,
  type Member,
  nodeChooser,
  type ObjectSchema,
  type Path,
  type Reader,
  type ScalarSchema,
  type Schema,
  type TextPlace,
  walk,
} from '../contract/index.ts';

/** A part of a message that was read. */
export interface VisitedPart {
  /** Names and keys are as the message has them. */
  readonly path: Path;
  /** Undefined for what the contract does not describe. */
  readonly schema: Schema | undefined;
  /** As the format reads it; undefined for what is no scalar. */
  readonly text: string | undefined;
  readonly place: TextPlace;
}

/** Reads as protocols do, and records where each part of the message is. */
export class PartRecorder {
  #parts: VisitedPart[] = [];
  readonly #compile: CompileRead;

  /** `compile`: what else sees the message. */
  constructor(compile: CompileRead = compileRead) {
    this.#compile = compile;
  }

  readonly compileRead: CompileRead = (schema, reader, sender) => {
    const read = this.#compile(schema, reader, sender);
    const visit = compileVisit(schema, reader);
    return (node, collector) => {
      const value = read(node, collector);
      visit(node, [], (part) => this.#parts.push(part));
      return value;
    };
  };

  /** Returns the parts since the last call. */
  take(): readonly VisitedPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

type Visit<N> = (node: N, path: Path, report: (part: VisitedPart) => void) => void;

function compileVisit<N>(schema: Schema, reader: Reader<N>): Visit<N> {
  /** Reports a part, and visits what is in it. */
  const part =
    (schema: Schema | undefined, textAs: ScalarSchema | undefined, inside?: Visit<N>): Visit<N> =>
    (node, path, report) => {
      const place = reader.place?.(node);
      const isThere = !reader.isAbsent(node);
      const text = textAs === undefined || !isThere ? undefined : reader.text(node, textAs);
      if (place !== undefined) report({ path, schema, text, place });
      if (isThere) inside?.(node, path, report);
    };
  const unknown = part(undefined, undefined);
  return walk<Visit<N>>(schema, {
    scalar: (scalar) => part(scalar, scalar),
    joined: (set) => part(set, anyText),
    list: (list, item) => part(list, undefined, insideList(list, item, reader)),
    map: (map, item = unknown) => part(map, undefined, insideMap(item, reader)),
    object: (object, members) => part(object, undefined, insideObject(object, members, reader, unknown)),
    variants: (schema, own, others) => {
      const visitOf = nodeChooser(schema, reader, own, others);
      return (node, path, report) => visitOf(node)(node, path, report);
    },
    self: callWhole,
  });
}

function insideList<N>(list: ListSchema, item: Visit<N>, reader: Reader<N>): Visit<N> {
  const { itemName, wrapped } = list;
  return (node, path, report) => {
    for (const [index, each] of (reader.items(node, list) ?? []).entries())
      item(each, [...path, { index, itemName, wrapped }], report);
  };
}

function insideMap<N>(item: Visit<N>, reader: Reader<N>): Visit<N> {
  return (node, path, report) => void reader.eachEntry(node, (key, each) => item(each, [...path, key], report));
}

function insideObject<N>(
  schema: ObjectSchema,
  members: readonly Member<Visit<N>>[],
  reader: Reader<N>,
  unknown: Visit<N>,
): Visit<N> {
  const visit = compileMemberVisit(schema, members, reader);
  return (node, path, report) =>
    void visit(node, {
      known: ({ name, part }, child) => part(child, [...path, name], report),
      unknown: (name, child) => unknown(child, [...path, name], report),
    });
}

/** What is done with the members of a node. */
interface MemberVisitor<N, P> {
  known(member: Member<P>, node: N): void;
  /** `name`: as the message has it. */
  unknown(name: string, node: N): void;
}

/**
 * Returns the visit of an object's members. Lists whose items are members of the object come as a whole, behind all others. The visit
 * returns false for a node that is no object.
 */
export function compileMemberVisit<N, P>(
  schema: ObjectSchema,
  members: readonly Member<P>[],
  reader: Reader<N>,
): (node: N, visitor: MemberVisitor<N, P>) => boolean {
  const byName = new Map(members.map((each) => [reader.memberName?.(each.name, each.field) ?? each.name, each]));
  return (node, visitor) => {
    const lists = new Map<Member<P>, N>();
    const visit = (name: string, child: N): true => {
      const member = byName.get(name);
      if (member === undefined) visitor.unknown(name, child);
      else if (reader.gather === undefined || !isRepeated(member.field.schema)) visitor.known(member, child);
      else lists.set(member, reader.gather(lists.get(member), child));
      return true;
    };
    const isObject = reader.eachMember(node, visit, schema);
    for (const [member, list] of lists) visitor.known(member, list);
    return isObject;
  };
}
