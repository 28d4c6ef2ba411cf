/** A worker that loads every module with SQL, and posts each statement that is created. A process loads a module once, and tests share it. */
import { subscribe } from 'node:diagnostics_channel';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';

const src = join(import.meta.dirname, '../../src');
const created: { readonly name: string; readonly text: string }[] = [];
subscribe('triglyph:statement', (statement) => {
  const { name, text } = statement as (typeof created)[number];
  created.push({ name, text });
});

const modules = globSync('**/*.ts', { cwd: src }).filter((file) =>
  /\b(?:statement|resourceStatements)[<(]|\bresourceKind\b/.test(readFileSync(join(src, file), 'utf8')),
);
for (const file of modules) {
  const members = Object.values<unknown>(await import(join(src, file)));
  // Statements over any number of rows are created with their number.
  if (file.endsWith('statements.ts'))
    for (const each of members) if (typeof each === 'function' && each.length === 1 && !each.name) each(2);
}
parentPort!.postMessage(created);
