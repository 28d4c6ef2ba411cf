/** Prints rows as a table for people, and as CSV (RFC 4180) for spreadsheets. */

type Cell = string | number | null;

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

export function formatCsv<R>(rows: readonly R[], columns: readonly (keyof R & string)[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] as Cell))];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** Spreadsheets run a text that begins like a formula. An apostrophe makes it a text again. */
function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^[\t\r\n ]*[=+\-@|%]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
