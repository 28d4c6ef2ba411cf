/** A file of rows, whatever they are: read as a stream, kept in batches, refused rows reported; interrupted, it goes on where it was. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { csvRows } from './csv.ts';
import {
  createBatchImporter,
  type ImportKind,
  type ImportTarget,
  type Pending,
  type Refused,
  type Row,
} from './import-batch.ts';
import { jsonlRows } from './jsonl.ts';
import { openReport } from './report.ts';
import { UnreadableFile } from './row.ts';

/** Rows in one unit of work: few enough that a server beside it hardly waits, enough to spread the cost of an fsync. */
const rowsPerUnit = 200;

const readers = Object.freeze({ jsonl: jsonlRows, csv: csvRows });

const readerOf = (file: string) => {
  const [, ending] = /\.(jsonl|csv)$/i.exec(file) ?? [];
  if (ending === undefined) throw new UnreadableFile(`${file}: the name of the file must end in .jsonl or .csv`);
  return readers[ending.toLowerCase() as keyof typeof readers];
};

/** Two files with the same bytes are the same rows, whatever their names. Throws UnreadableFile for a name of another kind. */
export const checksumOf = async (file: string): Promise<string> => {
  readerOf(file);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
};

export interface ImportSummary {
  readonly rows: number;
  /** Of them, those that were done when it began. */
  readonly before: number;
  readonly refused: number;
  /** The rows end here; else it was stopped, and goes on another time. */
  readonly isWhole: boolean;
}

/** What a batch came to, once it is committed. */
export interface BatchResult {
  readonly bytesDone: number;
  /** Rows read so far, and how many of them were refused. */
  readonly rows: number;
  readonly refused: number;
  /** Of this batch. */
  readonly batch: { readonly rows: number; readonly refused: readonly Refused[] };
}

export interface Watch {
  begun?(bytes: number): void;
  kept(kept: BatchResult): void;
  /** Asked after each batch: whether it shall end there. */
  isOver?(): boolean;
}

export interface File {
  readonly path: string;
  /** See `checksumOf`. */
  readonly checksum: string;
  /** Where refused rows are reported. */
  readonly report: string;
}

/** Throws UnreadableFile for one that cannot be read on; the batches before stand. */
export const importFile = async <R extends Row>(
  room: ImportTarget,
  kind: ImportKind<R>,
  { path, checksum, report: reportPath }: File,
  watch: Watch,
): Promise<ImportSummary> => {
  const rowsOf = readerOf(path);
  const { size } = await stat(path);
  const source = kind.mark + checksum;
  const before = await room.store.read((tx) => tx.importProgress.find(source));
  const report = openReport(reportPath, before);
  watch.begun?.(size);
  const keep = createBatchImporter(room, kind, source);
  let rows = 0;
  let refused = 0;
  let batch: Pending<R>[] = [];
  const flush = async (bytesDone: number): Promise<void> => {
    if (batch.length === 0) return;
    const ofBatch = await keep(batch, report.write, report.settle);
    refused += ofBatch.length;
    watch.kept({ bytesDone, rows, refused, batch: { rows: batch.length, refused: ofBatch } });
    batch = [];
  };
  try {
    for await (const found of rowsOf<R>(kind.shape, createReadStream(path))) {
      rows += 1;
      if (rows <= before) continue;
      batch.push({ line: found.line, row: rows, outcome: found.read() });
      if (batch.length < rowsPerUnit) continue;
      await flush(found.bytesDone);
      if (watch.isOver?.() === true) return { rows, before, refused, isWhole: false };
    }
    await flush(size);
    return { rows, before, refused, isWhole: true };
  } finally {
    report.close();
  }
};
