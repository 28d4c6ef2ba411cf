/** The import of one file, whatever its rows are: read as a stream, kept in batches, refused rows reported. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Strongroom } from '../../strongroom.ts';
import { beside } from '../beside.ts';
import { Refusal } from '../explain.ts';
import { csvRows } from './csv.ts';
import { jsonlRows } from './jsonl.ts';
import { type Kind, keeper, type Pending, type Row } from './keep.ts';
import { showProgress } from './progress.ts';
import { openReport } from './report.ts';

/** Rows in one unit of work: few enough that a server beside it hardly waits, enough to spread the cost of an fsync. */
const rowsPerUnit = 200;

const readers = Object.freeze({ jsonl: jsonlRows, csv: csvRows });

const readerOf = (file: string) => {
  const [, ending] = /\.(jsonl|csv)$/i.exec(file) ?? [];
  if (ending === undefined) throw new Refusal([`${file}: the name of the file must end in .jsonl or .csv`]);
  return readers[ending.toLowerCase() as keyof typeof readers];
};

/** Two files with the same bytes are the same import, whatever their names. */
const checksumOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
};

interface Tally {
  readonly rows: number;
  readonly before: number;
  readonly refused: number;
}

const importFile = async <R extends Row>(
  room: Strongroom,
  kind: Kind<R>,
  file: string,
  reportPath: string,
): Promise<Tally> => {
  const rowsOf = readerOf(file);
  const { size } = await stat(file);
  const source = kind.mark + (await checksumOf(file));
  const before = await room.details.findProgress(source);
  const report = openReport(reportPath, before);
  const progress = showProgress(size);
  const keep = keeper(room, kind, source);
  let rows = 0;
  let refused = 0;
  let batch: Pending<R>[] = [];
  const flush = async (bytesDone: number): Promise<void> => {
    if (batch.length === 0) return;
    refused += (await keep(batch, report.write, report.settle)).length;
    batch = [];
    progress.update(bytesDone, `${rows} rows, ${refused} refused`);
  };
  try {
    let bytesDone = 0;
    for await (const found of rowsOf<R>(kind.shape, createReadStream(file))) {
      rows += 1;
      bytesDone = found.bytesDone;
      if (rows <= before) continue;
      batch.push({ line: found.line, row: rows, outcome: found.read() });
      if (batch.length === rowsPerUnit) await flush(bytesDone);
    }
    await flush(size);
    return { rows, before, refused };
  } finally {
    progress.stop();
    report.close();
  }
};

const summary = ({ rows, before, refused }: Tally, file: string, reportPath: string, seconds: number): string => {
  if (before > 0 && rows <= before) return `${file} was imported before, all ${rows} rows of it: nothing was changed.`;
  const earlier = before > 0 ? ` ${before} rows were done by an import that was interrupted.` : '';
  const where = refused > 0 ? `; ${reportPath} says why` : '';
  return `${file}: ${rows - before - refused} rows kept, ${refused} refused${where} (${seconds.toFixed(1)} s).${earlier}`;
};

/** Imports the file, says what came of it, and sets the exit code. */
export const runImport = async <R extends Row>(
  kind: Kind<R>,
  file: string,
  { report = `${file}.refused.jsonl` }: { readonly report?: string },
): Promise<void> => {
  const startedAt = performance.now();
  const tally = await beside((room) => importFile(room, kind, file, report));
  process.stdout.write(`${summary(tally, file, report, (performance.now() - startedAt) / 1000)}\n`);
  if (tally.refused > 0) process.exitCode = 1;
};
