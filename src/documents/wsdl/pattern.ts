/** Finds a text that matches a pattern. */

/** A text that matches, as short as the pattern allows; undefined where none is found. `pattern`: one without a fault. */
export function matchingText(pattern: string, min: number, max: number): string | undefined {
  const whole = new RegExp(`^(?:${pattern})$`);
  for (const extra of [0, 1, 2, min]) {
    const text = new Generator(pattern, extra, max).text();
    if (whole.test(text) && text.length >= min && text.length <= max) return text;
  }
  return undefined;
}

/** Takes the first of alternatives, and `extra` repetitions more than the least number. Texts end soon after `lengthMax`. */
class Generator {
  readonly #tokens: readonly string[];
  readonly #extra: number;
  readonly #lengthMax: number;
  #at = 0;

  constructor(pattern: string, extra: number, lengthMax: number) {
    this.#tokens = pattern.match(/\[(?:\\.|[^\]])*\]|\\.|\{\d+(?:,\d*)?\}|\(\?:|[\s\S]/g) ?? [];
    this.#extra = extra;
    this.#lengthMax = lengthMax;
  }

  text(): string {
    let chosen: string | undefined;
    do {
      let branch = '';
      while (this.#at < this.#tokens.length && !['|', ')'].includes(this.#tokens[this.#at]!)) {
        const token = this.#tokens[this.#at++]!;
        const atom = token === '(' || token === '(?:' ? this.text() : characterOf(token);
        // A longer text is none that fits, so its rest says nothing.
        branch += atom.repeat(Math.min(this.#count(), this.#lengthMax + 1)).slice(0, this.#lengthMax + 1);
      }
      chosen ??= branch;
    } while (this.#tokens[this.#at++] === '|');
    return chosen;
  }

  #count(): number {
    const token = this.#tokens[this.#at] ?? '';
    const braces = /^\{(\d+)(,?)(\d*)\}$/.exec(token);
    if (braces !== null) {
      this.#at += 1;
      const [, least, comma, most] = braces;
      if (comma === '') return Number(least);
      return Math.min(Number(least) + this.#extra, most === '' ? 10_000 : Number(most));
    }
    if (token !== '?' && token !== '*' && token !== '+') return 1;
    this.#at += 1;
    if (token === '?') return Math.min(this.#extra, 1);
    return token === '+' ? Math.max(1, this.#extra) : this.#extra;
  }
}

function characterOf(token: string): string {
  if (token === '.') return 'x';
  if (token.startsWith('\\')) return escapeCharacter(token[1]!);
  if (!token.startsWith('[')) return token;
  const accepts = new RegExp(`^${token}$`, 'u');
  return [...'1A0aBx -_./'].find((each) => accepts.test(each)) ?? token[1] ?? '';
}

function escapeCharacter(letter: string): string {
  switch (letter) {
    case 'd':
      return '1';
    case 'w':
      return 'A';
    case 's':
      return ' ';
    case 'D':
    case 'S':
      return 'x';
    case 'W':
      return '-';
    default:
      return letter;
  }
}
