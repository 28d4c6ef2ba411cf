/** Finds a text that matches a pattern. */
import { type PatternNode, parsePattern } from '../../documents/index.ts';

/** A text that matches, as short as the pattern allows; undefined where none is found. `pattern`: one without a fault. */
export function matchingText(pattern: string, min: number, max: number): string | undefined {
  const whole = new RegExp(`^(?:${pattern})$`);
  const parsed = parsePattern(pattern);
  for (const extra of [0, 1, 2, min]) {
    const text = textOf(parsed, extra, max);
    if (whole.test(text) && text.length >= min && text.length <= max) return text;
  }
  return undefined;
}

/** Takes the first of alternatives, and `extra` repetitions more than the least number. Texts end soon after `lengthMax`. */
function textOf(node: PatternNode, extra: number, lengthMax: number): string {
  switch (node.kind) {
    case 'atom':
      return characterOf(node.text);
    case 'choice':
      return textOf(node.parts[0]!, extra, lengthMax);
    case 'sequence':
      return node.parts.map((each) => textOf(each, extra, lengthMax)).join('');
    case 'repeat': {
      const { min, max } = node;
      const count = max === Infinity ? Math.max(min, extra) : Math.min(min + extra, max);
      // A longer text is none that fits, so its rest says nothing.
      return textOf(node.part, extra, lengthMax)
        .repeat(Math.min(count, lengthMax + 1))
        .slice(0, lengthMax + 1);
    }
    default:
      return node satisfies never;
  }
}

function characterOf(token: string): string {
  if (token === '.') return 'x';
  if (token.startsWith('\\')) return ofClasses[token[1]!] ?? token[1]!;
  if (!token.startsWith('[')) return token;
  const accepts = new RegExp(`^${token}$`, 'u');
  return [...'1A0aBx -_./'].find((each) => accepts.test(each)) ?? token[1] ?? '';
}

/** A character of each class. */
const ofClasses: Readonly<Record<string, string>> = { d: '1', w: 'A', s: ' ', D: 'x', S: 'x', W: '-' };
