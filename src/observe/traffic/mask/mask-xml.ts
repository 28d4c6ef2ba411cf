/** Masks an XML document that a format has parsed: texts that the contract has and does not call sensitive stay as they were sent. */
import { mayHoldNumber, printableName } from '../../../contract/member-names.ts';
import { MaskedOutput, type MaskedText, type MaskText, masked } from './masked-output.ts';
import { below, isShown, type Place } from './place.ts';

const token = /<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<\/[^>]*>|<(?:"[^"]*"|'[^']*'|[^<>"'])*>|[^<]+|</gs;
const tag = /^<([^\s/>]+)(.*?)(\/?)>$/s;
const attribute = /(\s*)([^\s=]+)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/gs;
const isEnd = /<\//y;

export function maskXml(text: string, root: Place, maskText: MaskText, lengthMax: number): MaskedText {
  const output = new MaskedOutput(maskText, lengthMax);
  const open: Place[] = [root];
  /** The last token was a start tag: a text behind it may be the whole text of its element. */
  let isStart = false;
  for (const found of text.matchAll(token)) {
    if (output.isFull) break;
    const [sent] = found;
    if (sent.startsWith('<?'))
      output.add(/^<\?xml[\s\w="'.-]*\?>$/.test(sent) && !mayHoldNumber(sent) ? sent : '<?masked?>');
    else if (sent.startsWith('<!--')) output.add('<!-- masked -->');
    else if (sent.startsWith('</')) {
      open.pop();
      output.add(maskEnd(sent));
    } else if (sent.startsWith('<![CDATA[')) output.add(masked);
    else if (sent.startsWith('<')) {
      const started = tag.exec(sent);
      if (started === null) output.add(masked);
      else {
        const [, name = '', attributes = '', slash = ''] = started;
        const place = below(open.at(-1), localName(name));
        output.add(`<${maskName(name, place)}`);
        maskAttributes(attributes, place, output);
        output.add(`${slash}>`);
        if (slash === '') open.push(place);
        isStart = slash === '';
        continue;
      }
    } else if (sent.trim() === '') output.add(sent);
    else {
      isEnd.lastIndex = found.index + sent.length;
      // A number could be in several pieces, with comments or elements between them.
      const isWhole = isStart && isEnd.test(text);
      output.addValue(isWhole ? open.at(-1) : undefined, sent, decode(sent), escapeText);
    }
    isStart = false;
  }
  return output.result();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function maskName(name: string, place: Place): string {
  const prefix = name.slice(0, Math.max(name.indexOf(':'), 0));
  const isPrintable = place !== undefined || isPlainName(localName(name));
  return isPrintable && (prefix === '' || isPlainName(prefix)) ? name : 'masked';
}

function isPlainName(name: string): boolean {
  return printableName(name) === name;
}

function maskEnd(sent: string): string {
  const name = sent.slice(2, -1).trim();
  return `</${maskName(name, undefined)}>`;
}

function maskAttributes(attributes: string, place: Place, output: MaskedOutput): void {
  for (const [, blanks = '', name = '', sign = '', double, single] of attributes.matchAll(attribute)) {
    const value = double ?? single ?? '';
    const quote = double === undefined ? "'" : '"';
    output.add(`${blanks}${maskName(name, undefined)}${sign}${quote}`);
    const ofContract = name.includes(':') ? undefined : below(place, name);
    if (isShown(ofContract)) output.addValue(ofContract, value, decode(value), escapeText);
    else output.add(isTechnical(name, value) ? value : masked.slice(1, -1));
    output.add(quote);
  }
}

/** Attributes of XML Schema and SOAP, with values that these can have. */
function isTechnical(name: string, value: string): boolean {
  if (mayHoldNumber(value)) return false;
  if (/^xmlns(?::|$)/.test(name)) return /^(?:(?:https?:\/\/|urn:)[\w./:#-]{1,120})?$/.test(value);
  const pattern = technical[localName(name)];
  return pattern?.test(value) === true;
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

const entities: Readonly<Record<string, string>> = Object.freeze({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" });

/** Undefined for a reference that XML does not know. */
function decode(text: string): string | undefined {
  let isKnown = true;
  const decoded = text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));/g, (_, decimal, hex, name) => {
    const character = name === undefined ? characterOf(decimal ?? `0x${hex}`) : entities[name];
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown ? decoded : undefined;
}

function characterOf(number: string): string | undefined {
  const code = Number(number);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

function escapeText(text: string): string {
  if (text === masked) return masked;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
