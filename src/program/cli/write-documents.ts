/** Generates the documents that are committed to the repository. Tests compare them with the contract. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProtocols } from '../../core/formats/index.ts';
import { committedDocuments } from '../../documents/index.ts';
import { services } from '../../payments/index.ts';
import { describeConfig } from './configuration-page.ts';

/** Writes them into the repository at `root`, and prints their paths. */
export function writeDocuments(root: string): void {
  const documents = committedDocuments(services, Object.values(createProtocols(services)));
  const configuration = { path: 'docs/configuration.md', text: describeConfig() };
  for (const { path, text } of [...documents, configuration]) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${file}\n`);
  }
}
