/** The strict XML reader: one pass of saxes with limits in its handlers, or a `Malformed` that names the reason alone. */
import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import type { Attribute, Element } from './element.ts';
import { type Limits, limits } from './limits.ts';
import { readPlain } from './plain.ts';

/** `reason` is one of a fixed set of words: a parser's own message may hold the whole input. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

const refuse = (reason: string): never => {
  throw new Malformed(reason);
};

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
type Saxes = Pick<SaxesParser<Options>, 'on' | 'write'>;

/**
 * saxes keeps handlers under computed names, and V8 makes a dictionary of an object that gets more than six of those:
 * reading then takes four times as long. Handlers whose places are there already do not have that effect.
 */
class Parser extends (SaxesParser as unknown as new (given: Options) => Saxes) {
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
}

/** Reads one document after the other; what threw is not to be used again. */
type ReadDocument = (text: string) => Element;

const createReader = ({ elementsMax, depthMax, attributesMax, nameLengthMax, textLengthMax }: Limits): ReadDocument => {
  const parser = new Parser(options);
  const open: Growing[] = [];
  let root: Growing | undefined;
  let elements = 0;
  let attributes = 0;
  /** Those of the tag that is being read. saxes fills in their namespaces before it ends. */
  let own: SaxesAttributeNS[] = none;

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
    if (attributes > attributesMax) refuse('too many attributes');
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
    // A document that ended well has left nothing open; saxes starts anew after each.
    root = undefined;
    elements = 0;
    parser.write(text).close();
    return root ?? refuse('no root');
  };
};

/** A reader for each set of limits, kept while it does well: making one takes as long as reading a small document. */
const idle = new WeakMap<Limits, ReadDocument>();

/** Parses a whole document with the strict reader alone. Throws `Malformed`, and nothing else, for any text. */
export const parseStrictly = (text: string, within: Limits = limits): Element => {
  const read = idle.get(within) ?? createReader(within);
  idle.delete(within);
  try {
    const root = read(text);
    idle.set(within, read);
    return root;
  } catch (thrown) {
    throw thrown instanceof Malformed ? thrown : new Malformed('not well-formed');
  }
};

/** Parses a whole document. Throws `Malformed`, and nothing else, for any text. */
export const parse = (text: string, within: Limits = limits): Element =>
  readPlain(text, within) ?? parseStrictly(text, within);
