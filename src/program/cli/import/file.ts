/** Imports one file with progress, and prints a summary. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import {
  type Backend,
  checksumOf,
  type ImportObserver,
  type ImportSummary,
  importFile,
  type RefusedRow,
  type RowImporter,
} from '../../../backend/index.ts';
import { redact } from '../../../core/lib/index.ts';
import { systemUser } from '../audited-command.ts';
import { print } from '../output.ts';
import { type WithBackendOptions, withBackend } from '../with-backend.ts';
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

interface ImportKind {
  /** What is done with a row. */
  readonly done: string;
  /** Called after each batch. */
  readonly committed?: (refused: readonly RefusedRow[], backend: Backend) => Promise<void>;
  readonly access?: Pick<WithBackendOptions, 'needs'>;
}

/** `importer`: the name of one of a service, or a function that creates another. Sets exit code 1 if rows were refused. */
export async function runImport(
  importer: string | ((backend: Backend) => RowImporter),
  path: string,
  { report = `${path}.refused.jsonl`, dryRun = false }: ImportOptions,
  { done, committed, access }: ImportKind = { done: 'imported' },
): Promise<void> {
  const startedAt = performance.now();
  let progress: Progress | undefined;
  let rowsDone = 0;
  const observer = (backend: Backend): ImportObserver => ({
    started: (bytes) => {
      progress = showProgress(bytes);
    },
    committed: async ({ bytesDone, rows, refused, batch }) => {
      rowsDone = rows;
      progress?.update(bytesDone, `${rows} rows, ${refused} refused`);
      await committed?.(batch.refused, backend);
    },
  });
  const next = (place: string) => [
    `The store is ${place}. ${dryRun ? 'A dry run stores nothing.' : `The first ${rowsDone} rows of ${path} are done.`}`,
    'Run the same command again when it answers: rows that are done are skipped.',
  ];
  const importRows = async (backend: Backend): Promise<ImportSummary> => {
    const { store, context } = backend;
    const file = { path, checksum: await checksumOf(path), report, dryRun, retryRefused: true };
    const imported = await importFile(
      { store, clock: context.clock },
      createImporter(importer, backend),
      file,
      observer(backend),
    );
    const { rows, before, refused } = imported;
    const detail = { checksum: file.checksum, rows, before, refused, dryRun };
    await backend.audit.append([{ kind: 'import', actor: systemUser(), subject: redact(basename(path)), detail }]);
    return imported;
  };
  const summary = await withBackend(importRows, { next, ...access }).finally(() => progress?.stop());
  print(formatSummary(summary, { path, report, dryRun, done }, (performance.now() - startedAt) / 1000));
  if (summary.refused > 0) process.exitCode = 1;
}

function createImporter(importer: string | ((backend: Backend) => RowImporter), backend: Backend): RowImporter {
  if (typeof importer === 'function') return importer(backend);
  const found = backend.services.importers.find(({ name }) => name === importer);
  if (found === undefined) throw new TypeError(`no service imports ${importer}`);
  return found.create();
}

interface File {
  readonly path: string;
  readonly report: string;
  readonly dryRun: boolean;
  readonly done: string;
}

function formatSummary(
  { rows, before, refused }: ImportSummary,
  { path, report, dryRun, done }: File,
  seconds: number,
) {
  if (before > 0 && rows === before) return `${path} was ${done} before, all ${rows} rows of it: nothing was changed.`;
  const earlier = before > 0 ? ` ${before} rows were ${done} before.` : '';
  const reasons = refused > 0 ? `; ${report} says why` : '';
  const accepted = rows - before - refused;
  const [imported, refusedText] = dryRun
    ? [`${accepted} rows would be ${done}`, `${refused} would be refused`]
    : [`${accepted} rows ${done}`, `${refused} refused`];
  return `${path}: ${imported}, ${refusedText}${reasons} (${seconds.toFixed(1)} s).${earlier}`;
}
