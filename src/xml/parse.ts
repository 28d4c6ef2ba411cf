/** The strict XML reader: one pass of saxes with limits in its handlers, or a `Malformed` that names the reason alone. */
import { SaxesParser } from 'saxes';
import type { Attribute, Element } from './element.ts';

export interface Limits {
  readonly depthMax: number;
  readonly elementsMax: number;
  readonly attributesMax: number;
  readonly nameLengthMax: number;
  readonly textLengthMax: number;
}

/** What a caller may send. */
export const limits: Limits = Object.freeze({
  depthMax: 32,
  elementsMax: 2_000,
  attributesMax: 32,
  nameLengthMax: 256,
  textLengthMax: 32_768,
});

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

const none: Attribute[] = [];
const xmlns = 'http://www.w3.org/2000/xmlns/';

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

/** Parses a whole document. Throws `Malformed`, and nothing else, for any text. */
export const parse = (
  text: string,
  { elementsMax, depthMax, attributesMax, nameLengthMax, textLengthMax } = limits,
): Element => {
  const parser = new Parser(options);
  const open: Growing[] = [];
  let root: Growing | undefined;
  let elements = 0;
  let attributes = 0;

  parser.on('error', () => refuse('not well-formed'));
  parser.on('doctype', () => refuse('doctype'));
  parser.on('processinginstruction', () => refuse('processing instruction'));
  parser.on('xmldecl', ({ version }) => {
    if (version !== undefined && version !== '1.0') refuse('xml version');
  });
  parser.on('opentagstart', (tag) => {
    elements += 1;
    attributes = 0;
    if (elements > elementsMax) refuse('too many elements');
    if (open.length >= depthMax) refuse('too deep');
    if (tag.name.length > nameLengthMax) refuse('name too long');
  });
  parser.on('attribute', ({ name }) => {
    attributes += 1;
    if (attributes > attributesMax) refuse('too many attributes');
    if (name.length > nameLengthMax) refuse('name too long');
  });
  parser.on('opentag', (tag) => {
    let own: Attribute[] = none;
    if (attributes > 0)
      for (const { uri, local, value } of Object.values(tag.attributes)) {
        if (uri === xmlns) continue;
        if (own === none) own = [];
        own.push({ namespace: uri, local, value });
      }
    const element: Growing = { namespace: tag.uri, local: tag.local, attributes: own, children: [], text: '' };
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

  try {
    parser.write(text).close();
  } catch (thrown) {
    throw thrown instanceof Malformed ? thrown : new Malformed('not well-formed');
  }
  return root ?? refuse('no root');
};
