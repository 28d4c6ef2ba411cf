/** Finds where a member of the contract is in a request with an HTTP binding: in its path, its query, its headers or its body. */
import { type BoundOperation, locationOf, namesInPath } from '../../contract/operation.ts';
import type { Path } from '../../contract/path.ts';
import type { Field } from '../../contract/schema.ts';
import type { Range } from '../../lib/xml/outline.ts';
import { locateInForm } from './locate-in-form.ts';
import { locateInJson } from './locate-in-json.ts';
import { type FoundPlace, foundOrMissing } from './place.ts';

/** `start`: of the body. A head before it begins with the request line. */
export function locateInRest(
  text: string,
  start: number,
  operation: BoundOperation,
  side: 'input' | 'output',
): (path: Path) => FoundPlace | undefined {
  const inBody = locateInJson(text, start);
  const schema = operation[side];
  return (path) => {
    const [name] = path;
    const field: Field | undefined =
      typeof name === 'string' && Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    const location = field === undefined ? undefined : locationOf(field);
    if (location === 'body') return inBody(path, schema);
    const inQuery = side === 'input' ? locateInQuery(text, start)(path) : undefined;
    // A member that the contract does not have is in the body, or in the query.
    if (location === undefined) return preferred(inBody(path, schema), inQuery);
    if (location === 'query') return inQuery;
    const range =
      location === 'path'
        ? segmentOf(text, operation.http.path, String(name))
        : headerOf(text, start, field?.header ?? String(name));
    return range === undefined ? startLine(text) : foundOrMissing(range, 0, false);
  };
}

function preferred(one: FoundPlace | undefined, other: FoundPlace | undefined): FoundPlace | undefined {
  return one === undefined || (one.isMissing && other?.isMissing === false) ? other : one;
}

function locateInQuery(text: string, start: number): (path: Path) => FoundPlace | undefined {
  const { end } = targetOf(text);
  const mark = text.slice(0, end).indexOf('?');
  if (mark === -1 || start === 0) return () => startLine(text);
  return locateInForm(text, mark + 1, '', end);
}

function startLine(text: string): FoundPlace {
  return foundOrMissing(targetOf(text), 0, true);
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
