/** `triglyph openapi`: prints an OpenAPI document for an address. */
import type { Command } from 'commander';
import { serviceAddress } from '../../core/contract/index.ts';
import { createDocuments, hasNamed } from '../../documents/index.ts';
import {
  contractOfVersion,
  type DocumentedService,
  documentedService,
  documentedServices,
  serviceOption,
  versionOption,
} from './documented-services.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { checkProject } from './project.ts';

export function add(program: Command): void {
  const documented = documentedServices();
  program
    .command('openapi')
    .addOption(originOption('the address of the service').default(localOrigin))
    .addOption(serviceOption([...documented.keys()]))
    .addOption(versionOption('the newest'))
    .description('prints the OpenAPI 3.1 document of a service')
    .addHelpText('after', '\nExample:\n  triglyph openapi --origin https://gateway.example.com > openapi.json')
    .action(({ origin, service, version }: OpenApiOptions) => {
      checkProject();
      const all = [...documented.values()].flatMap(({ contracts }) => contracts);
      const path = pathOf(documentedService(documented, service), version);
      process.stdout.write(createDocuments(all).find(path, '', origin)!.body);
    });
}

interface OpenApiOptions {
  readonly origin: string;
  readonly service?: string;
  readonly version?: number;
}

/** Where servers have the document. That of the built-in operations which callers name has those of all services. */
function pathOf(chosen: DocumentedService, version: number | undefined): string {
  const newest = chosen.contracts.at(-1)!;
  if (version !== undefined) return `${serviceAddress(contractOfVersion(chosen, version), version)}/openapi.json`;
  if (!chosen.isBuiltIn) return `${serviceAddress(newest)}/openapi.json`;
  return hasNamed(newest) ? '/openapi.json' : `${newest.address}/openapi.json`;
}
