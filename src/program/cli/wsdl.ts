/** `triglyph wsdl`: prints the WSDL for an address. */
import type { Command } from 'commander';
import { serviceAddress } from '../../core/contract/index.ts';
import { createDocuments, hasNamed } from '../../documents/index.ts';
import {
  contractOfVersion,
  documentedService,
  documentedServices,
  serviceOption,
  versionOption,
} from './documented-services.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { checkProject } from './project.ts';

export function add(program: Command): void {
  const documented = documentedServices();
  const choices = new Map([...documented].filter(([, { contracts }]) => contracts.some(hasNamed)));
  program
    .command('wsdl')
    .addOption(originOption('the address of the service').default(localOrigin))
    .addOption(serviceOption([...choices.keys()]))
    .addOption(versionOption('the newest one at addresses without a version, or the newest'))
    .option('--no-soap12', 'leaves out the binding for SOAP 1.2, for Axis 1.4, wsimport and gSOAP')
    .description('prints the WSDL')
    .addHelpText('after', '\nExample:\n  triglyph wsdl --origin https://gateway.example.com > service.wsdl')
    .action(({ origin, service: name, version, soap12 }: WsdlOptions) => {
      checkProject();
      const chosen = documentedService(choices, name);
      const named = chosen.contracts.filter(hasNamed);
      const service =
        version === undefined
          ? (named.findLast(({ legacy }) => legacy !== undefined) ?? named.at(-1)!)
          : contractOfVersion({ ...chosen, contracts: named }, version);
      const all = [...documented.values()].flatMap(({ contracts }) => contracts);
      const query = soap12 ? 'wsdl' : 'wsdl&soap12=no';
      process.stdout.write(createDocuments(all).find(serviceAddress(service, version), query, origin)!.body);
    });
}

interface WsdlOptions {
  readonly origin: string;
  readonly service?: string;
  readonly version?: number;
  readonly soap12: boolean;
}
