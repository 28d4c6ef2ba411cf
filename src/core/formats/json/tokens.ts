/** The tokens of a JSON text, and where it stops being JSON (RFC 8259). Masking, indenting and places are made of them. */
import { decodeText } from '../body-text.ts';
import type { UpstreamTraits } from '../protocol.ts';
import type { TextPart, TextTools } from '../text-tools.ts';

export const jsonText: TextTools = Object.freeze<TextTools>({
  decode(body, charset) {
    const decoded = decodeText(body, charset);
    return 'text' in decoded ? decoded.text.replace(/^\ufeff/, '') : undefined;
  },
  parts: partsOfJson,
  indent: indentJson,
  resembles: (text) => !/^(?:<|[A-Z]+ \S+ HTTP|HTTP\/)/.test(text.trimStart()),
  source: (body) => (body === '' ? undefined : { kind: 'json', value: JSON.parse(body) }),
});

export const jsonUpstream: UpstreamTraits = Object.freeze<UpstreamTraits>({
  accept: 'application/json, application/problem+json',
  isAnswerType: (type) => /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(type),
  isNeverEmpty: true,
});

export interface Token {
  /** A bracket, a comma or a colon is its own kind; a scalar is a number, `true`, `false` or `null`. */
  readonly kind: '{' | '}' | '[' | ']' | ',' | ':' | 'name' | 'string' | 'scalar';
  readonly start: number;
  readonly end: number;
}

/** What may come next. */
type Expected = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

const blanks = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** A string up to its closing quote, or up to the first character that it may not have. It always matches after a quote. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: strings may not have them
const string = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** The tokens up to the fault: the first character that JSON does not allow there, or the length of a text that ends too early. */
export function tokensOf(text: string): { readonly tokens: readonly Token[]; readonly fault: number | undefined } {
  const tokens: Token[] = [];
  /** The closing bracket of each open object and array. */
  const open: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (kind: Token['kind'], end: number, next: Expected): Expected => {
    tokens.push({ kind, start: at, end });
    at = end;
    return next;
  };
  for (;;) {
    at = skip(blanks, text, at);
    const sign = text[at];
    const around = open.at(-1);
    if (sign === undefined) {
      const isWhole = expected === 'comma or end' && around === undefined;
      return { tokens, fault: isWhole ? undefined : at };
    }
    if (expected.endsWith('or end') && around !== undefined && sign === around) {
      open.pop();
      expected = take(around, at + 1, 'comma or end');
    } else if (expected === 'comma or end') {
      if (sign !== ',' || around === undefined) return { tokens, fault: at };
      expected = take(',', at + 1, around === '}' ? 'name' : 'value');
    } else if (expected === 'colon') {
      if (sign !== ':') return { tokens, fault: at };
      expected = take(':', at + 1, 'value');
    } else if (sign === '"') {
      const end = skip(string, text, at);
      if (text[end] !== '"') return { tokens, fault: end };
      const isName = expected.startsWith('name');
      expected = take(isName ? 'name' : 'string', end + 1, isName ? 'colon' : 'comma or end');
    } else if (expected.startsWith('name')) {
      return { tokens, fault: at };
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']');
      expected = take(sign, at + 1, sign === '{' ? 'name or end' : 'item or end');
    } else {
      const end = skip(scalar, text, at);
      if (end === at) return { tokens, fault: at };
      expected = take('scalar', end, 'comma or end');
    }
  }
}

/** The index after what the pattern matches at an index; the index itself where it matches nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The names and values of a text, for masking; undefined for what is not JSON. */
function partsOfJson(text: string): readonly TextPart[] | undefined {
  const { tokens, fault } = tokensOf(text);
  if (fault !== undefined) return undefined;
  return tokens.flatMap(({ kind, start, end }): readonly TextPart[] => {
    const sent = text.slice(start, end);
    if (kind === 'name') return [{ kind, start, end, decoded: JSON.parse(sent) as string, quote: JSON.stringify }];
    if (kind !== 'string' && (kind !== 'scalar' || sent === 'null')) return [];
    return [{ kind: 'value', start, end, decoded: String(JSON.parse(sent)), quote: JSON.stringify }];
  });
}

/** Indents a text without reading its values, since numbers may have more digits than JavaScript keeps. What is not JSON stays. */
function indentJson(text: string): string {
  const { tokens, fault } = tokensOf(text);
  if (fault !== undefined) return text;
  let printed = '';
  let depth = 0;
  for (const [at, { kind, start, end }] of tokens.entries()) {
    const before = tokens[at - 1]?.kind;
    const opened = before === '{' || before === '[';
    const closes = kind === '}' || kind === ']';
    if (closes) depth -= 1;
    if (before === ',' || opened !== closes) printed += before === undefined ? '' : `\n${'  '.repeat(depth)}`;
    printed += text.slice(start, end);
    if (kind === ':') printed += ' ';
    if (kind === '{' || kind === '[') depth += 1;
  }
  return printed;
}
