/** `triglyph updates`: imports card changes and answers of an updater, and writes request files. */
import type { Command } from 'commander';
import { testCards } from '../services/recurring/account-updater/test-cards.ts';
import { addImportOptions, type ImportOptions, runImport } from './import/file.ts';
import { gatherRequestFiles } from './updates/collect.ts';

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
