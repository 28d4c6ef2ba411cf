/** The scalars that schemas of OpenAPI become, and lists of them. */
import {
  decimal,
  double,
  type Field,
  integer,
  isRepeated,
  type ListSchema,
  list,
  type Schema,
  type StringSchema,
  string,
  type XsdType,
} from '../../core/contract/index.ts';
import { escapeUnprintable } from '../../core/lib/index.ts';
import { itemsMax, textMax } from '../../documents/index.ts';
import type { Shape } from './shapes.ts';

/** Where a document sets a limit, its server checks it. */
export const textOptions = { max: textMax, emptyString: 'invalid' } as const;
export const dateText = string({ ...textOptions, example: '2026-01-31' });
export const dateTimeText = string({ ...textOptions, example: '2026-01-31T12:00:00Z' });
/** Integers of 64 bits, in JSON with all their digits. */
const int64 = decimal({
  digits: 19,
  fraction: 0,
  min: String(-(2n ** 63n)),
  max: String(2n ** 63n - 1n),
  json: 'number',
  example: '1',
});
const uint64 = decimal({
  digits: 20,
  fraction: 0,
  min: '0',
  max: String(2n ** 64n - 1n),
  json: 'number',
  example: '1',
});
export const anyValue: StringSchema = string({ ...textOptions, json: 'value', example: '{}' });

/** The type in the WSDL of a scalar, where it is another one than that of its kind. */
export function xsdOf(schema: Schema): XsdType | undefined {
  if (schema === dateText) return 'date';
  if (schema === dateTimeText) return 'dateTime';
  if (schema.kind !== 'decimal') return undefined;
  return schema.min === uint64.min ? 'unsignedLong' : 'long';
}

/** A list whose items are members of the object around them is called as its field. */
export function withName(schema: Schema, name: string): Schema {
  return isRepeated(schema) ? repeatedList(schema.item, name, schema) : schema;
}

/** A list whose items are members of the object around it, each with this name. By default it may be there without items. */
export function repeatedList(
  item: Schema,
  name: string,
  { whenEmpty }: Pick<ListSchema, 'whenEmpty'> = { whenEmpty: 'present' },
): ListSchema {
  const xsd = xsdOf(item);
  return list(item, name, {
    repeated: true,
    max: itemsMax,
    ...(whenEmpty && { whenEmpty }),
    ...(xsd && { xsd }),
  });
}

/** A list that must be there is sent without items, where a caller in SOAP sends none. */
export function asRequired(schema: Schema): Schema {
  return isRepeated(schema) ? repeatedList(schema.item, schema.itemName, { whenEmpty: 'required' }) : schema;
}

/** What the WSDL declares for a member that must be there: the server checks it. */
export function mandatory(schema: Schema, xsd: XsdType | undefined): Pick<Field, 'mandatoryInStubs'> {
  if (schema.kind === 'list' || schema.kind === 'map') return {};
  return { mandatoryInStubs: schema.kind === 'string' && xsd === undefined ? 'empty' : 'nillable' };
}

/** A scalar that can say what all of these say. */
export function common(schemas: readonly Schema[]): Schema | undefined {
  const [first] = schemas;
  if (schemas.every((each) => each === first)) return first;
  const kinds = new Set(schemas.map(({ kind }) => kind));
  if ([...kinds].every((kind) => kind === 'string' || kind === 'enum') && !schemas.includes(anyValue))
    return string({ ...textOptions, example: 'text' });
  if ([...kinds].every((kind) => kind === 'integer' || kind === 'decimal')) return int64;
  if ([...kinds].every((kind) => kind === 'integer' || kind === 'decimal' || kind === 'double')) return double(1.5);
  return kinds.size === 1 && (kinds.has('boolean') || kinds.has('binary')) ? first : undefined;
}

/** An `int32`; or all digits, since some programs have more of them than doubles. */
export function integerOf({ format, example }: Shape): Schema {
  const found = numberIn(example);
  const whole = found !== undefined && Number.isSafeInteger(found) ? found : 1;
  if (format === 'int32') return integer(-(2 ** 31), 2 ** 31 - 1, whole === whole >> 0 ? whole : 1);
  if (format === 'uint64') return decimal({ ...uint64, example: String(Math.max(whole, 0)) });
  return decimal({ ...int64, example: String(whole) });
}

/** A number of an example; undefined for any other value. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An example as a short text that every format can carry. */
export function exampleText(value: unknown): string {
  const example = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  return example !== '' && example.length <= 100 && isPlainText(example) ? example : 'text';
}

/** One line that every format can carry. */
export function isPlainText(value: string): boolean {
  return value.length <= 200 && value.isWellFormed() && escapeUnprintable(value) === value;
}
