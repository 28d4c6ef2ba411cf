/** Imports a WSDL: the contract as TypeScript, and what was left out, changed or guessed. */

import { textLengthMax } from '../../contract/schema.ts';
import type { Service } from '../../contract/service.ts';
import { checkSource } from './check-source.ts';
import { type Loaded, loadDocuments } from './documents.ts';
import { type Finding, type FindingKind, printFinding } from './findings.ts';
import { type ImportChoice, importService } from './import-service.ts';
import { itemsMax } from './particles.ts';
import { createReading, type ReadingOptions, Unread } from './read-location.ts';
import { writeContract } from './write-contract.ts';

export interface ImportOptions extends ReadingOptions, ImportChoice {}

export interface Imported {
  readonly service: Service;
  /** The source text of the contract. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** `location`: a path, or a URL where the network is allowed. Throws Unread where nothing can be imported, and UnsafeSource rather than return code. */
export async function importWsdl(location: string, options: ImportOptions): Promise<Imported> {
  const loaded = await loadDocuments(location, createReading(options));
  const service = importLoaded(loaded, options);
  const findings = loaded.findings.all();
  const text = writeContract(service, commentsOf(service, findings));
  checkSource(text);
  return { service, text, findings };
}

function importLoaded(loaded: Loaded, options: ImportOptions): Service {
  try {
    return importService(loaded, options);
  } catch (thrown) {
    if (thrown instanceof Unread) thrown.findings = loaded.findings.all();
    throw thrown;
  }
}

/** What each kind of finding means, for the report and the comments. */
export const headings: Readonly<Record<FindingKind, string>> = Object.freeze({
  refused: 'Left out, since the contract language cannot say it',
  changed: 'Said in another way',
  check: 'Guessed, to be checked',
});

function commentsOf({ name, version }: Service, findings: readonly Finding[]): readonly string[] {
  const kinds = (Object.keys(headings) as FindingKind[]).flatMap((kind) => {
    const lines = findings.filter((each) => each.kind === kind).map((each) => `// - ${printFinding(each)}`);
    return lines.length === 0 ? [] : ['//', `// ${headings[kind]}:`, ...lines];
  });
  return [
    `/** ${name}, version ${version}: the contract of a WSDL, by \`triglyph import-wsdl\`. */`,
    `// Where the WSDL sets no limit, texts have ${textLengthMax} characters and lists ${itemsMax} items; integers have 15 digits.`,
    ...kinds,
  ];
}
