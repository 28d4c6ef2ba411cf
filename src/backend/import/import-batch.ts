/** Saves a batch of rows in one transaction, together with the progress in the file. */
import { createTextFinder, type ObjectSchema, Problem, type TextDetector } from '../../core/contract/index.ts';
import { secretsProblem } from '../../core/gateway/index.ts';
import type { Clock } from '../../core/lib/index.ts';
import type { Store, Transaction } from '../../stores/index.ts';
import { type Reason, type RowResult, reasonsOf } from './row.ts';

/** What a service imports: the schema of its rows, and how one is saved. */
export interface RowImporter<R = unknown> {
  /** Separates the progress of its files from that of other importers; may be empty. */
  readonly sourcePrefix: string;
  /** The schema of an `R`. */
  readonly schema: ObjectSchema;
  /**
   * Refuses a row with a Problem or with reasons, before it writes anything; where it finds out only after that, it throws a
   * `RowConflict`. `line`: of the file, from 1.
   */
  save(row: R, tx: Transaction, line: number): Promise<readonly Reason[] | undefined>;
}

/** A row that is refused after a part of it was written: its transaction is rolled back. */
export class RowConflict extends Error {
  override readonly name = 'RowConflict';
  readonly reasons: readonly Reason[];

  constructor(reasons: readonly Reason[], options?: ErrorOptions) {
    super('the row conflicts with the store', options);
    this.reasons = reasons;
  }
}

export interface ImportDependencies {
  readonly store: Store;
  readonly clock: Clock;
}

export interface PendingRow<R> {
  readonly line: number;
  readonly row: number;
  readonly result: RowResult<R>;
}

export interface RefusedRow {
  readonly line: number;
  readonly row: number;
  readonly reasons: readonly Reason[];
}

/** Called before each commit; an engine may run a transaction again, and call it again. */
type BeforeCommit = (refused: readonly RefusedRow[]) => void;

/** Saves a batch and returns its refused rows. Resolves when all its rows are durable. */
export type BatchImporter<R> = (
  batch: readonly PendingRow<R>[],
  beforeCommit: BeforeCommit,
) => Promise<readonly RefusedRow[]>;

/** Ends the transaction of a dry run, so that it is rolled back. */
class DryRunEnd extends Error {
  readonly refused: readonly RefusedRow[];

  constructor(refused: readonly RefusedRow[]) {
    super('nothing is stored in a dry run');
    this.refused = refused;
  }
}

export function createBatchImporter<R>(
  { store, clock }: ImportDependencies,
  importer: RowImporter<R>,
  { source, dryRun }: { readonly source: string; readonly dryRun: boolean },
): BatchImporter<R> {
  type Save = (row: PendingRow<R>, tx: Transaction) => Promise<readonly Reason[]>;

  function saveTogether(batch: readonly PendingRow<R>[], saveOne: Save, beforeCommit: BeforeCommit) {
    const save = async (tx: Transaction): Promise<readonly RefusedRow[]> => {
      const refused: RefusedRow[] = [];
      for (const each of batch) {
        const { line, row } = each;
        const reasons = await saveOne(each, tx);
        if (reasons.length > 0) refused.push({ line, row, reasons });
      }
      beforeCommit(refused);
      if (dryRun) throw new DryRunEnd(refused);
      const rows = { first: batch[0]!.row, last: batch.at(-1)!.row, refused: refused.map(({ row }) => row) };
      await tx.importProgress.saveRows(source, rows, clock.now());
      return refused;
    };
    // An import waits for another one, and for requests.
    return store.write(save, { noTimeout: true });
  }

  const saveOrThrow: Save = (row, tx) => saveRow(row, importer, tx);

  async function saveOrRollBack(row: PendingRow<R>, tx: Transaction): Promise<readonly Reason[]> {
    try {
      return await tx.savepoint(() => saveRow(row, importer, tx));
    } catch (thrown) {
      if (thrown instanceof RowConflict) return thrown.reasons;
      throw thrown;
    }
  }

  return async (batch, beforeCommit) => {
    for (const saveOne of [saveOrThrow, saveOrRollBack])
      try {
        return await saveTogether(batch, saveOne, beforeCommit);
      } catch (thrown) {
        if (thrown instanceof DryRunEnd) return thrown.refused;
        // Savepoints cost time, so only a batch with a conflict has them.
        if (!(thrown instanceof RowConflict)) throw thrown;
      }
    throw new Error('unreachable: a savepoint catches every conflict');
  };
}

async function saveRow<R>(
  { result, line }: PendingRow<R>,
  importer: RowImporter<R>,
  tx: Transaction,
): Promise<readonly Reason[]> {
  if ('reasons' in result) return result.reasons;
  try {
    return (await importer.save(result.row, tx, line)) ?? [];
  } catch (thrown) {
    // A Problem precedes every write, so the transaction continues without the row.
    if (thrown instanceof Problem) return reasonsOf(thrown);
    throw thrown;
  }
}

/** Refuses rows with a secret, such as a card number, in a text that should hold none. */
export function refuseSecrets<R>(importer: RowImporter<R>, detector: TextDetector): RowImporter<R> {
  const find = createTextFinder(detector);
  return Object.freeze<RowImporter<R>>({
    ...importer,
    async save(row, tx, line) {
      const paths = find(importer.schema, row);
      if (paths.length > 0) throw secretsProblem(paths);
      return importer.save(row, tx, line);
    },
  });
}
