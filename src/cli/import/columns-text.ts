/** Prints the columns of an import file, for the help of a command. */
import type { ObjectSchema } from '../../contract/schema.ts';
import { columnsOf } from '../../import/columns.ts';

const marks = Object.freeze({ always: '*', inObject: '+', never: ' ' });

/** A line for each column: its mark, its name, and what it means. */
export function columnsText(schema: ObjectSchema): string {
  const columns = columnsOf(schema);
  const width = Math.max(...columns.map(({ name }) => name.length));
  return columns.map(({ name, required, doc }) => `  ${marks[required]} ${name.padEnd(width)}  ${doc}`).join('\n');
}
