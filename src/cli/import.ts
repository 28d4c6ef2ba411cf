/** `triglyph import`: imports stored details from a file. */
import type { Command } from 'commander';
import { importRow } from '../services/recurring/import-row.ts';
import { addImportOptions, columnsText, type ImportOptions, runImport } from './import/file.ts';

export function add(program: Command): void {
  addImportOptions(program.command('import'), 'stored details')
    .description('imports stored details; resumes after an interruption; imports no row twice')
    .addHelpText('after', () => `\nExample:\n  triglyph import --dry-run details.csv\n\n${rowFormat()}`)
    .action((file: string, options: ImportOptions) => runImport('details', file, options));
}

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
