/** `triglyph updates`: what scheduleAccountUpdater answers by: announced changes, or files of checks and of answers. */
import type { Command } from 'commander';
import { answers } from '../services/recurring/account-updater/batch/answers.ts';
import { testCards } from '../services/recurring/account-updater/test-cards.ts';
import { cardChanges } from './import/card-changes.ts';
import { runImport } from './import/file.ts';
import { runGather } from './updates/collect.ts';

const testTable = testCards.map(({ number, result, doc }) => `  ${number}  ${result.padEnd(24)}  ${doc}`).join('\n');

const columns = `Each row has merchantAccount and number, and then
  newExpiryMonth and newExpiryYear, with newNumber where another card took its place; or
  status: closed, contactCardholder, or unchanged, which takes back what was announced before.

Where ENVIRONMENT is test, these cards need no announcement:
${testTable}`;

const answerColumns = `Each row has check and merchantAccount, as the file of checks had them, and result: NoChange, CloseAccount,
ContactCardAccountHolder, Error, or Success for one that will be known later; CardExpiryChanged with newExpiryMonth and
newExpiryYear; PANChanged with newNumber, too.`;

export const add = (program: Command): void => {
  const updates = program
    .command('updates')
    .description('what has become of cards: announced changes, files of checks and answers');
  updates
    .command('import')
    .argument('<file>', 'announced changes, one a row: .jsonl, or .csv with column names')
    .option('--report <file>', 'where refused rows are reported; <file>.refused.jsonl when it is left out')
    .description('imports announced changes; interrupted, it goes on where it was; of a card, the last row stands')
    .addHelpText('after', `\nExample:\n  triglyph updates import changes.csv\n\n${columns}`)
    .action((file: string, options: { readonly report?: string }) => runImport(cardChanges, file, options));
  updates
    .command('gather')
    .description('writes the checks that wait into files now; with UPDATER=batch')
    .addHelpText('after', '\nExample:\n  UPDATER=batch UPDATER_FOLDER=/srv/updater triglyph updates gather')
    .action(runGather);
  updates
    .command('answer')
    .argument('<file>', 'answers to checks, one a row: .jsonl, or .csv with column names')
    .option('--report <file>', 'where refused rows are reported; <file>.refused.jsonl when it is left out')
    .description('reads answers to checks that were written into files; each check is settled once')
    .addHelpText('after', `\nExample:\n  triglyph updates answer answers.csv\n\n${answerColumns}`)
    .action((file: string, options: { readonly report?: string }) => runImport(answers, file, options));
  updates.addHelpText('after', '\nExample:\n  triglyph updates import changes.csv');
};
