/** Finds where the elements of a document are in its text, for messages that say which part of them is wrong. */

/** A part of a text, in UTF-16 units from 0. */
export interface Range {
  readonly start: number;
  /** After the last character. */
  readonly end: number;
}

/** An element by its place. */
export interface ElementPlace {
  readonly local: string;
  /** Of its start tag. */
  readonly tag: Range;
  /** Between its tags; empty for an empty tag. */
  readonly content: Range;
  /** The values between their quotes, by local name; as written. Declarations of namespaces are left out. */
  readonly attributes: ReadonlyMap<string, Range>;
  readonly children: readonly ElementPlace[];
}

interface Growing extends ElementPlace {
  content: Range;
  readonly children: Growing[];
}

/** Markup: comments, CDATA, declarations, and tags, whose quoted values may have any sign. */
const markup =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([^\s/>!?]+)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g;
const attribute = /([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g;

/** The root of a well-formed document. Returns undefined, or any elements, for another text. Never throws. */
export function outlineOf(text: string): ElementPlace | undefined {
  const open: Growing[] = [];
  let root: Growing | undefined;
  for (const match of text.matchAll(markup)) {
    const [whole, slash, name, rest = ''] = match;
    if (name === undefined) continue;
    const tag: Range = { start: match.index, end: match.index + whole.length };
    if (slash === '/') {
      const element = open.pop();
      if (element !== undefined) element.content = { start: element.content.start, end: tag.start };
      continue;
    }
    const content: Range = { start: tag.end, end: tag.end };
    const restStart = tag.start + 1 + name.length;
    const element: Growing = {
      local: localOf(name),
      tag,
      content,
      attributes: attributesIn(rest, restStart),
      children: [],
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    if (!rest.endsWith('/')) open.push(element);
  }
  return root;
}

function attributesIn(rest: string, start: number): ReadonlyMap<string, Range> {
  const found = new Map<string, Range>();
  if (!rest.includes('=')) return found;
  for (const { index, 0: whole, 1: name = '', 2: quoted = '' } of rest.matchAll(attribute)) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
    const end = start + index + whole.length - 1;
    found.set(localOf(name), { start: end - quoted.length + 2, end });
  }
  return found;
}

function localOf(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
