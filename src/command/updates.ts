/** `triglyph updates`: what was announced of cards, for checks by scheduleAccountUpdater to answer by. */
import type { Command } from 'commander';
import { testCards } from '../domain/recurring/test-cards.ts';
import { cardChanges } from './import/card-changes.ts';
import { runImport } from './import/file.ts';

const testTable = testCards.map(({ number, result, doc }) => `  ${number}  ${result.padEnd(24)}  ${doc}`).join('\n');

const columns = `Each row has merchantAccount and number, and then
  newExpiryMonth and newExpiryYear, with newNumber where another card took its place; or
  status: closed, contactCardholder, or unchanged, which takes back what was announced before.

Where ENVIRONMENT is test, these cards need no announcement:
${testTable}`;

export const add = (program: Command): void => {
  const updates = program.command('updates').description('announced card changes: renewed, replaced and closed cards');
  updates
    .command('import')
    .argument('<file>', 'announced changes, one a row: .jsonl, or .csv with column names')
    .option('--report <file>', 'where refused rows are reported; <file>.refused.jsonl when it is left out')
    .description('imports announced changes; interrupted, it goes on where it was; of a card, the last row stands')
    .addHelpText('after', `\nExample:\n  triglyph updates import changes.csv\n\n${columns}`)
    .action((file: string, options: { readonly report?: string }) => runImport(cardChanges, file, options));
  updates.addHelpText('after', '\nExample:\n  triglyph updates import changes.csv');
};
