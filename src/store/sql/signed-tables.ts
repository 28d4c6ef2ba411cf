/** The tables whose rows have a MAC, by the migration since which they have one. */
import { migrations } from './migrations/index.ts';

/** The number of the last migration that added MACs. */
export const lastSigned = Math.max(...migrations.map(({ number, signed }) => (signed === undefined ? 0 : number)));

/** Tables whose MACs were added after a migration. */
export function tablesSignedAfter(number: number): ReadonlySet<string> {
  return new Set(migrations.flatMap((each) => (each.number > number ? (each.signed ?? []) : [])));
}
