/** `triglyph wsdl`: prints the WSDL for an address. */
import type { Command } from 'commander';
import { serviceAddress } from '../contract/service.ts';
import { createDocuments } from '../documents/index.ts';
import { services } from '../services/index.ts';
import { recurringV25 } from '../services/recurring/v25.ts';

export function add(program: Command): void {
  program
    .command('wsdl')
    .option('--origin <origin>', 'the address of the service', 'http://127.0.0.1:8080')
    .option('--no-soap12', 'leaves out the binding for SOAP 1.2, for Axis 1.4, wsimport and gSOAP')
    .description('prints the WSDL')
    .addHelpText('after', '\nExample:\n  triglyph wsdl --origin https://pay.example.com > Recurring.wsdl')
    .action(printDocument);
}

function printDocument({ origin, soap12 }: { readonly origin: string; readonly soap12: boolean }): void {
  const query = soap12 ? 'wsdl' : 'wsdl&soap12=no';
  process.stdout.write(createDocuments(services).find(serviceAddress(recurringV25), query, origin)!.body);
}
