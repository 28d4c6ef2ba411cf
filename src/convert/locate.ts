/** Finds the place of a member in the text of a message, by the places of what was read. */
import {
  type BoundOperation,
  type Field,
  isBound,
  locationOf,
  namesInPath,
  type Operation,
  type Path,
  type ProblemKind,
  printableName,
  problems,
  type Step,
  type TextPlace,
  withoutMark,
} from '../core/contract/index.ts';
import { queryParts, type VisitedPart } from '../core/formats/index.ts';

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
interface LocatedText {
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
      const found = places.get(keyOf(begin)) ?? places.get(keyOf(begin.map(plainStep)));
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
function plainStep(step: Step): Step {
  return typeof step === 'string' ? withoutMark(step) : step;
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

type Range = TextPlace['value'];

/** Where a member is in a text, or would be. */
interface FoundPlace extends Omit<TextPlace, 'document'> {
  readonly isMissing: boolean;
}

/** `start`: of the body. The head before it begins with the request line. */
function locateInHead(
  text: string,
  start: number,
  { http }: BoundOperation,
  side: 'input' | 'output',
): (path: Path, field: Field | undefined) => FoundPlace | undefined {
  const target = targetOf(text);
  return ([step], field) => {
    const name = String(step);
    const location = field === undefined ? 'query' : locationOf(field);
    if (location === 'query') return side === 'input' ? inQuery(text, target, start, name) : undefined;
    const range = location === 'path' ? segmentOf(text, http.path, name) : headerOf(text, start, field?.header ?? name);
    return range === undefined ? missingIn(target) : { value: range, name: range, isMissing: false };
  };
}

function missingIn(target: Range): FoundPlace {
  return { value: target, name: target, isMissing: true };
}

function inQuery(text: string, target: Range, start: number, wanted: string): FoundPlace {
  const mark = text.slice(0, target.end).indexOf('?');
  if (mark === -1 || start === 0) return missingIn(target);
  const parts = queryParts(text.slice(mark + 1, target.end)) ?? [];
  const at = parts.findIndex(
    ({ kind, decoded }) => kind === 'name' && [decoded, printableName(decoded)].includes(wanted),
  );
  const [name, value] = [parts[at], parts[at + 1]];
  const end = { start: target.end, end: target.end };
  if (name === undefined) return { value: end, name: end, isMissing: true };
  const rangeOf = (part: Range): Range => ({ start: part.start + mark + 1, end: part.end + mark + 1 });
  return { value: rangeOf(value?.kind === 'value' ? value : name), name: rangeOf(name), isMissing: false };
}

/** The target of the request line. */
function targetOf(text: string): Range {
  const [whole = '', method = ''] = /^([A-Z]+ )\S*/.exec(text) ?? [];
  return { start: method.length, end: whole.length };
}

/** The path ends with the segments of the template. */
function segmentOf(text: string, template: string, name: string): Range | undefined {
  if (!namesInPath(template).includes(name)) return undefined;
  const { start, end } = targetOf(text);
  const [path = ''] = text.slice(start, end).split('?');
  const segments = [...path.matchAll(/\/([^/]*)/g)];
  const words = template.split('/').slice(1);
  const found = segments.at(words.indexOf(`{${name}}`) - words.length);
  if (found === undefined) return undefined;
  const first = start + found.index + 1;
  return { start: first, end: first + (found[1]?.length ?? 0) };
}

function headerOf(text: string, start: number, name: string): Range | undefined {
  for (const line of text.slice(0, start).matchAll(/^([^:\s]+):[ \t]*(.*?)[ \t\r]*$/gm))
    if (line[1]?.toLowerCase() === name.toLowerCase()) {
      const at = line.index + line[0].indexOf(line[2] ?? '', line[1].length + 1);
      return { start: at, end: at + (line[2]?.length ?? 0) };
    }
  return undefined;
}
