/** The type of migrations and of stored tables. */
import type { Dialect } from './engine.ts';

/** A migration: numbered statements, recorded with their checksum once they are applied. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
  /** Follow the others, where the engines have no text in common. */
  readonly perEngine?: Readonly<Record<Dialect, readonly string[]>>;
  /** The tables that it creates, by their present names. A table comes after those that it references. */
  readonly tables?: readonly StoredTable[];
  /** The tables whose rows have a MAC from it on. */
  readonly signed?: readonly string[];
}

/** A table whose rows are copied to another store; key rotation reads it where it holds data keys. */
export interface StoredTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Present where the migration adds rows. A copy replaces those of its target. */
  readonly isFilled?: true;
  /**
   * Present where rows hold data keys. Returns the record of the `SealScope` for the second column of the key; the first
   * column is its tenant.
   */
  readonly sealedRecord?: (id: string) => string;
}
