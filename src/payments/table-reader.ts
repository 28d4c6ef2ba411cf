/** Reads the tables of a service within a transaction. */
import { type ReadTransaction, RowIntegrity } from '../stores/index.ts';

/** What repositories have in common. `T`: one that writes needs a `Transaction`. */
export abstract class TableReader<T extends ReadTransaction = ReadTransaction> {
  protected readonly tx: T;
  /** Signs rows, and verifies their MACs. */
  protected readonly integrity: RowIntegrity | undefined;

  constructor(tx: T) {
    this.tx = tx;
    this.integrity = tx.shared(RowIntegrity);
  }
}
