/** Imports a file of rows as a stream: saves them in batches, reports refused rows, and skips rows that are imported already. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Store } from '../../stores/index.ts';
import {
  createBatchImporter,
  type ImportDependencies,
  type PendingRow,
  type RefusedRow,
  type RowImporter,
} from './import-batch.ts';
import { jsonlRows } from './jsonl.ts';
import { openReport } from './report.ts';
import { UnreadableFile } from './row.ts';

/** So few that a serving process hardly waits, and enough to share the cost of an fsync. */
const rowsPerTransaction = 200;

const readers = Object.freeze({
  jsonl: async () => jsonlRows,
  // A server imports nothing at its start, and the parser is as large as the rest of the import.
  csv: async () => (await import('./csv.ts')).csvRows,
});

interface ImportFile {
  readonly path: string;
  /** See `checksumOf`. */
  readonly checksum: string;
  /** Where refused rows are reported. */
  readonly report: string;
  /** Tries rows again that an earlier import has refused: what refused them may be gone. */
  readonly retryRefused: boolean;
  /** Reads and checks every row, and stores none. */
  readonly dryRun?: boolean;
}

export interface ImportSummary {
  readonly rows: number;
  /** Rows that were skipped, since an earlier import has done them. */
  readonly before: number;
  readonly refused: number;
  /** Whether the file was read to its end; otherwise the import was stopped, and continues another time. */
  readonly isComplete: boolean;
}

/** The progress of an import after a committed batch. */
export interface BatchResult {
  readonly bytesDone: number;
  /** Rows read so far, and how many of them were refused. */
  readonly rows: number;
  readonly refused: number;
  readonly batch: { readonly rows: number; readonly refused: readonly RefusedRow[] };
}

export interface ImportObserver {
  started?(bytes: number): void;
  committed(result: BatchResult): void | Promise<void>;
  /** Asked after each batch: whether to stop there. */
  shouldStop?(): boolean;
}

/** Throws UnreadableFile where the file cannot be read further; the batches before that are committed. */
export async function importFile<R>(
  dependencies: ImportDependencies,
  importer: RowImporter<R>,
  { path, checksum, report: reportPath, retryRefused, dryRun = false }: ImportFile,
  observer: ImportObserver,
): Promise<ImportSummary> {
  const rowsOf = await readerOf(path)();
  const { size } = await stat(path);
  const source = importer.sourcePrefix + checksum;
  const rowsDone = await dependencies.store.read((tx) => tx.importProgress.find(source));
  const refusedBefore = retryRefused ? createRefusedRows(dependencies.store, source) : noRefusedRows;
  const report = openReport(reportPath, retryRefused ? 0 : rowsDone);
  observer.started?.(size);
  const importBatch = createBatchImporter(dependencies, importer, { source, dryRun });
  let rows = 0;
  let before = 0;
  let refused = 0;
  let batch: PendingRow<R>[] = [];
  const flush = async (bytesDone: number): Promise<void> => {
    if (batch.length === 0) return;
    const refusedRows = await importBatch(batch, report.write);
    report.settle();
    refused += refusedRows.length;
    await observer.committed({ bytesDone, rows, refused, batch: { rows: batch.length, refused: refusedRows } });
    batch = [];
  };
  try {
    for await (const found of rowsOf<R>(importer.schema, createReadStream(path))) {
      rows += 1;
      if (rows <= rowsDone && !(await refusedBefore.includes(rows))) {
        before += 1;
        continue;
      }
      batch.push({ line: found.line, row: rows, result: found.read() });
      if (batch.length < rowsPerTransaction) continue;
      await flush(found.bytesDone);
      if (observer.shouldStop?.() === true) return { rows, before, refused, isComplete: false };
    }
    await flush(size);
    return { rows, before, refused, isComplete: true };
  } finally {
    report.close();
  }
}

/** Two files with the same bytes have the same rows, whatever their names. Throws UnreadableFile for an unknown file name extension. */
export async function checksumOf(file: string): Promise<string> {
  readerOf(file);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

function readerOf(file: string) {
  const [, extension] = /\.(jsonl|csv)$/i.exec(file) ?? [];
  if (extension === undefined) throw new UnreadableFile(`${file}: the name of the file must end in .jsonl or .csv`);
  return readers[extension.toLowerCase() as keyof typeof readers];
}

const pageRows = 1_000;

interface RefusedRows {
  /** Whether an earlier import has refused this row. Rows are asked in ascending order. */
  includes(row: number): boolean | Promise<boolean>;
}

const noRefusedRows: RefusedRows = Object.freeze({ includes: () => false });

function createRefusedRows(store: Store, source: string): RefusedRows {
  let page: readonly number[] = [];
  let index = 0;
  let isLast = false;
  async function findFrom(row: number): Promise<boolean> {
    page = await store.read((tx) => tx.importProgress.findRefused(source, row - 1, pageRows));
    index = 0;
    isLast = page.length < pageRows;
    return page[0] === row;
  }
  return {
    includes(row) {
      while (index < page.length && page[index]! < row) index += 1;
      return index < page.length || isLast ? page[index] === row : findFrom(row);
    },
  };
}
