/** `triglyph wsdl`: prints the WSDL for an address. */
import { type Command, Option } from 'commander';
import { namedOperations, type Service, serviceAddress } from '../contract/service.ts';
import { createDocuments } from '../documents/index.ts';
import { services } from '../services/index.ts';
import { recurringV25 } from '../services/recurring/versions.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { checkProject, ownServices } from './project.ts';

export function add(program: Command): void {
  const own = ownServices().map(({ service }) => service);
  const named = own.filter((service) => namedOperations(service).length > 0);
  const choices = new Map<string, Service>([
    ['recurring', recurringV25],
    ...named.map((service): [string, Service] => [service.name, service]),
  ]);
  program
    .command('wsdl')
    .addOption(originOption('the address of the service').default(localOrigin))
    .addOption(new Option('--service <service>', 'the service').choices([...choices.keys()]).default('recurring'))
    .option('--no-soap12', 'leaves out the binding for SOAP 1.2, for Axis 1.4, wsimport and gSOAP')
    .description('prints the WSDL')
    .addHelpText('after', '\nExample:\n  triglyph wsdl --origin https://pay.example.com > Recurring.wsdl')
    .action(({ origin, service, soap12 }: WsdlOptions) => {
      checkProject();
      const query = soap12 ? 'wsdl' : 'wsdl&soap12=no';
      const address = serviceAddress(choices.get(service)!);
      process.stdout.write(createDocuments([...services, ...own]).find(address, query, origin)!.body);
    });
}

interface WsdlOptions {
  readonly origin: string;
  readonly service: string;
  readonly soap12: boolean;
}
