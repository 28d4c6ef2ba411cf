/** `triglyph openapi`: prints an OpenAPI document for an address. */
import { type Command, Option } from 'commander';
import { serviceAddress } from '../contract/service.ts';
import { createDocuments } from '../documents/index.ts';
import { services } from '../services/index.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { checkProject, ownServices } from './project.ts';

const builtInPaths: Readonly<Record<string, string>> = Object.freeze({
  recurring: '/openapi.json',
  'balance-platform': '/bcl/openapi.json',
});

export function add(program: Command): void {
  const own = ownServices().map(({ service }) => service);
  const ownPaths = own.map((each) => [each.name, `${serviceAddress(each)}/openapi.json`] as const);
  const paths: Readonly<Record<string, string>> = { ...builtInPaths, ...Object.fromEntries(ownPaths) };
  program
    .command('openapi')
    .addOption(originOption('the address of the service').default(localOrigin))
    .addOption(new Option('--service <service>', 'the service').choices(Object.keys(paths)).default('recurring'))
    .description('prints the OpenAPI 3.1 document of a service')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://pay.example.com > openapi.json')
    .action(({ origin, service }: { readonly origin: string; readonly service: string }) => {
      checkProject();
      process.stdout.write(createDocuments([...services, ...own]).find(paths[service]!, '', origin)!.body);
    });
}
