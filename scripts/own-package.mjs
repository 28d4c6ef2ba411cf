/** Preloaded with `--import`: resolves the name of the package to its sources, so that the examples run without a build. */
import { registerHooks } from 'node:module';

const entry = /^triglyph(?:\/(.+))?$/;

registerHooks({
  resolve(specifier, context, next) {
    const found = entry.exec(specifier);
    if (found === null) return next(specifier, context);
    return next(new URL(`../src/api/${found[1] ?? 'index'}.ts`, import.meta.url).href, context);
  },
});
