/** Texts of statements over any number of rows; each number is a statement of its own, created once. */

/** Remembers what `create` returns for each number. */
export function memoize<T>(create: (count: number) => T): (count: number) => T {
  const created = new Map<number, T>();
  return (count) => {
    const known = created.get(count) ?? create(count);
    created.set(count, known);
    return known;
  };
}

/** `($1, $2), ($3, $4)`: so many rows of parameters. A type casts its column; `''` leaves it as it is. */
export function placeholders(rows: number, types: readonly string[]): string {
  const row = (number: number) =>
    types.map((type, at) => {
      const parameter = `$${number * types.length + at + 1}`;
      return type === '' ? parameter : `cast(${parameter} as ${type})`;
    });
  return Array.from({ length: rows }, (_, number) => `(${row(number).join()})`).join();
}
