/** Prints rows as CSV (RFC 4180) for spreadsheets. */

type Cell = string | number | null;

export function formatCsv<R>(rows: readonly R[], columns: readonly (keyof R & string)[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] as Cell))];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** Spreadsheets run a text that begins like a formula. An apostrophe makes it a text again. */
function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  // Where the comma is the decimal sign, a semicolon begins another cell, also between quotes.
  const safe = cell.replace(/(^|[;\t])(?=[\t\r\n ]*[=+\-@|%])/g, "$1'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
