/** Schemas of scalars: texts, numbers, days, moments, bytes and enumerations. */

import type { ProblemRef } from './problem.ts';
import { isTimeZone } from './time-zone.ts';

/** Checks that no schema language of the targets can say. `countryOrUnknown` accepts ZZ, too. */
export type Format = 'luhn' | 'iban' | 'country' | 'countryOrUnknown' | 'currency' | 'timeZone';

/** Characters that a text may have where its schema sets no other limit. */
export const textLengthMax = 4000;

/** Characters of XML that a field holds as text. */
export const markupLengthMax = 65_536;

/** Also integers and decimals without a limit of their own fit: a binary fraction has up to 55 digits in a few systems. */
export const decimalDigitsMax = 100;

/** The most bytes that a value may have. The largest body of a server limits it further. */
export const binaryLengthMax = 1_073_741_824;

/** Values that a credential may name, by the name under which it holds them. */
export interface Grant {
  readonly name: string;
  /** For a caller whose grant does not hold the value. */
  readonly refusal: ProblemRef;
}

/** A text. */
export interface StringSchema {
  readonly kind: 'string';
  /** Length in characters (code points, as XSD and JSON Schema count), both ends included. */
  readonly min?: number;
  /** `textLengthMax` where it is absent. */
  readonly max?: number;
  /** A pattern in the common ground of ECMAScript, XSD and JSON Schema; it must match the whole text. */
  readonly pattern?: string;
  readonly format?: Format;
  /**
   * An empty text counts as absent by default. `invalid`: that would widen what the request does, so it is a value, and a required
   * field is missing. `present`: it is a value in every field but those with `mandatoryInStubs: 'empty'`.
   */
  readonly emptyString?: 'invalid' | 'present';
  /** Never logged; stored only encrypted or masked. Not searched for secrets that do not belong there: it may be one. */
  readonly sensitive?: true;
  /** For a sensitive text that is no number: searched all the same. */
  readonly searched?: true;
  /** Nothing is ever known by it again: no part of what a retry is compared with. */
  readonly neverStored?: true;
  /** In full in one response only; the stored outcome has the last four characters. */
  readonly storeAs?: 'last4';
  /**
   * The text is XML. `content`: what an element holds, in SOAP in the element of the field; the name of the outer element means
   * nothing. `any`, `other`: an element of any name, in SOAP a member of the object; of another namespace, for `other`.
   * `attributes`: an element without content, whose attributes are further ones of the object's element.
   */
  readonly markup?: 'content' | 'any' | 'other' | 'attributes';
  /**
   * `value`: the text is JSON, `{"a":1}` or `7`, and a message in JSON has the value itself. A text that is no JSON stands for
   * itself.
   */
  readonly json?: 'value';
  /**
   * A name with its namespace, `{urn:orders}paid`, or without one, `paid`. XML has it with a prefix that its message declares. What is
   * of neither form stands for itself.
   */
  readonly qualifiedName?: true;
  /** A number written as text: leading zeros mean nothing. */
  readonly numeric?: true;
  /** The grant that must hold the value. */
  readonly authorizes?: Grant;
  readonly example: string;
}

/** A whole number between `min` and `max`, both included. */
export interface IntegerSchema {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  /** As for a string. */
  readonly sensitive?: true;
  readonly example: number;
}

/** True or false. */
export interface BooleanSchema {
  readonly kind: 'boolean';
  readonly example: boolean;
}

/** A moment, as milliseconds since the epoch (UTC). */
export interface DateTimeSchema {
  readonly kind: 'dateTime';
  /** The time zone of texts without one, as the IANA database names it: `Europe/London`. Without it they are refused. */
  readonly timeZone?: string;
  /** As for a string. */
  readonly neverStored?: true;
  readonly example: number;
}

/**
 * A decimal number as text, so that no digit is lost: `-12.5`, without exponent, plus sign, leading zeros, or zeros at the end
 * of the fraction.
 */
export interface DecimalSchema {
  readonly kind: 'decimal';
  /** Digits before and after the point together, as in XSD; `decimalDigitsMax` at most. */
  readonly digits: number;
  /** Digits after the point. */
  readonly fraction: number;
  /** Both ends included; absent where only the digits limit the value. */
  readonly min?: string;
  readonly max?: string;
  /**
   * `text`: a text in JSON in any case; `number`: a number, with all its digits. By default a number where a double has its value, with
   * up to 15 digits or as an integer up to 2^53 - 1, and else a text.
   */
  readonly json?: 'text' | 'number';
  /** As for a string. */
  readonly sensitive?: true;
  readonly example: string;
}

/** A floating-point number (IEEE 754, 64 bits). Infinity and NaN are refused: JSON has none. */
export interface DoubleSchema {
  readonly kind: 'double';
  /** As for a string. */
  readonly sensitive?: true;
  readonly example: number;
}

/** A day of the calendar: `2026-01-31`. */
export interface DateSchema {
  readonly kind: 'date';
  readonly example: string;
}

/** Bytes as base64 text (RFC 4648, section 4) without line breaks. */
export interface BinarySchema {
  readonly kind: 'binary';
  /** Length in bytes; `binaryLengthMax` at most. */
  readonly max: number;
  /** The media type of the bytes, which the WSDL declares, and parts of messages have: `image/png`. */
  readonly mediaType?: string;
  /** Bytes of no length are a value. By default they are absent. */
  readonly whenEmpty?: 'present';
  /**
   * In SOAP always a part beside the envelope. `swaRef`: the text of the element is its URL (WS-I Attachments Profile 1.0).
   * `href`: the element is empty and has the URL as this attribute, as messages in the encoding of SOAP have it.
   */
  readonly attached?: 'swaRef' | 'href';
  /** As for a string. */
  readonly sensitive?: true;
  readonly example: string;
}

/** One of the texts of an enumeration. */
export interface EnumSchema<V extends string = string> {
  readonly kind: 'enum';
  readonly name: string;
  readonly values: readonly V[];
  /** A request may write the values in any case. */
  readonly anyCase?: true;
}

/** The built-in types of XML Schema that a WSDL may declare in place of the one that the kind of a scalar has. */
export type XsdType =
  | 'anyURI'
  | 'base64Binary'
  | 'byte'
  | 'date'
  | 'dateTime'
  | 'duration'
  | 'float'
  | 'gDay'
  | 'gMonth'
  | 'gMonthDay'
  | 'gYear'
  | 'gYearMonth'
  | 'hexBinary'
  | 'ID'
  | 'IDREF'
  | 'integer'
  | 'language'
  | 'Name'
  | 'NCName'
  | 'negativeInteger'
  | 'NMTOKEN'
  | 'nonNegativeInteger'
  | 'nonPositiveInteger'
  | 'normalizedString'
  | 'positiveInteger'
  | 'short'
  | 'QName'
  | 'time'
  | 'token'
  | 'unsignedByte'
  | 'unsignedInt'
  | 'unsignedLong'
  | 'unsignedShort'
  | 'int'
  | 'long';

/** A schema without parts. */
export type ScalarSchema =
  | StringSchema
  | IntegerSchema
  | DecimalSchema
  | DoubleSchema
  | BooleanSchema
  | DateTimeSchema
  | DateSchema
  | BinarySchema
  | EnumSchema;

/** Whether values of a schema are never logged, and stored encrypted or masked only. */
export function isSecret(schema: {
  readonly kind: string;
  readonly sensitive?: true;
  readonly neverStored?: true;
}): boolean {
  return schema.sensitive === true || schema.neverStored === true;
}

/** A schema with a way to describe a field that has it. */
export type Documented<S> = S & {
  /** Returns a required field with this description. */
  doc(text: string): { readonly schema: S; readonly required: true; readonly doc: string };
};

/** Freezes a schema. The function is no part of its data. */
export function documented<S extends object>(schema: S): Documented<S> {
  const doc = (text: string) => Object.freeze({ schema, required: true, doc: text });
  return Object.freeze(Object.defineProperty(schema, 'doc', { value: doc })) as Documented<S>;
}

/** The properties of a schema besides its kind. */
export type SchemaOptions<S> = Partial<Omit<S, 'kind'>>;

/** Returns the schema of a text. Without `max` the text has at most 4,000 characters. Throws where its limits require an example. */
export function string(options: SchemaOptions<StringSchema> = {}): Documented<StringSchema> {
  const { example = 'text', min = 0, max = textLengthMax, pattern, format } = options;
  const isLimited = pattern !== undefined || format !== undefined || min > example.length || max < example.length;
  if (options.example === undefined && isLimited) throw new TypeError('a text with limits needs an example');
  return documented<StringSchema>({ kind: 'string', ...options, example });
}

/** Any text, where a contract says nothing of it. */
export const anyText: StringSchema = Object.freeze<StringSchema>({ kind: 'string', example: '' });

/** The entries of a map without a schema of its items. An empty one is kept. */
export const entryText: StringSchema = Object.freeze<StringSchema>({
  kind: 'string',
  emptyString: 'invalid',
  example: 'text',
});

/** Returns the schema of a whole number from `min` to `max`; of 32 bits by default. */
export function integer(
  min = -(2 ** 31),
  max = 2 ** 31 - 1,
  example = Math.max(min, 0),
  options: Pick<IntegerSchema, 'sensitive'> = {},
): Documented<IntegerSchema> {
  return documented<IntegerSchema>({ kind: 'integer', min, max, example, ...options });
}

/** Returns the schema of true or false. */
export function boolean(example = true): Documented<BooleanSchema> {
  return documented({ kind: 'boolean', example });
}

/** Returns the schema of a moment. `example`: milliseconds since the epoch. Throws RangeError for an unknown time zone. */
export function dateTime(
  example: number,
  options: Pick<DateTimeSchema, 'neverStored' | 'timeZone'> = {},
): Documented<DateTimeSchema> {
  const { timeZone } = options;
  if (timeZone !== undefined && !isTimeZone(timeZone)) throw new RangeError(`${timeZone} is no time zone`);
  return documented<DateTimeSchema>({ kind: 'dateTime', example, ...options });
}

/**
 * A number as text; a value never is a JavaScript number. Without a fraction it is an integer of any size. Throws RangeError for more digits than are supported. */
export function decimal(options: Omit<DecimalSchema, 'kind'>): Documented<DecimalSchema> {
  const { digits, fraction } = options;
  if (!(digits >= 1 && digits <= decimalDigitsMax && fraction >= 0 && fraction <= digits))
    throw new RangeError(`a decimal has 1 to ${decimalDigitsMax} digits, and no more than these after the point`);
  return documented<DecimalSchema>({ kind: 'decimal', ...options });
}

/** Returns the schema of a floating-point number. For amounts use `decimal`, which loses no digit. */
export function double(example: number, options: Pick<DoubleSchema, 'sensitive'> = {}): Documented<DoubleSchema> {
  return documented<DoubleSchema>({ kind: 'double', example, ...options });
}

/** Returns the schema of a day of the calendar. */
export function date(example: string): Documented<DateSchema> {
  return documented({ kind: 'date', example });
}

/** Bytes as base64 text. Throws RangeError for a greater length than is supported, and TypeError for what is no media type. */
export function binary(options: Omit<BinarySchema, 'kind'>): Documented<BinarySchema> {
  if (!(options.max >= 1 && options.max <= binaryLengthMax))
    throw new RangeError(`a binary value has 1 to ${binaryLengthMax} bytes`);
  const { mediaType } = options;
  if (mediaType !== undefined && !isMediaType(mediaType))
    throw new TypeError(`${JSON.stringify(mediaType)} is no media type`);
  return documented<BinarySchema>({ kind: 'binary', ...options });
}

/** Whether a text is a media type without parameters, and no pattern of several. */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/.test(text);
}

/** Returns the schema of an enumeration. `name`: of its type in XSD and OpenAPI. */
export function oneOf<const V extends string>(name: string, ...values: V[]): Documented<EnumSchema<V>> {
  return documented({ kind: 'enum', name, values: Object.freeze(values) });
}

/** Returns the enumeration with values that requests may write in any case. */
export function inAnyCase<V extends string>(schema: EnumSchema<V>): Documented<EnumSchema<V>> {
  return documented({ ...schema, anyCase: true });
}
