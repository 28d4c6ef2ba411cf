/** Parses XML: the fast parser for plain documents, else one pass of saxes with limits in its handlers. */
import { createRequire } from 'node:module';
import type * as Library from 'saxes';
import { type Attribute, type Element, type ElementPlace, isBlank, type Range, type Scope } from './element.ts';
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

interface PlacedDocument {
  readonly root: Element;
  /** All tags, comments, CDATA sections and instructions, in their order. */
  readonly markup: readonly Markup[];
}

export interface Markup extends Range {
  readonly kind: 'start' | 'end' | 'comment' | 'cdata' | 'instruction';
  /** The text between this and the markup before it; what it means. */
  readonly textBefore: string;
  /** The places of names and values in a start tag, declarations of namespaces included. */
  readonly attributes?: readonly AttributePlace[];
}

export interface AttributePlace {
  /** With its prefix. */
  readonly qualified: string;
  readonly name: Range;
  /** Between the quotes. */
  readonly value: Range;
  /** What it means. */
  readonly decoded: string;
}

/**
 * Parses a whole document with the strict parser, and says where its elements and attributes are. `source`: a file may be XML 1.1 and have
 * processing instructions, which are ignored. Throws `Malformed` and no other error.
 */
export function parseWithPlaces(
  text: string,
  within: Limits = limits,
  source: 'message' | 'file' = 'message',
): PlacedDocument {
  const markup: Markup[] = [];
  try {
    return { root: createParser(within, markup, source)(text), markup };
  } catch (thrown) {
    throw thrown instanceof Malformed ? thrown : new Malformed('not well-formed');
  }
}

interface MutableElement {
  namespace: string;
  local: string;
  attributes: Attribute[];
  children: MutableElement[];
  text: string;
  mixed?: readonly (string | Element)[];
  scope: Scope | undefined;
  place?: ElementPlace;
}

const none: never[] = [];

const options = { xmlns: true, position: false } as const;
type Options = typeof options;
type Saxes = Pick<Library.SaxesParser<Options>, 'on' | 'write' | 'line' | 'column' | 'position'>;
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
    readonly commentHandler = undefined;
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

/** `markup`: is filled with the places of one document. */
function createParser(limits: Limits, markup?: Markup[], source: 'message' | 'file' = 'message'): ParseDocument {
  const { elementsMax, depthMax, attributesMax, allAttributesMax, nameLengthMax, textLengthMax } = limits;
  parserClass ??= loadParser();
  const parser = new parserClass(options);
  // saxes counts lines and columns in any case; its option is for its messages.
  const refuse = (reason: string): never => {
    throw new Malformed(reason, { line: parser.line, column: parser.column });
  };
  const open: MutableElement[] = [];
  const places = markup && new PlaceRecorder(parser, markup);
  let root: MutableElement | undefined;
  let elements = 0;
  let attributes = 0;
  let allAttributes = 0;
  /** The attributes of the current tag. saxes fills in their namespaces before the tag ends. */
  let own: Library.SaxesAttributeNS[] = none;

  parser.on('error', () => refuse('not well-formed'));
  parser.on('doctype', () => refuse('doctype'));
  parser.on('processinginstruction', () => {
    if (source === 'message') refuse('processing instruction');
    places?.add('instruction');
  });
  parser.on('xmldecl', ({ version }) => {
    if (source === 'message' && version !== undefined && version !== '1.0') refuse('xml version');
    places?.add('instruction');
  });
  if (places !== undefined) parser.on('comment', () => places.add('comment'));
  /** How long the text of each open element was where a child began. */
  const cuts: number[][] = [];
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
    const { uri: namespace, local, ns } = tag;
    const parent = open.at(-1);
    const scope = scopeIn(ns, parent?.scope);
    const element: MutableElement = { namespace, local, attributes: none, children: [], text: '', scope };
    if (own.length > 0) element.attributes = own.map(({ uri, local, value }) => ({ namespace: uri, local, value }));
    places?.open(element, own, tag);
    if (parent === undefined) root = element;
    else {
      parent.children.push(element);
      cuts.at(-1)!.push(parent.text.length);
    }
    open.push(element);
    cuts.push([]);
  });
  const append = (piece: string) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.text += piece;
    if (element.text.length > textLengthMax) refuse('text too long');
  };
  parser.on('text', (piece) => {
    append(piece);
    places?.addText(piece);
  });
  parser.on('cdata', (piece) => {
    append(piece);
    places?.add('cdata');
  });
  parser.on('closetag', (tag) => {
    const element = open.pop();
    const own = cuts.pop();
    if (element === undefined || own === undefined) return;
    if (own.length > 0 && !isBlank(element.text)) element.mixed = mixedOf(element, own);
    places?.close(element, tag.isSelfClosing);
  });

  return (text) => {
    // After a complete document no element is open, and saxes starts again by itself.
    root = undefined;
    elements = 0;
    allAttributes = 0;
    places?.begin(text);
    parser.write(text).close();
    if (root === undefined) throw new Malformed('no root');
    return root;
  };
}

function scopeIn(declared: Readonly<Record<string, string>> | undefined, around: Scope | undefined): Scope | undefined {
  const all = Object.entries(declared ?? {});
  return all.length === 0 ? around : { declared: new Map(all), around };
}

/** `cuts`: how long the text was before each child. */
function mixedOf({ text, children }: MutableElement, cuts: readonly number[]): readonly (string | Element)[] {
  const parts = children.flatMap((child, at) => [text.slice(at === 0 ? 0 : cuts[at - 1], cuts[at]), child]);
  return [...parts, text.slice(cuts.at(-1))].filter((part) => part !== '');
}

/** A parser for each set of limits is reused, because creating one takes as long as parsing a small document. */
const idle = new WeakMap<Limits, ParseDocument>();

/** The name and the quoted value of each attribute of a well-formed tag. */
const attributePattern = /([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')/g;

/**
 * Notes where markup is. In a well-formed document, markup starts at the next `<` behind the markup before it, and ends where the parser is
 * when it reports it.
 */
class PlaceRecorder {
  readonly #parser: Pick<Saxes, 'position'>;
  readonly #markup: Markup[];
  #document = '';
  #end = 0;
  #text = '';

  constructor(parser: Pick<Saxes, 'position'>, markup: Markup[]) {
    this.#parser = parser;
    this.#markup = markup;
  }

  begin(document: string): void {
    this.#document = document;
    this.#end = 0;
  }

  addText(piece: string): void {
    this.#text += piece;
  }

  add(kind: Markup['kind'], attributes?: Markup['attributes']): Range {
    const start = this.#document.indexOf('<', this.#end);
    // A comment is reported before its last character.
    const end = this.#document.indexOf('>', this.#parser.position - 1) + 1;
    if (start === -1 || end <= start) throw new Malformed('not well-formed');
    this.#end = end;
    this.#markup.push({ kind, start, end, textBefore: this.#text, ...(attributes !== undefined && { attributes }) });
    this.#text = '';
    return { start, end };
  }

  open(
    element: MutableElement,
    own: readonly Library.SaxesAttributeNS[],
    { name, ns, attributes }: Library.SaxesTagNS,
  ): void {
    const start = this.#document.indexOf('<', this.#end);
    const from = start + 1 + name.length;
    const places = Array.from(
      this.#document.slice(from, this.#parser.position).matchAll(attributePattern),
      ({ index, 0: whole, 1: qualified = '' }): AttributePlace => {
        const at = from + index;
        const quote = whole.indexOf(whole.at(-1) ?? '"');
        return {
          qualified,
          name: { start: at, end: at + qualified.length },
          value: { start: at + quote + 1, end: at + whole.length - 1 },
          decoded: attributes[qualified]?.value ?? '',
        };
      },
    );
    const tag = this.add('start', places);
    element.attributes = own.map(({ uri, local, value, name: qualified }) => {
      const place = places.find((each) => each.qualified === qualified)?.value;
      return { namespace: uri, local, value, ...(place !== undefined && { place }) };
    });
    element.place = { document: this.#document, value: tag, name: tag, declared: ns ?? {} };
  }

  close(element: MutableElement, isEmptyTag: boolean): void {
    if (isEmptyTag || element.place === undefined) return;
    const content = { start: element.place.name.end, end: this.add('end').start };
    const isText = element.children.length === 0 && content.end > content.start;
    if (isText) element.place = { ...element.place, value: content };
  }
}
