/**
 * Jest's runtime without registries of modules: a test file is a module of its process, and the files of a worker share what they
 * import. To load the sources anew costs more than most test files.
 */
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileCache } from './compile-cache.ts';
import { useFunctions } from './jest-globals.mjs';

const require = createRequire(import.meta.url);

// V8 counts what a cached function executes less precisely.
if (process.env.NODE_V8_COVERAGE === undefined) enableCompileCache(compileCache);

/** The modules that stand for others, as in the configuration: pairs of a regular expression and a path. */
let replaced = [];
registerHooks({
  resolve(specifier, context, next) {
    for (const [pattern, path] of replaced) {
      const match = pattern.exec(specifier);
      if (match) return next(pathToFileURL(path.replace('$1', match[1])).href, context);
    }
    return next(specifier, context);
  },
});

// What tests start ends with the process, by handlers of `exit`, which the default action of the signal does not run.
process.once('SIGTERM', () => process.exit(143));

/** Where jest-circus leaves the handlers of its events. */
const eventHandlers = Symbol.for('EVENT_HANDLERS');

class Runtime {
  constructor({ moduleNameMapper }) {
    replaced = moduleNameMapper.map(([pattern, path]) => [new RegExp(pattern), path]);
  }

  /** Loads the part of jest-circus that holds the tests of a file: anew for each file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[eventHandlers];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  setGlobalsForRuntime(functions) {
    useFunctions(functions);
  }

  getSourceMaps() {
    return new Map();
  }

  // What Jest calls and these tests do not need.
  enterTestCode() {}
  leaveTestCode() {}
  getAllCoverageInfoCopy() {}
  teardown() {}
}

// Jest loads this module by `require`.
export { Runtime as 'module.exports' };
