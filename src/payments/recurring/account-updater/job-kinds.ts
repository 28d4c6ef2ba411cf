/** The kinds of the account updater's jobs, as the store has them. */

/** A check that the HTTP updater is asked for again. */
export const updaterCheck = 'updater-check';
/** A check that waits for a batch file. */
export const batchWait = 'batch-wait';
/** A check in a batch file. The file holds its lease; it is due when no response has come in time. */
export const batchResponse = 'batch-response';
/** A batch file that is to be written. */
export const batchFile = 'batch-file';
/** The cycle that fills batch files and reads responses: one job for all processes. */
export const batchCycle = 'batch-cycle';
