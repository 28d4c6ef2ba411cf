/** `triglyph wsdl`: prints the WSDL for an address, or renews the committed documents. */
import type { Command } from 'commander';
import { services } from '../api/index.ts';
import { recurringV25 } from '../api/recurring/v25.ts';
import { serviceAddress } from '../contract/address.ts';
import { documentsOf } from '../derive/index.ts';
import { writeDocuments } from './write-documents.ts';

const run = ({ origin, write }: { readonly origin: string; readonly write?: string }): void => {
  if (write !== undefined) writeDocuments(write, (path) => path.startsWith('wsdl/'));
  else process.stdout.write(documentsOf(services).find(serviceAddress(recurringV25), 'wsdl', origin)!.body);
};

export const add = (program: Command): void => {
  program
    .command('wsdl')
    .option('--origin <origin>', 'where the service is called', 'http://127.0.0.1:8080')
    .option('--write <folder>', 'writes the WSDL and its schemas to wsdl/ in this folder instead')
    .description('prints the WSDL, or writes it with its schemas')
    .addHelpText('after', '\nExample:\n  triglyph wsdl --origin https://pay.example.com > Recurring.wsdl')
    .action(run);
};
