/** Prints rows as a table for people, and the calls of callers in it. */

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

/** `Recurring.storeToken v12`; `-` for a request that did not get so far. */
export function formatCall({
  service,
  operation,
  version,
}: {
  readonly service: string;
  readonly operation: string;
  readonly version?: number | null | undefined;
}): string {
  const name = [service, operation].filter((each) => each !== '').join('.') || '-';
  return version === undefined || version === null ? name : `${name} v${version}`;
}
