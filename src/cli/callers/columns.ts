/** Prints rows as a table for people. */

/** Numbers stand at the right of their column. */
export function formatTable<R>(
  rows: readonly R[],
  columns: Readonly<Record<string, (row: R) => string | number>>,
): readonly string[] {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const heads = Object.keys(columns);
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => String(row[at]).length)));
  const line = (row: readonly (string | number)[]): string =>
    row
      .map((cell, at) => {
        const text = String(cell);
        return typeof cells[0]?.[at] === 'number' ? text.padStart(widths[at]!) : text.padEnd(widths[at]!);
      })
      .join('  ')
      .trimEnd();
  return [line(heads), ...cells.map(line)];
}
