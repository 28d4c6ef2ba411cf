/** Schemas of scalars: texts, numbers, days, moments, bytes and enumerations. */

import type { ProblemRef } from './problem.ts';
import { isTimeZone } from './time-zone.ts';

/** Checks that no schema language of the targets can say. `countryOrUnknown` accepts ZZ, too. */
export type Format = 'luhn' | 'iban' | 'country' | 'countryOrUnknown' | 'currency' | 'timeZone';

/** Characters that a text may have where its schema sets no other limit. */
export const textLengthMax = 4000;

/** Every SQL database has columns for as many. */
export const decimalDigitsMax = 38;

/** A body of every format has room for as many bytes in base64. */
export const binaryLengthMax = 16_384;

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
  /** An empty text counts as absent, unless that would widen what the request does. */
  readonly emptyString?: 'invalid';
  /** Never logged; stored only encrypted or masked. Not searched for secrets that do not belong there: it may be one. */
  readonly sensitive?: true;
  /** For a sensitive text that is no number: searched all the same. */
  readonly searched?: true;
  /** Nothing is ever known by it again: no part of what a retry is compared with. */
  readonly neverStored?: true;
  /** In full in one response only; the stored outcome has the last four characters. */
  readonly storeAs?: 'last4';
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
  readonly example: string;
}

/** A floating-point number (IEEE 754, 64 bits). Infinity and NaN are refused: JSON has none. */
export interface DoubleSchema {
  readonly kind: 'double';
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

/** The properties of a schema besides its kind. */
export type SchemaOptions<S> = Partial<Omit<S, 'kind'>>;

/** Returns the schema of a text. Without `max` the text has at most 4,000 characters. */
export function string(options: SchemaOptions<StringSchema> & { readonly example: string }): StringSchema {
  return Object.freeze({ kind: 'string', ...options });
}

/** Returns the schema of a whole number from `min` to `max`. */
export function integer(min: number, max: number, example: number): IntegerSchema {
  return Object.freeze({ kind: 'integer', min, max, example });
}

/** Returns the schema of true or false. */
export function boolean(example: boolean): BooleanSchema {
  return Object.freeze({ kind: 'boolean', example });
}

/** Returns the schema of a moment. `example`: milliseconds since the epoch. Throws RangeError for an unknown time zone. */
export function dateTime(
  example: number,
  options: Pick<DateTimeSchema, 'neverStored' | 'timeZone'> = {},
): DateTimeSchema {
  const { timeZone } = options;
  if (timeZone !== undefined && !isTimeZone(timeZone)) throw new RangeError(`${timeZone} is no time zone`);
  return Object.freeze({ kind: 'dateTime', example, ...options });
}

/** A number as text; a value never is a JavaScript number. Throws RangeError for more digits than are supported. */
export function decimal(options: Omit<DecimalSchema, 'kind'>): DecimalSchema {
  const { digits, fraction } = options;
  if (!(digits >= 1 && digits <= decimalDigitsMax && fraction >= 0 && fraction <= digits))
    throw new RangeError(`a decimal has 1 to ${decimalDigitsMax} digits, and no more than these after the point`);
  return Object.freeze({ kind: 'decimal', ...options });
}

/** Returns the schema of a floating-point number. For amounts use `decimal`, which loses no digit. */
export function double(example: number): DoubleSchema {
  return Object.freeze({ kind: 'double', example });
}

/** Returns the schema of a day of the calendar. */
export function date(example: string): DateSchema {
  return Object.freeze({ kind: 'date', example });
}

/** Bytes as base64 text. Throws RangeError for a greater length than is supported. */
export function binary(options: Omit<BinarySchema, 'kind'>): BinarySchema {
  if (!(options.max >= 1 && options.max <= binaryLengthMax))
    throw new RangeError(`a binary value has 1 to ${binaryLengthMax} bytes`);
  return Object.freeze({ kind: 'binary', ...options });
}

/** Returns the schema of an enumeration. `name`: of its type in XSD and OpenAPI. */
export function oneOf<const V extends string>(name: string, ...values: V[]): EnumSchema<V> {
  return Object.freeze({ kind: 'enum', name, values: Object.freeze(values) });
}

/** The same enumeration; requests may write its values in any case. */
export function inAnyCase<V extends string>(schema: EnumSchema<V>): EnumSchema<V> {
  return Object.freeze({ ...schema, anyCase: true });
}
