/** Indents the lines of quoted texts in YAML that most readers take, though they are indented no more than the member that they belong to. */

/** Leaves other lines as they are, and so all places up to the first such text. */
export function indentQuoted(text: string): string {
  let open: { readonly sign: string; readonly column: number } | undefined;
  /** The indentation of the member whose value is a block of lines. */
  let block: number | undefined;
  const indented = text.split('\n').map((line) => {
    if (open !== undefined) {
      const moved = ' '.repeat(open.column) + line.trimStart();
      if (endOfQuoted(line, open.sign, 0) !== -1) open = undefined;
      return moved;
    }
    const indent = line.search(/\S/);
    if (block !== undefined && (indent === -1 || indent > block)) return line;
    block = /(?:^|[:-])[ \t]+[|>][0-9+-]{0,2}[ \t]*(?:#.*)?\r?$/.test(line) ? indent : undefined;
    const start = valueStart(line);
    const sign = line[start];
    if ((sign === '"' || sign === "'") && endOfQuoted(line, sign, start + 1) === -1) open = { sign, column: start + 1 };
    return line;
  });
  return indented.join('\n');
}

/** Where the value of the member or the item of a line starts. */
function valueStart(line: string): number {
  const dashes = /^[ \t]*(?:-[ \t]+)*/.exec(line)?.[0].length ?? 0;
  const sign = line[dashes];
  const isQuoted = sign === '"' || sign === "'";
  const name = isQuoted ? endOfQuoted(line, sign, dashes + 1) : line.indexOf(': ', dashes) - 1;
  const separator = /^:[ \t]+/.exec(line.slice(name + 1));
  return name >= dashes && separator !== null ? name + 1 + separator[0].length : dashes;
}

/** The place of the closing sign; -1 where it is on another line. */
function endOfQuoted(line: string, sign: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '\\' && sign === '"') at += 1;
    else if (line[at] === sign) {
      if (sign === '"' || line[at + 1] !== sign) return at;
      at += 1;
    }
  }
  return -1;
}
