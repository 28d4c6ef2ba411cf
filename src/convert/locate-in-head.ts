/** Finds where a member of the contract is in the head of a request with an HTTP binding: in its path, its query or its headers. */
import { printableName } from '../contract/member-names.ts';
import { type BoundOperation, locationOf, namesInPath } from '../contract/operation.ts';
import type { Path } from '../contract/path.ts';
import type { TextPlace } from '../contract/read.ts';
import type { Field } from '../contract/schema.ts';
import { queryParts } from '../formats/index.ts';

type Range = TextPlace['value'];

/** Where a member is in a text, or would be. */
export interface FoundPlace extends Omit<TextPlace, 'document'> {
  readonly isMissing: boolean;
}

/** `start`: of the body. The head before it begins with the request line. */
export function locateInHead(
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
