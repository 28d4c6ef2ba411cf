/** Rows by the names of fields, and texts of statements over any number of rows. */
import { memoize } from '../../core/lib/index.ts';
import type { Row, Value } from './engine.ts';

/** `shopper_reference` is `shopperReference` in fields. */
type FieldName<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldName<Rest>>}`
  : S;

/** The columns of a row by names in camel case. What is null is undefined. */
type FieldsOf<R extends Row> = {
  readonly [K in keyof R & string as FieldName<K>]: null extends R[K] ? Exclude<R[K], null> | undefined : R[K];
};

const fieldName = memoize((column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

/** Returns the columns of a row by names in camel case. What is null is undefined. */
export function fieldsOf<R extends Row>(row: R): FieldsOf<R> {
  const fields: Record<string, Value | undefined> = {};
  for (const column in row) fields[fieldName(column)] = row[column] ?? undefined;
  return fields as FieldsOf<R>;
}

/** `($1, $2), ($3, $4)`: so many rows of parameters. A type casts its column; `''` leaves it as it is. */
export function placeholders(rows: number, types: readonly string[]): string {
  const row = (number: number) =>
    types.map((type, at) => {
      const parameter = `$${number * types.length + at + 1}`;
      return type === '' ? parameter : `cast(${parameter} as ${type})`;
    });
  return Array.from({ length: rows }, (_, number) => `(${row(number).join()})`).join();
}
