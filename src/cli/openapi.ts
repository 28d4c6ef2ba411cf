/** `triglyph openapi`: prints an OpenAPI document for an address. */
import { type Command, Option } from 'commander';
import { createDocuments } from '../documents/index.ts';
import { services } from '../services/index.ts';

const named: Readonly<Record<string, string>> = Object.freeze({
  recurring: '/openapi.json',
  'balance-platform': '/bcl/openapi.json',
});

interface Wanted {
  readonly origin: string;
  readonly service: string;
}

const run = ({ origin, service }: Wanted): void => {
  process.stdout.write(createDocuments(services).find(named[service]!, '', origin)!.body);
};

export const add = (program: Command): void => {
  program
    .command('openapi')
    .option('--origin <origin>', 'where the service is called', 'http://127.0.0.1:8080')
    .addOption(new Option('--service <service>', 'which one').choices(Object.keys(named)).default('recurring'))
    .description('prints the OpenAPI 3.1 document of a service')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://pay.example.com > openapi.json')
    .action(run);
};
