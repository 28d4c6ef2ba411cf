/** The import of one file by an operator: shown while it runs, told in a line when it is done. */

import type { Backend } from '../../app/backend.ts';
import type { RowImporter } from '../../import/import-batch.ts';
import { checksumOf, type ImportSummary, importFile } from '../../import/import-file.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { type Progress, showProgress } from './progress.ts';

const summary = (
  { rows, before, refused }: ImportSummary,
  file: string,
  reportPath: string,
  seconds: number,
): string => {
  if (before > 0 && rows <= before) return `${file} was imported before, all ${rows} rows of it: nothing was changed.`;
  const earlier = before > 0 ? ` ${before} rows were done by an import that was interrupted.` : '';
  const where = refused > 0 ? `; ${reportPath} says why` : '';
  return `${file}: ${rows - before - refused} rows kept, ${refused} refused${where} (${seconds.toFixed(1)} s).${earlier}`;
};

/** Imports the file, says what came of it, and sets the exit code. */
export const runImport = async <R>(
  createImporter: (backend: Backend) => RowImporter<R>,
  path: string,
  { report = `${path}.refused.jsonl` }: { readonly report?: string },
): Promise<void> => {
  const startedAt = performance.now();
  let progress: Progress | undefined;
  const watch = {
    started: (bytes: number) => {
      progress = showProgress(bytes);
    },
    committed: ({ bytesDone, rows, refused }: { bytesDone: number; rows: number; refused: number }) =>
      progress?.update(bytesDone, `${rows} rows, ${refused} refused`),
  };
  const tally = await withBackend(async (backend) => {
    const { store, context } = backend;
    const file = { path, checksum: await checksumOf(path), report };
    return importFile({ store, clock: context.clock }, createImporter(backend), file, watch);
  }).finally(() => progress?.stop());
  print(summary(tally, path, report, (performance.now() - startedAt) / 1000));
  if (tally.refused > 0) process.exitCode = 1;
};
