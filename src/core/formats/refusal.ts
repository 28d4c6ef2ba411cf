/** Reads the parts that refusals of other servers have in common: coordinates of fields, and errors as one line of text. */

import {
  type ErrorType,
  type Field,
  type ListSchema,
  type ObjectSchema,
  type Path,
  printable,
  type Schema,
  type Step,
} from '../contract/index.ts';
import type { Refusal, RefusalIssue } from './protocol.ts';

/** Longer texts are cut: a server may answer with a page. */
const textLengthMax = 2_000;
/** More issues than this are left out. */
export const issuesMax = 50;

/** Returns the text as messages can have it; undefined for what is no text, or an empty one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim().slice(0, textLengthMax);
  if (text === '') return undefined;
  return printable(text) ? text : replaceUnprintable(text);
}

/** The message where a server gives none. */
export function defaultMessage(status: number): string {
  return `Request refused with status ${status}`;
}

/** The class of an error where a server gives none. */
export function defaultType(status: number): ErrorType {
  if (status >= 500) return 'internal';
  return status === 401 || status === 403 ? 'security' : 'validation';
}

/** Returns the name of a field in the coordinates of a format. */
export type NameOf = (name: string, field: Field) => string;

const ownName: NameOf = (name) => name;
export const inJson: NameOf = (name, { json = name }) => json;

/** The path of names and indices below a schema. Names that the schema does not have stay as they are. */
export function pathTo(tokens: readonly string[], input: ObjectSchema, nameOf: NameOf = ownName): Path {
  const path: Step[] = [];
  let schema: Schema | undefined = input;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (schema?.kind === 'list' && !schema.joined && /^\d{1,6}$/.test(token)) {
      const { itemName, wrapped, item }: ListSchema = schema;
      path.push({ index: Number(token), itemName, wrapped });
      if (wrapped && tokens[at + 1] === itemName) at += 1;
      schema = item;
    } else if (schema?.kind === 'object') {
      const [name, field] = fieldOf(schema, token, nameOf);
      path.push(name);
      schema = field?.schema;
    } else {
      path.push(token);
      schema = schema?.kind === 'map' ? schema.item : undefined;
    }
  }
  return path;
}

/** The field that has a name in coordinates; the name alone where none has it. */
export function fieldOf(
  { fields, variants = [] }: ObjectSchema,
  token: string,
  nameOf: NameOf,
): readonly [string, Field?] {
  const all = [fields, ...variants.map((each) => each.fields)].flatMap((each) => Object.entries<Field>(each));
  const named = all.find(([name, field]) => nameOf(name, field) === token);
  // Fields outside the body have their own names.
  return named ?? (Object.hasOwn(fields, token) ? [token, fields[token]!] : [token]);
}

/** The steps of `details.0.card.number`, `details[0].card`, `/details/0/card` (RFC 6901) and `$.details[0]`. */
export function tokensOf(coordinates: string): readonly string[] {
  const pointer = coordinates.startsWith('#/') ? coordinates.slice(1) : coordinates;
  if (pointer.startsWith('/'))
    return pointer
      .slice(1)
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return coordinates
    .replace(/^\$\.?/, '')
    .replace(/\[(\w+)\]/g, '.$1')
    .split('.')
    .filter((token) => token !== '');
}

/** An error as one line, as `errorText` prints it. */
interface ErrorLine {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

const line = /^(validation|security|configuration|internal) (\d[\d_]+) (.*)$/s;

/** Undefined for any other text. */
export function parseErrorLine(text: string): ErrorLine | undefined {
  const [, type, code, message] = line.exec(text.trim()) ?? [];
  return type === undefined || code === undefined || message === undefined ? undefined : { type, code, message };
}

/** The refusal that a line says. `issues`: those that stand beside it. */
export function refusalOf(
  { type, code, message }: ErrorLine,
  status: number,
  issues: readonly RefusalIssue[],
): Refusal {
  // One status stands for most errors of these formats.
  if (status !== 500 && status !== 400) return { status, type, code, message, issues };
  return { status: statusOf(type), isStatusImplied: true, type, code, message, issues };
}

function statusOf(type: string): number {
  if (type === 'validation') return 422;
  return type === 'security' ? 403 : 500;
}

function replaceUnprintable(text: string): string {
  return [...text.toWellFormed()].map((character) => (printable(character) ? character : '\ufffd')).join('');
}
