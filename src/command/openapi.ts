/** `triglyph openapi`: prints the OpenAPI document for an address, or renews the committed one. */
import type { Command } from 'commander';
import { services } from '../api/index.ts';
import { documentsOf } from '../derive/index.ts';
import { writeDocuments } from './write-documents.ts';

const run = ({ origin, write }: { readonly origin: string; readonly write?: string }): void => {
  if (write !== undefined) writeDocuments(write, (path) => path === 'openapi.json');
  else process.stdout.write(documentsOf(services).find('/openapi.json', '', origin)!.body);
};

export const add = (program: Command): void => {
  program
    .command('openapi')
    .option('--origin <origin>', 'where the service is called', 'http://127.0.0.1:8080')
    .option('--write <folder>', 'writes openapi.json to this folder instead')
    .description('prints the OpenAPI 3.1 document of JSON and FORM, or writes it')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://pay.example.com > openapi.json')
    .action(run);
};
