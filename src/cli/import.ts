/** `triglyph import`: stored details from a file, streamed; interrupted at any point it goes on where it was. */
import type { Command } from 'commander';
import { storedDetails } from './import/details.ts';
import { runImport } from './import/file.ts';

export const add = (program: Command): void => {
  program
    .command('import')
    .argument('<file>', 'stored details, one a row: .jsonl, or .csv with dotted column names such as card.number')
    .option('--report <file>', 'where refused rows are reported; <file>.refused.jsonl when it is left out')
    .description('imports stored details; interrupted, it goes on where it was; a finished file is not imported again')
    .addHelpText('after', '\nExample:\n  triglyph import details.jsonl')
    .action((file: string, options: { readonly report?: string }) => runImport(storedDetails, file, options));
};
