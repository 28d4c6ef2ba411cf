/** Checks the text of a contract before it is written: it declares constants by the contract language, and runs nothing else. */
import { escapeUnprintable } from '../../core/lib/index.ts';

/** What a contract may import and call. */
export const languageNames: readonly string[] = Object.freeze(
  `binary boolean date dateTime decimal defineProblems double integer joined kind list map mapOf mutuallyRecursive object oneOf operation optional
  polymorphic recursive required self service string`.split(/\s+/),
);

/** Thrown for a text that is not only declarations. `line`: from 1. */
export class UnsafeSource extends Error {
  override readonly name = 'UnsafeSource';

  constructor(line: number, found: string) {
    super(`line ${line} of the contract would hold code: ${found}`);
  }
}

/**
 * Accepts comments, one import of the contract language, and constants. Their values are literals, objects, arrays, calls of what
 * is imported, and constants declared above. Throws UnsafeSource for everything else.
 */
export function checkSource(text: string): void {
  // A character that ends a line would end a comment, and one that reorders text would show another program than runs.
  for (const [at, line] of text.split('\n').entries())
    if (escapeUnprintable(line) !== line) throw new UnsafeSource(at + 1, 'an unprintable character');
  new Checker(text).module();
}

/** A comment in the first line, comments to the end of a line, and spaces. */
const skipped = /(?:^\/\*\*[^*\n]*\*\/|\/\/[^\n]*|[ \n]+)*/y;

const tokens = {
  word: /[A-Za-z_]\w*/y,
  text: /'[^'\\\n]*(?:\\(?:['"\\bfnrt]|u[0-9a-f]{4})[^'\\\n]*)*'|"[^"\\\n]*(?:\\(?:['"\\bfnrt]|u[0-9a-f]{4})[^"\\\n]*)*"/y,
  number: /-?\d+(?:\.\d+)?(?:e[+-]\d+)?/y,
} as const;

const literals = ['text', 'number'] as const;

/** More than a contract nests calls, objects and arrays. */
const depthMax = 500;

class Checker {
  readonly #source: string;
  readonly #imported = new Set<string>();
  readonly #declared = new Set<string>();
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    this.#skip();
  }

  module(): void {
    this.#expect('import');
    this.#list('{', '}', () => this.#import());
    this.#expect('from', "'triglyph/contract'", ';');
    while (this.#at < this.#source.length) this.#declaration();
  }

  #import(): void {
    const name = this.#take('word');
    if (!languageNames.includes(name)) throw this.#unsafe(name);
    this.#imported.add(name);
  }

  #declaration(): void {
    this.#accept('export');
    this.#expect('const');
    const name = this.#take('word');
    if (this.#imported.has(name) || this.#declared.has(name)) throw this.#unsafe(name);
    this.#expect('=');
    this.#value(0);
    if (this.#accept('as')) this.#expect('const');
    this.#expect(';');
    this.#declared.add(name);
  }

  #value(depth: number): void {
    if (depth > depthMax) throw this.#unsafe('too many brackets');
    const literal = literals.find((kind) => this.#find(kind) !== undefined);
    if (literal !== undefined) this.#take(literal);
    else if (this.#sees('{')) this.#list('{', '}', () => this.#member(depth));
    else if (this.#sees('[')) this.#list('[', ']', () => this.#value(depth + 1));
    else this.#named(this.#take('word'), depth);
  }

  #named(name: string, depth: number): void {
    if (name === 'true' || name === 'false') return;
    if (this.#imported.has(name)) this.#list('(', ')', () => this.#value(depth + 1));
    else if (!this.#declared.has(name)) throw this.#unsafe(name);
    else if (this.#accept('.')) this.#take('word');
  }

  #member(depth: number): void {
    const name = this.#find('text') === undefined ? this.#take('word') : this.#take('text');
    // As the name of a member, it sets the prototype.
    if (/^['"]?__proto__/.test(name)) throw this.#unsafe(name);
    if (this.#accept(':')) this.#value(depth + 1);
    else if (!this.#declared.has(name)) throw this.#unsafe(name);
  }

  #list(open: string, close: string, item: () => void): void {
    this.#expect(open);
    while (!this.#accept(close)) {
      item();
      if (!this.#sees(close)) this.#expect(',');
    }
  }

  #sees(expected: string): boolean {
    const isWord = /^\w/.test(expected);
    return isWord ? this.#find('word') === expected : this.#source.startsWith(expected, this.#at);
  }

  #accept(expected: string): boolean {
    if (!this.#sees(expected)) return false;
    this.#at += expected.length;
    this.#skip();
    return true;
  }

  #expect(...expected: readonly string[]): void {
    for (const each of expected)
      if (!this.#accept(each)) throw this.#unsafe(this.#source.slice(this.#at, this.#at + 40));
  }

  #find(kind: keyof typeof tokens): string | undefined {
    const pattern = tokens[kind];
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0];
  }

  #take(kind: keyof typeof tokens): string {
    const found = this.#find(kind);
    if (found === undefined) throw this.#unsafe(this.#source.slice(this.#at, this.#at + 40));
    this.#at += found.length;
    this.#skip();
    return found;
  }

  #skip(): void {
    skipped.lastIndex = this.#at;
    this.#at += skipped.exec(this.#source)?.[0].length ?? 0;
  }

  #unsafe(found: string): UnsafeSource {
    return new UnsafeSource(this.#source.slice(0, this.#at).split('\n').length, found);
  }
}
