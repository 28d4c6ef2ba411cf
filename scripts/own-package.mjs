/**
 * Preloaded with `--import`: resolves the name of the package to its sources, so that the examples run without a build. `TEST_PROGRAM` names the
 * bundle that `npm test` has made of them.
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const { TEST_PROGRAM } = process.env;
if (TEST_PROGRAM) enableCompileCache(join(root, '.cache/compile'));

const entry = /^triglyph(?:\/(.+))?$/;

registerHooks({
  resolve(specifier, context, next) {
    const found = entry.exec(specifier);
    if (found === null) return next(specifier, context);
    const name = found[1] ?? 'index';
    const path = TEST_PROGRAM
      ? join(TEST_PROGRAM, `../../dist/api/${name}.js`)
      : join(root, `src/program/api/${name}.ts`);
    return next(pathToFileURL(path).href, context);
  },
});
