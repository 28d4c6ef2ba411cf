/** Visits the parts of a message in the order of the reading walk, with what the contract says of each. */
import type { Path } from '../contract/path.ts';
import { type CompileRead, compileRead, nodeChooser, type Reader, type TextPlace } from '../contract/read.ts';
import { isRepeated } from '../contract/record-types.ts';
import type { ListSchema, ObjectSchema, ScalarSchema, Schema } from '../contract/schema.ts';
import { callWhole, type Member, walk } from '../contract/walk.ts';

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

const anyText: ScalarSchema = Object.freeze({ kind: 'string', example: '' });

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
  const known = new Map(
    members.map(({ name, field, part }) => [
      reader.memberName?.(name, field) ?? name,
      { name, visit: part, isGathered: reader.gather !== undefined && isRepeated(field.schema) },
    ]),
  );
  return (node, path, report) => {
    const lists = new Map<string, N>();
    const visit = (name: string, child: N): true => {
      const member = known.get(name);
      if (member === undefined) unknown(child, [...path, name], report);
      else if (member.isGathered) lists.set(name, reader.gather!(lists.get(name), child));
      else member.visit(child, [...path, member.name], report);
      return true;
    };
    reader.eachMember(node, visit, schema);
    for (const [name, list] of lists) {
      const member = known.get(name);
      member?.visit(list, [...path, member.name], report);
    }
  };
}
