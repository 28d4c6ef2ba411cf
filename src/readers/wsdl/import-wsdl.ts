/** Imports a WSDL: the contracts as values and as TypeScript, and what was left out, changed or guessed. */

import type { Service } from '../../core/contract/index.ts';
import { itemsMax, textMax } from '../../documents/index.ts';
import { findingComments, findingLines } from '../findings.ts';
import { type MarkedField, secretLines } from '../secrets.ts';
import { checkSource } from './check-source.ts';
import { type Loaded, loadDocuments } from './documents.ts';
import { type Finding, printFinding } from './findings.ts';
import { type ImportChoice, type ImportedService, importServices } from './import-service.ts';
import { createReading, type ReadingOptions, Unread } from './read-location.ts';
import { writeContracts } from './write-contract.ts';

export interface ImportOptions extends ReadingOptions, ImportChoice {}

export interface Imported {
  readonly services: readonly ImportedService[];
  /** Returns the source text of the contracts. Throws UnsafeSource rather than return code. */
  text(): string;
  readonly findings: readonly Finding[];
}

/** `location`: a path, or a URL where the network is allowed. Throws Unread where nothing can be imported. */
export async function importWsdl(location: string, options: ImportOptions): Promise<Imported> {
  const loaded = await loadDocuments(location, createReading(options));
  const services = importLoaded(loaded, options);
  const findings = loaded.findings.all();
  return { services, findings, text: () => textOf(services, findings) };
}

function textOf(imported: readonly ImportedService[], findings: readonly Finding[]): string {
  const services = imported.map(({ service }) => service);
  const text = writeContracts(
    services,
    commentsOf(
      services,
      findings,
      imported.flatMap((each) => each.secrets),
    ),
  );
  checkSource(text);
  return text;
}

function importLoaded(loaded: Loaded, options: ImportOptions): readonly ImportedService[] {
  try {
    return importServices(loaded, options);
  } catch (thrown) {
    if (thrown instanceof Unread) thrown.findings = loaded.findings.all();
    throw thrown;
  }
}

function commentsOf(
  services: readonly Service[],
  findings: readonly Finding[],
  secrets: readonly MarkedField[],
): readonly string[] {
  const names = services.map(({ name, version }) => `${name}, version ${version}`);
  return [
    `/** ${names.join('; ')}: the ${names.length === 1 ? 'contract' : 'contracts'} of a WSDL, by \`triglyph import-wsdl\`. */`,
    `// Where the WSDL sets no limit, texts have ${textMax} characters and lists ${itemsMax} items.`,
    ...findingComments([...findingLines(findings, printFinding), ...secretLines(secrets)]),
  ];
}
