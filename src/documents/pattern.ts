/** Parses patterns, in the syntax that XML Schema and JavaScript have in common. */

/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number };

/** A pattern that is not parsed. */
export class Unparsed extends Error {
  override readonly name = 'Unparsed';
  readonly fault: 'other syntax' | 'too deep';

  constructor(fault: Unparsed['fault']) {
    super(fault);
    this.fault = fault;
  }
}

const depthMax = 32;

/** Throws Unparsed. */
export function parsePattern(pattern: string): PatternNode {
  return new Parser(pattern).pattern();
}

/** Names, Unicode categories and the subtraction of classes are of XML Schema only; anchors are characters there. */
const escaped = String.raw`\\(?:[^A-Za-z0-9]|[nrtdDsSwW])`;
const token = new RegExp(
  String.raw`\[\^?(?:${escaped}|[^\\[\]])+\]|${escaped}|\{\d{1,6}(?:,\d{0,6})?\}|\(\?:|[^\\[\]{}^$]`,
  'y',
);
const quantifier = /^(?:[?*+]|\{.*)$/;

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(pattern: string) {
    token.lastIndex = 0;
    while (token.lastIndex < pattern.length) {
      const found = token.exec(pattern)?.[0];
      if (found === undefined) throw new Unparsed('other syntax');
      this.#tokens.push(found);
    }
  }

  pattern(): PatternNode {
    const parsed = this.#choice(0);
    if (this.#at < this.#tokens.length) throw new Unparsed('other syntax');
    return parsed;
  }

  #choice(depth: number): PatternNode {
    if (depth > depthMax) throw new Unparsed('too deep');
    const parts = [this.#sequence(depth)];
    while (this.#accept('|')) parts.push(this.#sequence(depth));
    return { kind: 'choice', parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#tokens[this.#at]; next !== undefined && next !== '|' && next !== ')'; ) {
      parts.push(this.#repeated(this.#atom(depth)));
      next = this.#tokens[this.#at];
    }
    return { kind: 'sequence', parts };
  }

  #atom(depth: number): PatternNode {
    const text = this.#tokens[this.#at++]!;
    if (text !== '(' && text !== '(?:') {
      if (quantifier.test(text)) throw new Unparsed('other syntax');
      return { kind: 'atom', text };
    }
    const inner = this.#choice(depth + 1);
    if (!this.#accept(')')) throw new Unparsed('other syntax');
    return inner;
  }

  #repeated(part: PatternNode): PatternNode {
    const text = this.#tokens[this.#at] ?? '';
    if (!quantifier.test(text)) return part;
    this.#at += 1;
    if (text === '?') return { kind: 'repeat', part, min: 0, max: 1 };
    if (text === '*') return { kind: 'repeat', part, min: 0, max: Infinity };
    if (text === '+') return { kind: 'repeat', part, min: 1, max: Infinity };
    const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}$/.exec(text)!;
    return {
      kind: 'repeat',
      part,
      min: Number(min),
      max: comma === '' ? Number(min) : max === '' ? Infinity : Number(max),
    };
  }

  #accept(text: string): boolean {
    if (this.#tokens[this.#at] !== text) return false;
    this.#at += 1;
    return true;
  }
}
