/** What a migration is: numbered statements, recorded with their checksum once they have landed. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
