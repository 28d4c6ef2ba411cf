/** JSON as the text of a field: what callers in other formats write and read where a message in JSON has any value. */
import { rawNumber } from '../../lib/index.ts';
import { parseText } from './parse.ts';

/** The text of a value. A string that is not JSON by itself has no quotes. `node`: of a tree of the parser. */
export function textOfValue(node: unknown): string {
  return typeof node === 'string' && !isJson(node) ? node : JSON.stringify(exact(node));
}

/** The value of a text, as JSON. */
export function valueOfText(text: string): string {
  return isJson(text) ? text : JSON.stringify(text);
}

function isJson(text: string): boolean {
  return 'tree' in parseText(text);
}

/** A tree in which numbers are as they were written. */
export function exact(node: unknown): unknown {
  if (typeof node === 'symbol') return rawNumber(node.description ?? '0');
  if (Array.isArray(node)) return node.map(exact);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(node)) copy[name] = exact(each);
  return copy;
}
