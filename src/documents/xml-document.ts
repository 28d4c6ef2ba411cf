/** Builds XML documents from nested tags, with text and attributes escaped. */
import { runToEnd, type Steps } from '../core/lib/index.ts';

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Tag | string)[];
}

export type Attributes = Readonly<Record<string, string | undefined>>;

/** An element. Attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes = {}, ...children: readonly (Tag | string)[]): Tag {
  return {
    name,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter((each): each is [string, string] => each[1] !== undefined),
    ),
    children,
  };
}

/** The document as text, with a newline at its end. */
export function printDocument(root: Tag): string {
  return runToEnd(printInSteps(root));
}

/** As `printDocument`; each element of the upper levels is a step. */
export function* printInSteps(root: Tag): Steps<string> {
  return `<?xml version="1.0" encoding="utf-8"?>\n${yield* printLevels(root, 3, '')}\n`;
}

function* printLevels(printed: Tag, levels: number, indent: string): Steps<string> {
  const { name, attributes, children } = printed;
  if (levels === 0 || children.length === 0 || children.some((each) => typeof each === 'string')) {
    yield;
    return printTag(printed, indent);
  }
  const inside: string[] = [];
  for (const child of children)
    if (typeof child !== 'string') inside.push(yield* printLevels(child, levels - 1, `${indent}  `));
  return `${indent}${start(name, attributes)}>\n${inside.join('\n')}\n${indent}</${name}>`;
}

function printTag({ name, attributes, children }: Tag, indent: string): string {
  const open = `${indent}${start(name, attributes)}`;
  const [first] = children;
  if (first === undefined || first === '') return `${open}/>`;
  if (typeof first === 'string') return `${open}>${escapeAttribute(first)}</${name}>`;
  const inside = children.map((each) => (typeof each === 'string' ? '' : printTag(each, `${indent}  `)));
  return `${open}>\n${inside.join('\n')}\n${indent}</${name}>`;
}

function start(name: string, attributes: Tag['attributes']): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  return `<${name}${written.join('')}`;
}

/** Escapes text for an attribute value in quotes. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
