/** `triglyph openapi`: prints the OpenAPI document for an address. */
import type { Command } from 'commander';
import { services } from '../api/index.ts';
import { documentsOf } from '../derive/index.ts';

const run = ({ origin }: { readonly origin: string }): void => {
  process.stdout.write(documentsOf(services).find('/openapi.json', '', origin)!.body);
};

export const add = (program: Command): void => {
  program
    .command('openapi')
    .option('--origin <origin>', 'where the service is called', 'http://127.0.0.1:8080')
    .description('prints the OpenAPI 3.1 document of JSON and FORM')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://pay.example.com > openapi.json')
    .action(run);
};
