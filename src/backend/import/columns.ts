/** The columns of a CSV file, as the schema of its rows names them, and the check of its first line. */
import { type Field, isKey, type ObjectSchema, walk } from '../../core/contract/index.ts';
import { redact } from '../../core/lib/index.ts';
import { UnreadableFile } from './row.ts';

interface Column {
  /** Dotted, such as `card.number`; ends in `.*` where any names may follow. */
  readonly name: string;
  /** In every row, in rows with another column of its object (`card`), or never. */
  readonly required: 'always' | 'inObject' | 'never';
  readonly doc: string;
}

/** Returns the required columns first, then the others in the order of the schema. */
export function columnsOf(schema: ObjectSchema): readonly Column[] {
  const columns = Object.entries(schema.fields).flatMap(([name, field]) => columnsOfField(name, field));
  return [...columns.filter(isAlways), ...columns.filter((column) => !isAlways(column))];
}

const marks = Object.freeze({ always: '*', inObject: '+', never: ' ' });

/** For the help of a command, a line for each column of a file: its mark, its name, and what it means. */
export function columnsText(schema: ObjectSchema): string {
  const columns = columnsOf(schema);
  const width = Math.max(...columns.map(({ name }) => name.length));
  return columns.map(({ name, required, doc }) => `  ${marks[required]} ${name.padEnd(width)}  ${doc}`).join('\n');
}

function columnsOfField(name: string, field: Field): readonly Column[] {
  const { doc } = field;
  const required = field.required ? 'always' : 'never';
  const column = (suffix: string): readonly Column[] => [{ name: name + suffix, required, doc }];
  return walk<readonly Column[]>(field.schema, {
    scalar: () => column(''),
    joined: () => column(''),
    list: () => column('.*'),
    map: () => column('.*'),
    variants: () => column('.*'),
    self: () => column('.*'),
    object: ({ fields }) =>
      Object.entries(fields)
        .flatMap(([member, below]) => columnsOfField(`${name}.${member}`, below))
        .map((below) => (isAlways(below) && !field.required ? { ...below, required: 'inObject' } : below)),
  });
}

function isAlways({ required }: Column): boolean {
  return required === 'always';
}

/** Refuses a first line with an unknown column, or without a required one: every row would be refused for it. */
export function checkColumns(names: readonly string[], schema: ObjectSchema): void {
  const columns = columnsOf(schema);
  const unknown = names.findIndex((name) => !columns.some((column) => matches(column, name)));
  const missing = columns.filter((column) => isAlways(column) && !names.some((name) => matches(column, name)));
  const faults = [
    // The first line of a file without column names may be a row with a card number.
    ...(unknown === -1 ? [] : [`column ${unknown + 1}, "${shortened(redact(names[unknown]!))}", is unknown`]),
    ...missing.map(({ name }) => `the column ${name} is missing`),
  ];
  if (faults.length === 0) return;
  const expected = columns.map((column) => (isAlways(column) ? column.name : `[${column.name}]`)).join(',');
  throw new UnreadableFile(`line 1: ${faults.join('; ')}. No row was imported.\nExpected columns: ${expected}`);
}

function matches({ name }: Column, found: string): boolean {
  if (!name.endsWith('.*')) return found === name;
  const start = name.slice(0, -1);
  return found.startsWith(start) && isKey(found.slice(start.length));
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
