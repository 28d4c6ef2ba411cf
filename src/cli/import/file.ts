/** Imports one file with progress, and prints a summary. */
import type { Backend } from '../../app/backend.ts';
import type { RowImporter } from '../../import/import-batch.ts';
import { checksumOf, type ImportSummary, importFile } from '../../import/import-file.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { type Progress, showProgress } from './progress.ts';

/** Sets exit code 1 if rows were refused. */
export async function runImport<R>(
  createImporter: (backend: Backend) => RowImporter<R>,
  path: string,
  { report = `${path}.refused.jsonl` }: { readonly report?: string },
): Promise<void> {
  const startedAt = performance.now();
  let progress: Progress | undefined;
  const observer = {
    started: (bytes: number) => {
      progress = showProgress(bytes);
    },
    committed: ({ bytesDone, rows, refused }: { bytesDone: number; rows: number; refused: number }) =>
      progress?.update(bytesDone, `${rows} rows, ${refused} refused`),
  };
  const summary = await withBackend(async (backend) => {
    const { store, context } = backend;
    const file = { path, checksum: await checksumOf(path), report };
    return importFile({ store, clock: context.clock }, createImporter(backend), file, observer);
  }).finally(() => progress?.stop());
  print(formatSummary(summary, path, report, (performance.now() - startedAt) / 1000));
  if (summary.refused > 0) process.exitCode = 1;
}

function formatSummary(
  { rows, before, refused }: ImportSummary,
  file: string,
  report: string,
  seconds: number,
): string {
  if (before > 0 && rows <= before) return `${file} was imported before, all ${rows} rows of it: nothing was changed.`;
  const earlier = before > 0 ? ` ${before} rows were done by an import that was interrupted.` : '';
  const reasons = refused > 0 ? `; ${report} says why` : '';
  const imported = rows - before - refused;
  return `${file}: ${imported} rows imported, ${refused} refused${reasons} (${seconds.toFixed(1)} s).${earlier}`;
}
