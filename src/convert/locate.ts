/** Finds the place of a member in the text of a message, by the places of what was read. */
import { attributeMark, foreignMark, printableName } from '../contract/member-names.ts';
import { isBound, locationOf, type Operation } from '../contract/operation.ts';
import type { Path, Step } from '../contract/path.ts';
import { type ProblemKind, problems } from '../contract/problem.ts';
import type { TextPlace } from '../contract/read.ts';
import type { Field } from '../contract/schema.ts';
import type { VisitedPart } from '../formats/visit.ts';
import { type FoundPlace, locateInHead } from './locate-in-head.ts';

/** A part of the text of a message. */
export interface MessagePlace {
  /** Counts from 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** In UTF-16 units from 0, as JavaScript counts. */
  readonly start: number;
  /** After the last character. */
  readonly end: number;
  /** The member is not there: the place is that of what it belongs into. */
  readonly isMissing?: true;
}

/** A message that was read, and its text. */
export interface LocatedText {
  /** With a head, where it has one. */
  readonly text: string;
  /** What was read of its body. */
  readonly parts: readonly VisitedPart[];
  readonly operation: Operation;
  readonly side: 'input' | 'output';
}

/**
 * Returns the place of a member, or of what it belongs into where it is not there. Undefined for a text that is not that of the parts.
 * `kind`: of the issue that is there.
 */
export type Locate = (path: Path, kind?: ProblemKind) => MessagePlace | undefined;

/** The text is examined at the first call. */
export function createLocator(message: LocatedText): Locate {
  let find: ((path: Path) => FoundPlace | undefined) | undefined;
  let positionOf: ReturnType<typeof compilePositions> | undefined;
  return (path, kind) => {
    find ??= compileSearch(message);
    const found = find(path);
    positionOf ??= compilePositions(message.text);
    const range = kind === problems.unknownField ? found?.name : found?.value;
    return range && positionOf(range, found?.isMissing);
  };
}

function compileSearch({ text, parts, operation, side }: LocatedText): (path: Path) => FoundPlace | undefined {
  const { fields } = operation[side];
  const document = parts[0]?.place.document ?? '';
  // What was parsed has no byte order mark, and no layout behind it.
  const start = text.lastIndexOf(document);
  const inBody = start === -1 ? () => undefined : compileBodySearch(parts, start);
  if (!isBound(operation)) return inBody;
  const inHead = locateInHead(text, start === -1 ? text.length : start, operation, side);
  return (path) => {
    const [name] = path;
    const field: Field | undefined = typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) return locationOf(field) === 'body' ? inBody(path) : inHead(path, field);
    // A member that the contract does not have is in the body, or in the query.
    const [one, other] = [inBody(path), inHead(path, undefined)];
    return one === undefined || (one.isMissing && other?.isMissing === false) ? other : one;
  };
}

function compileBodySearch(parts: readonly VisitedPart[], offset: number): (path: Path) => FoundPlace | undefined {
  const places = new Map<string, TextPlace>();
  const add = (path: Path, place: TextPlace): void => void (places.has(keyOf(path)) || places.set(keyOf(path), place));
  for (const { path, place } of parts) add(path, place);
  for (const { path, place } of parts) add(path.map(printable), place);
  return (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const begin = path.slice(0, length);
      const found = places.get(keyOf(begin)) ?? places.get(keyOf(begin.map(withoutMark)));
      if (found === undefined) continue;
      const isMissing = length < path.length;
      const name = shifted(found.name, offset);
      return { value: isMissing ? name : shifted(found.value, offset), name, isMissing };
    }
    return undefined;
  };
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map((step) => (typeof step === 'string' ? step : step.index)));
}

/** As messages show it. */
function printable(step: Step): Step {
  return typeof step === 'string' ? printableName(step) : step;
}

/** A draft has a member without the mark of the format that it was read from. */
function withoutMark(step: Step): Step {
  if (typeof step !== 'string') return step;
  const mark = [foreignMark, attributeMark, '.'].find((each) => step.startsWith(each)) ?? '';
  return step.slice(mark.length);
}

function shifted({ start, end }: TextPlace['value'], offset: number): TextPlace['value'] {
  return { start: start + offset, end: end + offset };
}

/** Returns the lines and columns of places in the text. */
function compilePositions(text: string): (range: TextPlace['value'], isMissing?: boolean) => MessagePlace {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: sign }) => index + sign.length)];
  return ({ start, end }, isMissing = false) => {
    const next = starts.findIndex((each) => each > start);
    const line = next === -1 ? starts.length : next;
    const column = [...text.slice(starts[line - 1], start)].length + 1;
    return { line, column, start, end, ...(isMissing && { isMissing }) };
  };
}
