/** Lets the code of documents import the package by its name: the sources take the place of a build. */
import { registerHooks } from 'node:module';

const sources = new URL('../../src/api/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'triglyph' && !specifier.startsWith('triglyph/')) return next(specifier, context);
    const name = specifier === 'triglyph' ? 'index' : specifier.slice('triglyph/'.length);
    return { url: new URL(`${name}.ts`, sources).href, shortCircuit: true };
  },
});
