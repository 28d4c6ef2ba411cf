/** `triglyph openapi`: prints an OpenAPI document for an address. */
import { type Command, Option } from 'commander';
import { createDocuments } from '../documents/index.ts';
import { services } from '../services/index.ts';

const paths: Readonly<Record<string, string>> = Object.freeze({
  recurring: '/openapi.json',
  'balance-platform': '/bcl/openapi.json',
});

export function add(program: Command): void {
  program
    .command('openapi')
    .option('--origin <origin>', 'the address of the service', 'http://127.0.0.1:8080')
    .addOption(new Option('--service <service>', 'the service').choices(Object.keys(paths)).default('recurring'))
    .description('prints the OpenAPI 3.1 document of a service')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://pay.example.com > openapi.json')
    .action(printDocument);
}

function printDocument({ origin, service }: { readonly origin: string; readonly service: string }): void {
  process.stdout.write(createDocuments(services).find(paths[service]!, '', origin)!.body);
}
