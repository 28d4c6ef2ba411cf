/** `triglyph updates`: imports card changes and answers of an updater, and writes request files. */

import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { collectAll } from '../services/recurring/account-updater/batch/cycle.ts';
import { createRequestFileHandler } from '../services/recurring/account-updater/batch/request-file.ts';
import { batchFile } from '../services/recurring/account-updater/job-kinds.ts';
import { testCards } from '../services/recurring/account-updater/test-cards.ts';
import { recurring } from '../services/recurring/index.ts';
import { CommandError } from './command-error.ts';
import { addImportOptions, type ImportOptions, runImport } from './import/file.ts';
import { print } from './output.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const updates = program.command('updates').description('card changes for scheduleAccountUpdater, from files');
  addImportOptions(updates.command('import'), 'announced changes')
    .description('imports announced changes; resumes after an interruption; the last row of a card counts')
    .addHelpText('after', `\nExample:\n  triglyph updates import changes.csv\n\n${changeColumns}`)
    .action((file: string, options: ImportOptions) => runImport('updates', file, options));
  updates
    .command('gather')
    .description('writes waiting checks into request files now; requires UPDATER=batch')
    .addHelpText('after', '\nExample:\n  UPDATER=batch UPDATER_FOLDER=/srv/updater triglyph updates gather')
    .action(gatherRequestFiles);
  addImportOptions(updates.command('answer'), 'answers to checks')
    .description('imports answers to the checks of request files; each check is answered once')
    .addHelpText('after', `\nExample:\n  triglyph updates answer answers.csv\n\n${answerColumns}`)
    .action((file: string, options: ImportOptions) => runImport('answers', file, options));
  updates.addHelpText('after', '\nExample:\n  triglyph updates import changes.csv');
}

const changeColumns = `Each row has merchantAccount and number, and either
  newExpiryMonth and newExpiryYear, with newNumber if another card replaces it; or
  status: closed, contactCardholder, or unchanged, which withdraws an earlier announcement.

With ENVIRONMENT=test, these cards need no announcement:
${testCards.map(({ number, result, doc }) => `  ${number}  ${result.padEnd(24)}  ${doc}`).join('\n')}`;

const answerColumns = `Each row has check and merchantAccount, copied from the request file, and result: NoChange, CloseAccount,
ContactCardAccountHolder, Error, or Success for a result that follows later; CardExpiryChanged with newExpiryMonth and
newExpiryYear; PANChanged with newNumber as well.`;

/** The lease of a serving process. */
const leaseMs = 60_000;
const filesAtOnce = 10;

/** Prints the paths of the written files. Servers may be running. */
function gatherRequestFiles(): Promise<void> {
  return withBackend(async (backend) => {
    const { jobs, context } = backend;
    const { settings, accountUpdater } = recurring.sharedIn(backend);
    const { updaterFolder: folder, updaterBatchRowsMax: rowsMax } = settings;
    if (folder === undefined)
      throw new CommandError([`UPDATER is ${settings.updater}: only UPDATER=batch has request files`]);
    const { batchQueue, events } = accountUpdater;
    const handler = createRequestFileHandler(folder, { jobs, batchQueue, context, events });
    const files = await collectAll(batchQueue, context.clock, rowsMax);
    const leaseOwner = randomUUID();
    const neverCutOff = new AbortController().signal;
    // Includes files that a server has collected and not written. Files that a server is writing are leased.
    for (;;) {
      const taken = await jobs.take(batchFile, { leaseOwner, leaseMs, max: filesAtOnce });
      if (taken.length === 0) break;
      for (const job of taken) await handler.run(job, neverCutOff);
    }
    print(...(files.length === 0 ? ['no check waits for a file'] : files.map((file) => `${folder}/requests/${file}`)));
  });
}
