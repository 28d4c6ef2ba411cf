#!/usr/bin/env node
/** Starts the program: refuses an old Node with a plain message, and turns on the compile cache of a new one. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src/program/main.ts');
const isCheckout = existsSync(sources);

if (Number(process.versions.node.split('.')[0]) < 24) {
  const remedy = isCheckout ? '; node_modules/.bin has one: put it first in PATH' : '';
  process.stderr.write(`triglyph: this is Node ${process.versions.node}, and 24 or newer is needed${remedy}.\n`);
  process.exitCode = 1;
} else {
  // While modules load, the young generation would grow by 15 MB for objects that stay. src/program/cli/after-start.ts lets that of a server grow for the load.
  // The compile cache is that of the flags, so they come first.
  if (process.argv.includes('serve')) setFlagsFromString('--semi-space-growth-factor=1');
  // Objects of a kind that has lived long, as in a start or in an overload, would be allocated among long-lived ones. There they would
  // hold all that belongs to their requests until a major collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The cache saves up to a third of a start. `npm ci` fills that of a checkout. A folder that cannot be written disables it.
  module.enableCompileCache(...(isCheckout ? [join(root, '.cache/compile')] : []));
  const bundle = isCheckout ? await findBundle() : root;
  await import(pathToFileURL(bundle === undefined ? sources : join(bundle, 'dist/main.js')).href);
}

/** Undefined where there is none: the sources start, more slowly. */
async function findBundle() {
  const script = join(root, 'scripts/program.mjs');
  return existsSync(script) ? (await import(pathToFileURL(script).href)).findBundle() : undefined;
}
