/** The commands of the Recurring service that are no actions, and the groups of its commands. */

import { columnsText, type ServiceCommand } from '../../backend/index.ts';
import { testCards } from './account-updater/test-cards.ts';
import { importRow } from './import-row.ts';
import type { RecurringParts } from './parts.ts';

export const recurringCommands: Readonly<Record<string, ServiceCommand<RecurringParts>>> = Object.freeze({
  import: {
    doc: 'imports stored details; resumes after an interruption; imports no row twice',
    example: () => `Example:\n  triglyph import --dry-run details.csv\n\n${rowFormat()}`,
    imports: 'details',
  },
  updates: {
    doc: 'card changes for scheduleAccountUpdater, from files',
    example: 'triglyph updates import changes.csv',
  },
  'updates import': {
    doc: 'imports announced changes; resumes after an interruption; the last row of a card counts',
    example: () => `Example:\n  triglyph updates import changes.csv\n\n${changeColumns()}`,
    imports: 'updates',
  },
  'updates gather': {
    doc: 'writes waiting checks into request files now; requires UPDATER=batch',
    example: 'UPDATER=batch UPDATER_FOLDER=/srv/updater triglyph updates gather',
    run: async (shared, server) =>
      (await import('./account-updater/batch/gather.ts')).gatherRequestFiles(shared, server),
  },
  'updates answer': {
    doc: 'imports answers to the checks of request files; each check is answered once',
    example: `Example:\n  triglyph updates answer answers.csv

Each row has check and merchantAccount, copied from the request file, and result: NoChange, CloseAccount,
ContactCardAccountHolder, Error, or Success for a result that follows later; CardExpiryChanged with newExpiryMonth and
newExpiryYear; PANChanged with newNumber as well.`,
    imports: 'answers',
  },
  shopper: {
    doc: 'prints the stored details of a shopper, or erases the shopper',
    example: 'triglyph shopper show AcmeWeb shopper-1',
  },
  'credential merchant-account': {
    doc: 'adds and lists merchant accounts',
    example: 'triglyph credential merchant-account add Acme AcmeWeb',
  },
});

/** Which rows a file may have. */
function rowFormat(): string {
  const choices = importRow.choices.map(({ doc }) => doc);
  return `Columns of a CSV file, in any order. An empty cell is an absent field. ${choices.join(' ')}
Required: * in every row, + with other columns of the same object.

${columnsText(importRow)}

A row of a JSONL file is one JSON object with the same names: {"card": {"number": ...}} for card.number.
A CSV file with another column is refused at its first line. A refused row changes nothing, and the report says why.
Import the file again when the cause is gone: rows that are imported already are skipped.`;
}

function changeColumns(): string {
  return `Each row has merchantAccount and number, and either
  newExpiryMonth and newExpiryYear, with newNumber if another card replaces it; or
  status: closed, contactCardholder, or unchanged, which withdraws an earlier announcement.

With ENVIRONMENT=test, these cards need no announcement:
${testCards.map(({ number, result, doc }) => `  ${number}  ${result.padEnd(24)}  ${doc}`).join('\n')}`;
}
