/** Lexical forms: the one place where text becomes a scalar, so that every format reads the same value. */

import { hasToken, spooledValue } from '../spool/index.ts';
import {
  type Attribute,
  type Element,
  escapeXml,
  Malformed,
  parse as parseXml,
  serialize,
  serializeContent,
  xsiUri,
} from '../xml/index.ts';
import { isIbanValid, isLuhnValid } from './check-digits.ts';
import { parseDecimal } from './decimal.ts';
import { isCountry, isCurrency } from './iso.ts';
import {
  type BinarySchema,
  type DateTimeSchema,
  type Format,
  markupLengthMax,
  type ScalarSchema,
  type StringSchema,
  textLengthMax,
} from './schema.ts';
import { isTimeZone, localTimeReader } from './time-zone.ts';

/** What is wrong with a text, or its value. */
type Parsed = { readonly value: string | number | boolean } | { readonly fault: 'type' | 'length' | 'value' };

const plainInteger = /^[+-]?\d{1,15}$/;
/** For ranges with integers of 16 digits; a double has them up to 2^53 - 1. */
const longInteger = /^[+-]?\d{1,16}$/;
const day = /^(\d{4}-\d\d-\d\d)(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?$/;
// What XML 1.0 cannot carry (and JSON and FORM callers may still send): refused everywhere, so that all formats agree.
// biome-ignore lint/suspicious/noControlCharactersInRegex: naming the forbidden ones is the point
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const formats: Readonly<Record<Format, (text: string) => boolean>> = {
  luhn: isLuhnValid,
  iban: isIbanValid,
  country: isCountry,
  countryOrUnknown: (text) => text === 'ZZ' || isCountry(text),
  currency: isCurrency,
  timeZone: isTimeZone,
};

/** The formats in words for callers. */
export const formatRules: Readonly<Record<Format, string>> = {
  luhn: 'with a valid check digit',
  iban: 'an account number of ISO 13616 with a valid check number',
  country: 'a country of ISO 3166-1',
  countryOrUnknown: 'a country of ISO 3166-1, or ZZ',
  currency: 'a currency of ISO 4217',
  timeZone: 'a time zone such as Europe/Amsterdam',
};

/** True for text that every format can carry unchanged. */
export function printable(text: string): boolean {
  return !unprintable.test(text) && text.isWellFormed();
}

/** Compiles the reading of a scalar: text in, canonical value or what is wrong with it. */
export function parser(schema: ScalarSchema): (text: string) => Parsed {
  switch (schema.kind) {
    case 'string':
      return parseText(schema, schema.pattern === undefined ? undefined : new RegExp(`^(?:${schema.pattern})$`));
    case 'integer': {
      const pattern = Math.max(schema.max, -schema.min) < 10 ** 15 ? plainInteger : longInteger;
      return (text) => {
        const trimmed = text.trim();
        if (!pattern.test(trimmed)) return { fault: 'type' };
        const value = Number(trimmed) + 0;
        return value < schema.min || value > schema.max || !Number.isSafeInteger(value)
          ? { fault: 'value' }
          : { value };
      };
    }
    case 'boolean':
      return (text) => {
        const trimmed = text.trim();
        if (trimmed === 'true' || trimmed === '1') return { value: true };
        return trimmed === 'false' || trimmed === '0' ? { value: false } : { fault: 'type' };
      };
    case 'dateTime':
      return parseMoment(schema);
    case 'decimal':
      return parseDecimal(schema);
    case 'double':
      return parseDouble;
    case 'date':
      return parseDate;
    case 'binary':
      return parseBinary(schema);
    case 'enum': {
      const keyOf = (text: string) => (schema.anyCase ? text.toLowerCase() : text);
      const values = new Map(schema.values.map((value) => [keyOf(value), value]));
      return (text) => {
        const value = values.get(keyOf(text.trim()));
        return value === undefined ? { fault: 'value' } : { value };
      };
    }
    default:
      return schema satisfies never;
  }
}

/** .NET leaves out the time zone of a DateTime whose kind is not specified. */
function parseMoment({ timeZone }: DateTimeSchema) {
  const readLocal = timeZone === undefined ? undefined : localTimeReader(timeZone);
  return (text: string): Parsed => {
    const trimmed = text.trim();
    const value = moment.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
    if (!Number.isNaN(value)) return { value };
    const local = readLocal !== undefined && localTime.test(trimmed) ? Date.parse(`${trimmed}Z`) : Number.NaN;
    return readLocal === undefined || Number.isNaN(local) ? { fault: 'type' } : { value: readLocal(local) };
  };
}

/** As XSD writes it, without its infinities and NaN. */
const plainDouble = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

function parseDouble(text: string): Parsed {
  const trimmed = text.trim();
  if (trimmed.length > 400 || !plainDouble.test(trimmed)) return { fault: 'type' };
  const value = Number(trimmed) + 0;
  return Number.isFinite(value) ? { value } : { fault: 'value' };
}

/** The characters of as many bytes in base64. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** The time zone that XSD allows is left out: the day is the one that the caller wrote. */
function parseDate(text: string): Parsed {
  const [, value] = day.exec(text.trim()) ?? [];
  return value !== undefined && isDay(value) ? { value } : { fault: 'type' };
}

/** XSD has no year 0. */
function isDay(text: string): boolean {
  const moment = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text) && !text.startsWith('0000');
}

/** Line breaks, which MIME encoders add, are left out. Blanks are not: in a form they stand for a plus sign. */
function parseBinary({ max }: BinarySchema) {
  return (text: string): Parsed => {
    const spooled = spooledValue(text.trim());
    if (spooled !== undefined) return spooled.length > max ? { fault: 'length' } : { value: spooled.token };
    const value = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, '') : text;
    const bytes = decodedLength(value);
    if (bytes === undefined) return { fault: 'type' };
    return bytes > max ? { fault: 'length' } : { value };
  };
}

const base64Signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * The bytes of a text in the normal form of base64: padded, without other characters, and without spare bits. Undefined for any other
 * text. Nothing is decoded: a large value would need the memory twice more.
 */
function decodedLength(text: string): number | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const end = text.length - padding;
  if (end === 0 || text.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(text.slice(0, end))) return undefined;
  const last = base64Signs.indexOf(text[end - 1]!);
  return last % 4 ** padding === 0 ? (text.length / 4) * 3 - padding : undefined;
}

/** Every text of the same elements is one value, which declares its namespaces. A text that does not begin as XML is content. */
function parseMarkup(markup: NonNullable<StringSchema['markup']>) {
  return (text: string): Parsed => {
    if (text.length > markupLengthMax) return { fault: 'length' };
    const trimmed = text.trim();
    if (!trimmed.startsWith('<'))
      return markup === 'content' && printable(text)
        ? { value: `<value>${escapeXml(text)}</value>` }
        : { fault: 'type' };
    try {
      const element = parseXml(trimmed);
      if (markup === 'attributes' && !holdsAttributesAlone(element)) return { fault: 'type' };
      return { value: markup === 'any' || markup === 'other' ? serialize(element) : serializeContent(element) };
    } catch (thrown) {
      if (thrown instanceof Malformed) return { fault: 'type' };
      throw thrown;
    }
  };
}

/** Those of XML Schema say what the element is, and `href` where its content is. */
function holdsAttributesAlone({ attributes, children, text }: Element): boolean {
  const isOther = ({ namespace, local }: Attribute) => namespace !== xsiUri && !(namespace === '' && local === 'href');
  return attributes.length > 0 && attributes.every(isOther) && children.length === 0 && text === '';
}

/** A token stands for more characters than a text may have. */
function parseText(schema: StringSchema, pattern: RegExp | undefined) {
  const parse = parsePlainText(schema, pattern);
  return (text: string): Parsed => (hasToken(text) ? { fault: 'length' } : parse(text));
}

function parsePlainText(schema: StringSchema, pattern: RegExp | undefined) {
  if (schema.markup !== undefined) return parseMarkup(schema.markup);
  const { min = 0, max = textLengthMax, format } = schema;
  const sound = format === undefined ? undefined : formats[format];
  return (text: string): Parsed => {
    if (!printable(text)) return { fault: 'type' };
    if (text.length > max && [...text].length > max) return { fault: 'length' };
    if (
      (text.length < 2 * min && [...text].length < min) ||
      (pattern && !pattern.test(text)) ||
      (sound && !sound(text))
    )
      return { fault: 'value' };
    return { value: text };
  };
}
