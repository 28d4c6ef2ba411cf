/** Imports one file with progress, and prints a summary. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Backend } from '../../app/backend.ts';
import type { RowImporter } from '../../import/import-batch.ts';
import { checksumOf, type ImportSummary, importFile } from '../../import/import-file.ts';
import { redact } from '../../lib/redact.ts';
import { systemUser } from '../audited-command.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { type Progress, showProgress } from './progress.ts';

export interface ImportOptions {
  readonly report?: string;
  readonly dryRun?: boolean;
}

/** Adds the file and the options of a command that imports a file. */
export function addImportOptions(command: Command, rows: string): Command {
  return command
    .argument('<file>', `${rows}, one in a row: .jsonl, or .csv with a line of column names`)
    .option('--report <file>', 'the report of refused rows; <file>.refused.jsonl by default')
    .option('--dry-run', 'checks every row and writes the report, and stores nothing');
}

/** Sets exit code 1 if rows were refused. */
export async function runImport<R>(
  createImporter: (backend: Backend) => RowImporter<R>,
  path: string,
  { report = `${path}.refused.jsonl`, dryRun = false }: ImportOptions,
): Promise<void> {
  const startedAt = performance.now();
  let progress: Progress | undefined;
  let rowsDone = 0;
  const observer = {
    started: (bytes: number) => {
      progress = showProgress(bytes);
    },
    committed: ({ bytesDone, rows, refused }: { bytesDone: number; rows: number; refused: number }) => {
      rowsDone = rows;
      progress?.update(bytesDone, `${rows} rows, ${refused} refused`);
    },
  };
  const next = (place: string) => [
    `The store is ${place}. ${dryRun ? 'A dry run stores nothing.' : `The first ${rowsDone} rows of ${path} are done.`}`,
    'Run the same command again when it answers: rows that are done are skipped.',
  ];
  const importRows = async (backend: Backend): Promise<ImportSummary> => {
    const { store, context } = backend;
    const file = { path, checksum: await checksumOf(path), report, dryRun, retryRefused: true };
    const imported = await importFile({ store, clock: context.clock }, createImporter(backend), file, observer);
    const { rows, before, refused } = imported;
    const detail = { checksum: file.checksum, rows, before, refused, dryRun };
    await backend.audit.append([{ kind: 'import', actor: systemUser(), subject: redact(basename(path)), detail }]);
    return imported;
  };
  const summary = await withBackend(importRows, { next }).finally(() => progress?.stop());
  print(formatSummary(summary, { path, report, dryRun }, (performance.now() - startedAt) / 1000));
  if (summary.refused > 0) process.exitCode = 1;
}

interface File {
  readonly path: string;
  readonly report: string;
  readonly dryRun: boolean;
}

function formatSummary({ rows, before, refused }: ImportSummary, { path, report, dryRun }: File, seconds: number) {
  if (before > 0 && rows === before) return `${path} was imported before, all ${rows} rows of it: nothing was changed.`;
  const earlier = before > 0 ? ` ${before} rows were imported before.` : '';
  const reasons = refused > 0 ? `; ${report} says why` : '';
  const accepted = rows - before - refused;
  const [imported, refusedText] = dryRun
    ? [`${accepted} rows would be imported`, `${refused} would be refused`]
    : [`${accepted} rows imported`, `${refused} refused`];
  return `${path}: ${imported}, ${refusedText}${reasons} (${seconds.toFixed(1)} s).${earlier}`;
}
