/** A migration: numbered statements, recorded with their checksum once they are applied. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
