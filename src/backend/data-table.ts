/** A table of data that the console of the demo shows: a service contributes it, in words that the console does not know. */

export interface DataRow {
  readonly id: string;
  /** One for each column, with what is sensitive masked. */
  readonly cells: readonly string[];
  /** The rows of other tables that belong to it. */
  readonly below: readonly { readonly table: string; readonly parent: string; readonly title: string }[];
}

export interface DataPage {
  readonly rows: readonly DataRow[];
  /** Selects the next page, where there is one. */
  readonly next?: string | undefined;
}

export interface DataTable {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  readonly columns: readonly string[];
  /** Its rows are shown for a row of another table only. */
  readonly needsParent: boolean;
  readonly read: (selection: {
    readonly parent?: string | undefined;
    readonly after?: string | undefined;
  }) => Promise<DataPage>;
}
