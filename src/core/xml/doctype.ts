/** Removes the DOCTYPE of a schema, which says nothing about it: those of the W3C have one. */
import type { Range } from './element.ts';

/** The text with blanks in place of its DOCTYPE, so that all places stay. */
export function withoutDoctype(text: string): string {
  const found = findDoctype(text);
  if (found === undefined) return text;
  const { start, end } = found;
  return text.slice(0, start) + text.slice(start, end).replace(/[^\r\n]/g, ' ') + text.slice(end);
}

/** Undefined where there is none before the root. One without an end goes to the end of the text. */
function findDoctype(text: string): Range | undefined {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at += 1;
    if (text.startsWith('<!DOCTYPE', at)) return { start: at, end: endOfDoctype(text, at + 9) };
    if (text.startsWith('<?', at)) at = behind(text, '?>', at);
    else if (text.startsWith('<!--', at)) at = behind(text, '-->', at + 4);
    else return undefined;
  }
}

/** Declarations stand between brackets; in quotes, comments and instructions no sign has a meaning. */
function endOfDoctype(text: string, from: number): number {
  let isInside = false;
  for (let at = from; at < text.length; ) {
    const sign = text[at]!;
    if (sign === '"' || sign === "'") at = behind(text, sign, at + 1);
    else if (text.startsWith('<!--', at)) at = behind(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) at = behind(text, '?>', at);
    else {
      at += 1;
      if (sign === '>' && !isInside) return at;
      if (sign === '[') isInside = true;
      if (sign === ']') isInside = false;
    }
  }
  return text.length;
}

function behind(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? text.length : at + end.length;
}
