/** Parses XML: the fast parser for plain documents, else one pass of saxes with limits in its handlers. */
import { createRequire } from 'node:module';
import type * as Library from 'saxes';
import type { Attribute, Element } from './element.ts';
import { type Limits, limits } from './limits.ts';
import { readPlain } from './plain.ts';

/** The last character that a parser has read. Lines and columns count from 1; a column is a character. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** `reason` is one of a fixed set of texts: a message of the parser could contain the whole input. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly reason: string;
  readonly position: Position | undefined;
  constructor(reason: string, position?: Position) {
    super(reason);
    this.reason = reason;
    this.position = position;
  }
}

/** Parses a whole document with the strict parser alone. Throws `Malformed` and no other error. */
export function parseStrictly(text: string, within: Limits = limits): Element {
  const read = idle.get(within) ?? createParser(within);
  idle.delete(within);
  try {
    const root = read(text);
    idle.set(within, read);
    return root;
  } catch (thrown) {
    throw thrown instanceof Malformed ? thrown : new Malformed('not well-formed');
  }
}

/** Parses a whole document. Throws `Malformed` and no other error. */
export function parse(text: string, within: Limits = limits): Element {
  return readPlain(text, within) ?? parseStrictly(text, within);
}

interface Growing {
  namespace: string;
  local: string;
  attributes: Attribute[];
  children: Growing[];
  text: string;
}

const none: never[] = [];

const options = { xmlns: true, position: false } as const;
type Options = typeof options;
type Saxes = Pick<Library.SaxesParser<Options>, 'on' | 'write' | 'line' | 'column'>;
type SaxesClass = new (options: Options) => Saxes;

let parserClass: SaxesClass | undefined;

/** Loads the library for the first document that needs it: most are plain. */
function loadParser(): SaxesClass {
  const { SaxesParser } = createRequire(import.meta.url)('saxes') as typeof Library;
  /**
   * saxes sets handlers under computed names, and V8 turns an object into a dictionary after the sixth of those. Parsing then
   * takes four times as long. Declaring the fields first avoids that.
   */
  return class extends (SaxesParser as unknown as SaxesClass) {
    readonly errorHandler = undefined;
    readonly doctypeHandler = undefined;
    readonly piHandler = undefined;
    readonly xmldeclHandler = undefined;
    readonly openTagStartHandler = undefined;
    readonly attributeHandler = undefined;
    readonly openTagHandler = undefined;
    readonly textHandler = undefined;
    readonly cdataHandler = undefined;
    readonly closeTagHandler = undefined;
  };
}

/** Parses documents one after the other. It must not be used again after it threw. */
type ParseDocument = (text: string) => Element;

function createParser(limits: Limits): ParseDocument {
  const { elementsMax, depthMax, attributesMax, allAttributesMax, nameLengthMax, textLengthMax } = limits;
  parserClass ??= loadParser();
  const parser = new parserClass(options);
  // saxes counts lines and columns in any case; its option is for its messages.
  const refuse = (reason: string): never => {
    throw new Malformed(reason, { line: parser.line, column: parser.column });
  };
  const open: Growing[] = [];
  let root: Growing | undefined;
  let elements = 0;
  let attributes = 0;
  let allAttributes = 0;
  /** The attributes of the current tag. saxes fills in their namespaces before the tag ends. */
  let own: Library.SaxesAttributeNS[] = none;

  parser.on('error', () => refuse('not well-formed'));
  parser.on('doctype', () => refuse('doctype'));
  parser.on('processinginstruction', () => refuse('processing instruction'));
  parser.on('xmldecl', ({ version }) => {
    if (version !== undefined && version !== '1.0') refuse('xml version');
  });
  parser.on('opentagstart', (tag) => {
    elements += 1;
    attributes = 0;
    own = none;
    if (elements > elementsMax) refuse('too many elements');
    if (open.length >= depthMax) refuse('too deep');
    if (tag.name.length > nameLengthMax) refuse('name too long');
  });
  parser.on('attribute', (attribute) => {
    const { name, prefix } = attribute;
    attributes += 1;
    allAttributes += 1;
    if (attributes > attributesMax || allAttributes > allAttributesMax) refuse('too many attributes');
    if (name.length > nameLengthMax) refuse('name too long');
    if (prefix === 'xmlns' || name === 'xmlns') return;
    if (own === none) own = [];
    own.push(attribute);
  });
  parser.on('opentag', (tag) => {
    const element: Growing = { namespace: tag.uri, local: tag.local, attributes: none, children: [], text: '' };
    if (own.length > 0) element.attributes = own.map(({ uri, local, value }) => ({ namespace: uri, local, value }));
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
    open.push(element);
  });
  const append = (piece: string) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.text += piece;
    if (element.text.length > textLengthMax) refuse('text too long');
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    open.pop();
  });

  return (text) => {
    // After a complete document no element is open, and saxes starts again by itself.
    root = undefined;
    elements = 0;
    allAttributes = 0;
    parser.write(text).close();
    if (root === undefined) throw new Malformed('no root');
    return root;
  };
}

/** A parser for each set of limits is reused, because creating one takes as long as parsing a small document. */
const idle = new WeakMap<Limits, ParseDocument>();
