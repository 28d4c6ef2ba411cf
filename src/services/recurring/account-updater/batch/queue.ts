/** The queue of checks for batch files. */
import type { TakenJob } from '../../../../jobs/job.ts';
import type { Updater } from '../updater.ts';

export interface BatchQueue {
  /** Hands checks that wait for another kind of updater over to this one. For batches, saves the job of the batch cycle. */
  begin(updater: Updater['kind']): Promise<void>;
  /** Counts the checks that wait for a file, up to `max`, and returns for how long the first of them has waited, in milliseconds. */
  findWaiting(max: number): Promise<{ readonly checks: number; readonly longestMs: number }>;
  /**
   * Puts up to `max` checks into the file, the longest waiting first, and saves the job that writes it, in one transaction.
   * Without a waiting check there is no file. The checks are due again after `answerMsMax`. Returns their number.
   */
  collect(file: string, options: { readonly max: number; readonly answerMsMax: number }): Promise<number>;
  /** The checks of a file that wait for their response, in a stable order; those after the given one. */
  findBatchedChecks(file: string, max: number, after?: TakenJob): Promise<readonly TakenJob[]>;
}
