/** `triglyph import`: imports stored details from a file. */
import type { Command } from 'commander';
import { createDetailImporter } from '../services/recurring/import-details.ts';
import { runImport } from './import/file.ts';

export function add(program: Command): void {
  program
    .command('import')
    .argument('<file>', 'stored details, one in a row: .jsonl, or .csv with dotted column names such as card.number')
    .option('--report <file>', 'the report of refused rows; <file>.refused.jsonl by default')
    .description('imports stored details; resumes after an interruption; never imports a file twice')
    .addHelpText('after', '\nExample:\n  triglyph import details.jsonl')
    .action((file: string, options: { readonly report?: string }) => runImport(createDetailImporter, file, options));
}
