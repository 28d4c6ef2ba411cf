/** Files of answers, read like imports: each row settles the check that waits for it, once; what is refused is reported. */
import { appendFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { problems } from '../../../../contract/problem.ts';
import type { ImportKind, ImportTarget } from '../../../../import/import-batch.ts';
import { type BatchResult, checksumOf, type ImportSummary, importFile } from '../../../../import/import-file.ts';
import { type Reason, UnreadableFile, unreadable } from '../../../../import/row.ts';
import { redact } from '../../../../lib/redact.ts';
import { recurringProblems } from '../../problems.ts';
import type { UpdaterEvents } from '../events.ts';
import { parseUpdaterResponse } from '../parse-response.ts';
import { checkOf, completeCheck } from '../pending-check.ts';
import { BatchedCheckRepository } from '../store/batch.ts';
import { type AnswerRow, answerRow } from '../updater-response.ts';
import { answerFiles, type Folders } from './folders.ts';

const stray: readonly Reason[] = Object.freeze([
  {
    field: 'check',
    code: problems.invalidField.code,
    message: 'No such check waits for an answer: it was answered, has ended, or was never asked',
  },
]);

const keep: ImportKind<AnswerRow>['keep'] = async ({ check, merchantAccount, ...answer }, company, tx, world) => {
  const job = await tx.repository(BatchedCheckRepository).find(company, check);
  if (job === undefined) return stray;
  const asked = checkOf(job);
  if (asked.merchantAccount !== merchantAccount) return stray;
  const fate = parseUpdaterResponse(answer, { company, fingerprint: asked.fingerprint }, world.vault);
  // It goes on waiting for the answer that has still to come.
  if (fate.kind !== 'pending') await completeCheck(job, fate, tx, world);
  return undefined;
};

export const answers: ImportKind<AnswerRow> = Object.freeze({
  mark: 'answers: ',
  shape: answerRow,
  unknownAccount: recurringProblems.invalidMerchantAccount,
  keep,
});

/** Counts what a batch of rows has come to. */
export const countAnswers = ({ batch }: Pick<BatchResult, 'batch'>, watch: UpdaterEvents): void => {
  const strays = batch.refused.filter(({ reasons }) => reasons === stray).length;
  const malformed = batch.refused.length - strays;
  const counts = { told: batch.rows - batch.refused.length, stray: strays, malformedRows: malformed } as const;
  for (const kind of ['told', 'stray', 'malformedRows'] as const)
    if (counts[kind] > 0) watch.emit({ kind, checks: counts[kind] });
};

/** Reads one file as far as `isOver` allows; false where it goes on another time. Read to its end, it lies with its report in `done`. */
const readFile = async (
  name: string,
  { answers: folder, done }: Folders,
  room: ImportTarget,
  watch: UpdaterEvents,
  isOver: () => boolean,
): Promise<boolean> => {
  const path = join(folder, name);
  const checksum = await checksumOf(path);
  // The same for the same bytes, so that a reading that was interrupted goes on in its own report.
  const doneName = `${checksum.slice(0, 12)}-${name}`;
  const report = join(done, `${doneName}.refused.jsonl`);
  let tally: ImportSummary | undefined;
  try {
    const kept = (each: BatchResult) => countAnswers(each, watch);
    tally = await importFile(room, answers, { path, checksum, report }, { kept, isOver });
    if (!tally.isWhole) return false;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFile)) throw thrown;
    appendFileSync(report, `${JSON.stringify(unreadable(thrown.message))}\n`, { mode: 0o600 });
    watch.emit({ kind: 'unreadable', file: redact(name), reason: redact(thrown.message) });
  }
  await rename(path, join(done, doneName));
  if (tally !== undefined) watch.emit({ kind: 'read', file: redact(name), rows: tally.rows, refused: tally.refused });
  return true;
};

/** Reads the files that are there; false where it was over before the last one was read. */
export const readAnswers = async (
  folders: Folders,
  room: ImportTarget,
  watch: UpdaterEvents,
  isOver: () => boolean,
): Promise<boolean> => {
  for (const name of answerFiles(folders)) {
    if (!(await readFile(name, folders, room, watch, isOver))) return false;
    if (isOver()) return false;
  }
  return true;
};
