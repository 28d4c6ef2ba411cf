/** The names and the values of an XML document, for masking. */
import type { Buffer } from 'node:buffer';
import { mayHoldNumber } from '../../contract/index.ts';
import type { Charset } from '../../lib/index.ts';
import {
  type AttributePlace,
  decodeXml,
  type Element,
  indentXml,
  Malformed,
  type Markup,
  parse,
  parseWithPlaces,
  UnknownEncoding,
  Unreadable,
} from '../../xml/index.ts';
import type { TextPart, TextTools } from '../text-tools.ts';
import { responseLimits } from './parse.ts';

export const xmlText: TextTools = Object.freeze<TextTools>({
  decode(body, charset) {
    try {
      return decodeXml(body, charset);
    } catch (thrown) {
      if (thrown instanceof UnknownEncoding || thrown instanceof Unreadable) return undefined;
      throw thrown;
    }
  },
  parts: partsOfXml,
  indent: (text) => indentXml(text, responseLimits),
  resembles: (text) => !/^(?:\{|[A-Z]+ \S+ HTTP|HTTP\/)/.test(text.trimStart()),
  clues(body, charset) {
    const message = messageIn(body, charset);
    if (message === undefined) return undefined;
    const { local, namespace } = message;
    if (local === 'Fault') return { namespace, side: 'error' };
    const side = local.endsWith('Response') ? 'answer' : 'request';
    return { namespace, side, operation: local };
  },
});

/** The element of the Body that names the operation, or a Fault. Undefined for what is malformed: decoding says why. */
function messageIn(body: Buffer, charset: Charset | undefined): Element | undefined {
  try {
    const envelope = parse(decodeXml(body, charset), responseLimits);
    const content = envelope.children.find(({ local }) => local === 'Body')?.children ?? [];
    // Elements with an id are parts that the message refers to.
    return content.find(({ attributes }) => attributes.every(({ local }) => local !== 'id')) ?? content[0];
  } catch {
    return undefined;
  }
}

/** Undefined for a document that the strict parser refuses. */
function partsOfXml(text: string): readonly TextPart[] | undefined {
  try {
    const { markup } = parseWithPlaces(text, responseLimits);
    return markup.flatMap((each, at) => [
      ...textBefore(text, { start: markup[at - 1]?.end ?? 0, end: each.start, decoded: each.textBefore }),
      ...partsOf(text, each),
    ]);
  } catch (thrown) {
    if (thrown instanceof Malformed) return undefined;
    throw thrown;
  }
}

function textBefore(text: string, place: Pick<TextPart, 'start' | 'end' | 'decoded'>): readonly TextPart[] {
  return text.slice(place.start, place.end).trim() === '' ? [] : [{ kind: 'value', ...place, quote: quoteText }];
}

function partsOf(text: string, { kind, start, end, attributes = [] }: Markup): readonly TextPart[] {
  const remark = (quoted: string): readonly TextPart[] => [
    { kind: 'remark', start, end, decoded: '', quote: () => quoted },
  ];
  switch (kind) {
    case 'start':
      return [...nameParts(text, start + 1), ...attributes.flatMap((each) => attributeParts(text, each))];
    case 'end':
      return nameParts(text, start + 2);
    case 'comment':
      return remark('<!-- masked -->');
    // A number could be in several pieces, so no piece of a text is shown.
    case 'cdata':
      return remark('<masked>');
    case 'instruction': {
      const sent = text.slice(start, end);
      return /^<\?xml[\s\w="'.-]*\?>$/.test(sent) && !mayHoldNumber(sent) ? [] : remark('<?masked?>');
    }
    default:
      return kind satisfies never;
  }
}

/** A prefix and a local name. */
function nameParts(text: string, start: number): readonly TextPart[] {
  const [name = ''] = /^[^\s/>=]+/.exec(text.slice(start, start + nameMax)) ?? [];
  const colon = name.indexOf(':');
  const part = (from: number, to: number): TextPart => {
    const decoded = name.slice(from, to);
    return { kind: 'name', start: start + from, end: start + to, decoded, quote: () => 'masked' };
  };
  return colon === -1 ? [part(0, name.length)] : [part(0, colon), part(colon + 1, name.length)];
}

/** The parser has checked the length of names. */
const nameMax = 1_000;

function attributeParts(text: string, { qualified, name, value, decoded }: AttributePlace): readonly TextPart[] {
  const isTechnical = isTechnicalValue(qualified, decoded);
  return [...nameParts(text, name.start), { kind: 'value', ...value, decoded, quote: quoteValue, isTechnical }];
}

/** Attributes of XML Schema and SOAP, with values that these can have. */
function isTechnicalValue(name: string, value: string): boolean {
  if (mayHoldNumber(value)) return false;
  if (/^xmlns(?::|$)/.test(name)) return /^(?:(?:https?:\/\/|urn:)[\w./:#-]{1,120})?$/.test(value);
  return technical[name.slice(name.indexOf(':') + 1)]?.test(value) === true;
}

const technical: Readonly<Record<string, RegExp>> = Object.freeze({
  type: /^(?:[\w-]{1,20}:)?(?:string|boolean|int|integer|long|short|decimal|double|dateTime|date|anyType|Struct|Map|base64Binary)$/,
  nil: /^(?:true|false|0|1)$/,
  mustUnderstand: /^(?:true|false|0|1)$/,
  encodingStyle: /^https?:\/\/(?:schemas\.xmlsoap\.org|www\.w3\.org)\/[\w./-]*$/,
  id: /^(?:id|ref|i|_)?-?\d{1,5}$/,
  href: /^#(?:id|ref|i|_)?-?\d{1,5}$/,
  ref: /^(?:id|ref|i|_)?-?\d{1,5}$/,
  lang: /^[a-z]{2}(?:-[A-Z]{2})?$/,
});

function quoteText(text: string): string {
  return text === '<masked>' ? text : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function quoteValue(text: string): string {
  return text === '<masked>' ? 'masked' : quoteText(text).replaceAll('"', '&quot;').replaceAll("'", '&apos;');
}
