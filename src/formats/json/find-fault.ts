/** Finds where a text stops being JSON (RFC 8259). Only for texts that `JSON.parse` has refused: its message may not say where. */

/** What may come next. */
type Expected = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

const blanks = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** A string up to its closing quote, or up to the first character that it may not have. It always matches after a quote. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: strings may not have them
const string = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** The offset of the first character that JSON does not allow there, or the length of a text that ends too early. */
export function findFault(text: string): number | undefined {
  /** The closing bracket of each open object and array. */
  const open: string[] = [];
  let expected: Expected = 'value';
  for (let at = skip(blanks, text, 0); ; at = skip(blanks, text, at)) {
    const sign = text[at];
    if (sign === undefined) return expected === 'comma or end' && open.length === 0 ? undefined : at;
    const ends = expected.endsWith('or end') && sign === open.at(-1);
    if (ends) {
      open.pop();
      expected = 'comma or end';
      at += 1;
    } else if (expected === 'comma or end') {
      if (sign !== ',' || open.length === 0) return at;
      expected = open.at(-1) === '}' ? 'name' : 'value';
      at += 1;
    } else if (expected === 'colon') {
      if (sign !== ':') return at;
      expected = 'value';
      at += 1;
    } else if (sign === '"') {
      at = skip(string, text, at);
      if (text[at] !== '"') return at;
      expected = expected.startsWith('name') ? 'colon' : 'comma or end';
      at += 1;
    } else if (expected.startsWith('name')) {
      return at;
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']');
      expected = sign === '{' ? 'name or end' : 'item or end';
      at += 1;
    } else {
      const end = skip(scalar, text, at);
      if (end === at) return at;
      expected = 'comma or end';
      at = end;
    }
  }
}

/** The index after what the pattern matches at an index; the index itself where it matches nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
