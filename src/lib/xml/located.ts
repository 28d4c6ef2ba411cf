/** Parses XML documents with the place of each element: for files that people write, where a message names line and column. */
import { SaxesParser } from 'saxes';
import type { Limits } from './limits.ts';
import { Malformed, type Position } from './parse.ts';

/** An element with its place, its attributes and the prefixes that values in it may have. */
export interface LocatedElement {
  readonly namespace: string;
  readonly local: string;
  /** Those without a namespace, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Those with one. */
  readonly qualified: readonly QualifiedAttribute[];
  readonly children: readonly LocatedElement[];
  readonly text: string;
  readonly parent: LocatedElement | undefined;
  /** Of its first character. */
  readonly position: Position;
  /** URIs by prefix, those of the elements around it included. */
  readonly prefixes: Readonly<Record<string, string>>;
}

export interface QualifiedAttribute {
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
}

interface Growing extends LocatedElement {
  readonly attributes: Map<string, string>;
  readonly qualified: QualifiedAttribute[];
  readonly children: Growing[];
  text: string;
}

/** Of all elements that declare one, with those that each has from the elements around it. */
const prefixesMax = 2_000_000;

/** Throws `Malformed` and no other error. A DOCTYPE is refused, and with it all entities. Processing instructions are ignored. */
export function parseLocated(text: string, limits: Limits): LocatedElement {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const placeOf = compilePlaces(text);
  const refuse = (reason: string): never => {
    throw new Malformed(reason, { line: parser.line, column: parser.column });
  };
  let root: Growing | undefined;
  let open: Growing | undefined;
  let start = 0;
  let depth = 0;
  let elements = 0;
  let prefixes = 0;

  parser.on('error', () => refuse('not well-formed'));
  parser.on('doctype', () => refuse('doctype'));
  parser.on('opentagstart', (tag) => {
    elements += 1;
    depth += 1;
    if (elements > limits.elementsMax) refuse('too many elements');
    if (depth > limits.depthMax) refuse('too deep');
    if (tag.name.length > limits.nameLengthMax) refuse('name too long');
    // A tag has no other of these before its end.
    start = text.lastIndexOf('<', parser.position - 1);
  });
  parser.on('opentag', (tag) => {
    const all = Object.values(tag.attributes);
    if (all.length > limits.attributesMax) refuse('too many attributes');
    const own = all.filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns');
    const declared = Object.keys(tag.ns ?? {}).length > 0;
    const around: Readonly<Record<string, string>> = open?.prefixes ?? {};
    const inScope = declared ? { ...around, ...tag.ns } : around;
    if (declared) prefixes += Object.keys(inScope).length;
    if (prefixes > prefixesMax) refuse('too many prefixes');
    const element: Growing = {
      namespace: tag.uri,
      local: tag.local,
      attributes: new Map(own.filter(({ uri }) => uri === '').map(({ local, value }) => [local, value])),
      qualified: own.filter(({ uri }) => uri !== '').map(({ uri, local, value }) => ({ namespace: uri, local, value })),
      children: [],
      text: '',
      parent: open,
      position: placeOf(start),
      prefixes: inScope,
    };
    if (open === undefined) root = element;
    else open.children.push(element);
    open = element;
  });
  const append = (piece: string) => {
    if (open === undefined) return;
    open.text += piece;
    if (open.text.length > limits.textLengthMax) refuse('text too long');
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    depth -= 1;
    open = open?.parent as Growing | undefined;
  });

  try {
    parser.write(text).close();
  } catch (thrown) {
    throw thrown instanceof Malformed ? thrown : new Malformed('not well-formed');
  }
  if (root === undefined) throw new Malformed('no root');
  return root;
}

/** Lines and columns count from 1. */
function compilePlaces(text: string): (offset: number) => Position {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ index, 0: end }) => index + end.length)];
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  };
}
