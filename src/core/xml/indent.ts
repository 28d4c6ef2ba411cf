/** Indents a document: each element with others inside has them on lines of their own. Texts stay as they are. */
import { isBlank } from './element.ts';
import type { Limits } from './limits.ts';
import { Malformed, type Markup, parseWithPlaces } from './parse.ts';

/** A document that is not well-formed stays as it is. */
export function indentXml(text: string, within: Limits): string {
  try {
    return indented(text, parseWithPlaces(text, within).markup);
  } catch (thrown) {
    if (thrown instanceof Malformed) return text;
    throw thrown;
  }
}

function indented(text: string, markup: readonly Markup[]): string {
  const mixed = mixedIn(text, markup);
  let printed = '';
  let depth = 0;
  /** Of the element around, and those around it, that has a text beside others. */
  let mixedAt: number | undefined;
  for (const [at, part] of markup.entries()) {
    const before = markup[at - 1];
    if (part.kind === 'end') depth -= 1;
    const isLeaf = before?.kind === 'start' && part.kind === 'end' && !isEmptyTag(text, before);
    if (before !== undefined)
      printed += isLeaf || mixedAt !== undefined ? text.slice(before.end, part.start) : `\n${'  '.repeat(depth)}`;
    printed += text.slice(part.start, part.end);
    if (mixedAt === depth && part.kind === 'end') mixedAt = undefined;
    if (part.kind !== 'start' || isEmptyTag(text, part)) continue;
    if (mixed.has(part)) mixedAt ??= depth;
    depth += 1;
  }
  return printed;
}

/** The start tags of elements that hold a text: beside others, it has a meaning that blanks would change. */
function mixedIn(text: string, markup: readonly Markup[]): ReadonlySet<Markup> {
  const mixed = new Set<Markup>();
  const open: Markup[] = [];
  for (const [at, part] of markup.entries()) {
    const around = open.at(-1);
    const isText = part.kind === 'cdata' || !isBlank(text.slice(markup[at - 1]?.end ?? 0, part.start));
    if (around !== undefined && isText) mixed.add(around);
    if (part.kind === 'end') open.pop();
    else if (part.kind === 'start' && !isEmptyTag(text, part)) open.push(part);
  }
  return mixed;
}

function isEmptyTag(text: string, { end }: Markup): boolean {
  return text[end - 2] === '/';
}
