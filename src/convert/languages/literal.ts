/** Prints values as literals of a programming language. */
import { escapeUnits } from '../../core/lib/index.ts';
import type { SourceBody } from './language.ts';

/** How a language writes literals. */
export interface LiteralSyntax {
  readonly indent: string;
  readonly text: (text: string) => string;
  /** With the sign before the value: `'name' => `. */
  readonly key: (name: string) => string;
  readonly openObject: (names: readonly string[]) => string;
  readonly closeObject: string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
}

/** Prints the value of a body. */
export function printBody(body: SourceBody, syntax: LiteralSyntax): string {
  switch (body.kind) {
    case 'json':
      return printLiteral(body.value, syntax, '');
    case 'form':
      return printLiteral(body.pairs, syntax, '');
    case 'text':
      return syntax.text(body.text);
    default:
      return body satisfies never;
  }
}

/** Prints a value of JSON. Members and items have a line each. `around`: the indentation of the line that the literal is in. */
function printLiteral(value: unknown, syntax: LiteralSyntax, around: string): string {
  const inner = around + syntax.indent;
  const lines = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${around}${close}`;
  if (typeof value === 'string') return syntax.text(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item) => printLiteral(item, syntax, inner)),
      ']',
    );
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, each]) => syntax.key(name) + printLiteral(each, syntax, inner));
    return lines(syntax.openObject(Object.keys(value)), members, syntax.closeObject);
  }
  return syntax.words[value === true ? 'true' : value === false ? 'false' : 'null'];
}

/**
 * Whether a text has no control, format or unassigned character and no line separator. Source shows those as escapes, since
 * editors hide them or reorder the text around them.
 */
export function isPlain(text: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
}

/** Replaces the characters that are not plain. `escapeOne` gets the others than tab and line breaks as code points. */
export function escapeSpecial(text: string, escapeOne: (codePoint: number) => string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => layout[sign] ?? escapeOne(sign.codePointAt(0)!));
}

/** The escapes that all languages have. */
const layout: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** `\u{202e}`, in JavaScript, PHP and Ruby. */
export function bracedEscape(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** A text in single quotes, in which only the quote and the backslash mean something. */
export function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

/** A string literal of Java and C#, in ASCII: their compilers may take the source for another encoding. */
export function asciiLiteral(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, (unit) => layout[unit] ?? escapeUnits(unit));
  return `"${escaped}"`;
}

/** Characters in one literal. Java limits the bytes of a constant to 65,535. */
const pieceMax = 8_000;

/** The lines of a text as literals, one below another, for a call that joins them. Long lines are cut. */
export function asciiPieces(text: string): string {
  const pieces = text.split(/(?<=\n)/).flatMap((line) => line.match(new RegExp(`.{1,${pieceMax}}`, 'gsu')) ?? []);
  const literals = pieces.length === 0 ? ['""'] : pieces.map(asciiLiteral);
  return literals.map((literal) => `            ${literal}`).join(',\n');
}
