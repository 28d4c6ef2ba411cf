#!/usr/bin/env node
/** Starts the program: refuses an old Node with a plain message, and turns on the compile cache of a new one. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

// A checkout runs its sources; Node strips no types below node_modules, so the package brings JavaScript.
const source = join(import.meta.dirname, '../src/main.ts');
const isCheckout = existsSync(source);

if (Number(process.versions.node.split('.')[0]) < 24) {
  const remedy = isCheckout ? '; npm run brings its own' : '';
  process.stderr.write(`triglyph: this is Node ${process.versions.node}, and 24 or newer is needed${remedy}.\n`);
  process.exitCode = 1;
} else {
  // The cache halves the time of a start and saves 30 MB. `npm ci` fills that of a checkout. This file is JavaScript so that
  // the cache is on before Node reads the first TypeScript file. A folder that cannot be written disables it.
  module.enableCompileCache(...(isCheckout ? [join(import.meta.dirname, '../.cache/compile')] : []));
  await import(isCheckout ? '../src/main.ts' : '../dist/main.js');
}
