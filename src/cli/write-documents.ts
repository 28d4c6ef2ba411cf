/** Writes the documents that the repository keeps: derived, committed, proved current by tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { committedDocuments } from '../documents/index.ts';
import { createProtocols } from '../formats/index.ts';
import { services } from '../services/index.ts';
import { describeConfig } from './configuration-page.ts';

/** Into the repository at `root`. */
export const writeDocuments = (root: string): void => {
  const derived = committedDocuments(services, Object.values(createProtocols(services)));
  for (const { path, text } of [...derived, { path: 'docs/configuration.md', text: describeConfig() }]) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${file}\n`);
  }
};
