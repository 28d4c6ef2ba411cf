/** Imports a WSDL whose operations are in one service. */
import type { Service } from '../../src/core/contract/service.ts';
import type { Finding } from '../../src/readers/wsdl/findings.ts';
import { type ImportOptions, importWsdl as importAll } from '../../src/readers/wsdl/import-wsdl.ts';

export interface ImportedContract {
  readonly service: Service;
  /** The source text of the contract. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

export async function importWsdl(location: string, options: ImportOptions): Promise<ImportedContract> {
  const { services, findings, text } = await importAll(location, options);
  const [only, ...others] = services;
  if (only === undefined || others.length > 0) throw new Error(`${location} has ${services.length} services`);
  return { service: only.service, text: text(), findings };
}
