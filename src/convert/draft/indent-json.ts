/** Indents a text of JSON without reading its values, since numbers may have more digits than JavaScript keeps. */

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

export function indentJson(text: string): string {
  let printed = '';
  let depth = 0;
  let before = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(tokens)) {
    const isClose = token === '}' || token === ']';
    if (isClose) depth -= 1;
    const isEmpty = isClose && (before === '{' || before === '[');
    const startsLine =
      before === ',' ||
      ((before === '{' || before === '[') !== isClose && (before === '{' || before === '[' || isClose));
    printed += startsLine && !isEmpty ? line() + token : token;
    if (token === ':') printed += ' ';
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return printed;
}
