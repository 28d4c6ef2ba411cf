/** Writes the documents that the repository keeps: derived, committed, proved current by a test. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { services } from '../api/index.ts';
import { committedDocuments } from '../derive/index.ts';
import { speak } from '../protocol/index.ts';

/** Those whose path, from the root of the repository, is wanted. */
export const writeDocuments = (root: string, wanted: (path: string) => boolean): void => {
  for (const { path, text } of committedDocuments(services, Object.values(speak(services)))) {
    if (!wanted(path)) continue;
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${file}\n`);
  }
};
