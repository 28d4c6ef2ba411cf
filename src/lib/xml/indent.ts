/** Indents a document: each element with others inside has them on lines of their own. Texts stay as they are. */
import { type ElementPlace, outlineOf } from './outline.ts';

/** For a well-formed document without comments between its elements, such as this program prints. */
export function indentXml(text: string): string {
  const root = outlineOf(text);
  if (root === undefined) return text;
  const declaration = text.slice(0, root.tag.start).trim();
  return (declaration === '' ? '' : `${declaration}\n`) + indented(root, text, '');
}

function indented(element: ElementPlace, text: string, margin: string): string {
  const { tag, content, children } = element;
  const isClosed = text[tag.end - 2] === '/';
  if (children.length === 0 || hasText(element, text))
    return margin + text.slice(tag.start, isClosed ? tag.end : endOf(element, text));
  const lines = children.map((child) => indented(child, text, `${margin}  `));
  return [
    margin + text.slice(tag.start, tag.end),
    ...lines,
    margin + text.slice(content.end, endOf(element, text)),
  ].join('\n');
}

function endOf({ content }: ElementPlace, text: string): number {
  return text.indexOf('>', content.end) + 1;
}

/** Text beside elements has a meaning that blanks would change. */
function hasText({ tag, children }: ElementPlace, text: string): boolean {
  let at = tag.end;
  for (const child of children) {
    if (text.slice(at, child.tag.start).trim() !== '') return true;
    at = text[child.tag.end - 2] === '/' ? child.tag.end : endOf(child, text);
  }
  return false;
}
