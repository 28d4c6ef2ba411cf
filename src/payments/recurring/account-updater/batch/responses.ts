/** Reads response files like imports: each row completes the check that waits for it, once, and refused rows are reported. */
import { appendFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BatchResult,
  checksumOf,
  type ImportDependencies,
  type ImportSummary,
  importFile,
  type Reason,
  type RowImporter,
  UnreadableFile,
  unreadable,
} from '../../../../backend/index.ts';
import { problems } from '../../../../core/contract/index.ts';
import { redact } from '../../../../core/lib/index.ts';
import { createCompanyFinder, type RecurringImportDependencies } from '../../import-details.ts';
import type { UpdaterEvents } from '../events.ts';
import { parseUpdaterResponse, type ResponseRow, responseRow } from '../parse-response.ts';
import { checkOf, completeCheck } from '../pending-check.ts';
import { BatchedCheckRepository } from '../store/batch.ts';
import { type Folders, responseFiles } from './folders.ts';

export type ResponseDependencies = RecurringImportDependencies & Pick<ImportDependencies, 'store'>;

const unmatched: readonly Reason[] = Object.freeze([
  {
    field: 'check',
    code: problems.invalidField.code,
    message: 'No such check waits for an answer: it was answered, has ended, or was never asked',
  },
]);

/** Reads the files in the folder; false where `shouldStop` ended that before the last one was read. */
export async function readResponses(
  folders: Folders,
  dependencies: ResponseDependencies,
  events: UpdaterEvents,
  shouldStop: () => boolean,
): Promise<boolean> {
  for (const name of responseFiles(folders)) {
    if (!(await readFile(name, folders, dependencies, events, shouldStop))) return false;
    if (shouldStop()) return false;
  }
  return true;
}

export function createResponseImporter(dependencies: RecurringImportDependencies): RowImporter<ResponseRow> {
  const { context } = dependencies;
  const findCompany = createCompanyFinder(dependencies);
  return Object.freeze<RowImporter<ResponseRow>>({
    sourcePrefix: 'answers: ',
    schema: responseRow,
    async save({ check, merchantAccount, ...response }, tx) {
      const company = await findCompany(merchantAccount);
      const job = await tx.repository(BatchedCheckRepository).find(company, check);
      if (job === undefined) return unmatched;
      const pending = checkOf(job);
      if (pending.merchantAccount !== merchantAccount) return unmatched;
      const outcome = parseUpdaterResponse(response, { company, fingerprint: pending.fingerprint }, context.vault);
      // A pending check waits for a later response.
      if (outcome.kind !== 'pending') await completeCheck(job, outcome, tx, context);
      return undefined;
    },
  });
}

/** Reports the results of a batch of rows. */
function emitBatch({ batch }: Pick<BatchResult, 'batch'>, events: UpdaterEvents): void {
  const unmatchedRows = batch.refused.filter(({ reasons }) => reasons === unmatched).length;
  const malformedRows = batch.refused.length - unmatchedRows;
  const counts = { answered: batch.rows - batch.refused.length, unmatched: unmatchedRows, malformedRows } as const;
  for (const kind of ['answered', 'unmatched', 'malformedRows'] as const)
    if (counts[kind] > 0) events.emit({ kind, checks: counts[kind] });
}

/** Moves a file that was read to its end to `done`, with its report. Returns false where the reading continues another time. */
async function readFile(
  name: string,
  { answers, done }: Folders,
  dependencies: ResponseDependencies,
  events: UpdaterEvents,
  shouldStop: () => boolean,
): Promise<boolean> {
  const path = join(answers, name);
  const checksum = await checksumOf(path);
  // The same for the same bytes, so that an interrupted reading continues its own report.
  const doneName = `${checksum.slice(0, 12)}-${name}`;
  const report = join(done, `${doneName}.refused.jsonl`);
  let summary: ImportSummary | undefined;
  try {
    summary = await importFile(
      { store: dependencies.store, clock: dependencies.context.clock },
      createResponseImporter(dependencies),
      // A round must get further than the one before.
      { path, checksum, report, retryRefused: false },
      { committed: (result) => emitBatch(result, events), shouldStop },
    );
    if (!summary.isComplete) return false;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFile)) throw thrown;
    appendFileSync(report, `${JSON.stringify(unreadable(thrown.message))}\n`, { mode: 0o600 });
    events.emit({ kind: 'unreadable', file: redact(name), reason: redact(thrown.message) });
  }
  await rename(path, join(done, doneName));
  if (summary !== undefined)
    events.emit({ kind: 'read', file: redact(name), rows: summary.rows, refused: summary.refused });
  return true;
}
