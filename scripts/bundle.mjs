/** Bundles the sources into a few files of JavaScript with source maps: Node loads these much faster than 450 files. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { findConsolePage } from './console-page.mjs';

const root = join(import.meta.dirname, '..');
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The package leaves them to those who install it. */
const packages = Object.keys({ ...dependencies, ...peerDependencies });

/** What programs import by the name of the package. */
const api = ['api/index', 'api/contract', 'api/koa', 'api/testing'];

/** The process that compares copies for shadows has a file of its own, which `open-copies.ts` starts. */
const copyProcess = 'forward/shadow/copy-worker';

/** Their clients load further packages where these are installed. */
const unbundled = ['pg', 'ioredis'];

/** Bundles the present sources as a program, with its libraries: `dist/main.js`, and `bin/triglyph.mjs`, which starts it. */
export async function bundleProgram(folder) {
  await bundle(join(folder, 'dist'), { withLibraries: true });
  const { version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // Without a name: the tools of the checkout would find two packages of one name.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, type }));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(join(root, 'bin/triglyph.mjs'), join(folder, 'bin/triglyph.mjs'));
}

/**
 * Replaces the folder. All entry points share one copy of each class. `withLibraries`: libraries are bundled, too, which a
 * package must not do: it would hide their versions from those who install it, and needs their licences.
 */
export async function bundle(folder, { withLibraries = false } = {}) {
  const bundler = await openBundler(
    [...api, 'main', copyProcess],
    withLibraries ? unbundled : packages,
    'allow-extension',
  );
  rmSync(folder, { recursive: true, force: true });
  const { output } = await bundler.write({
    dir: folder,
    format: 'esm',
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames,
    codeSplitting: splitByUse(),
  });
  await bundler.close();
  for (const { type, fileName } of output) if (type === 'chunk') escapeLiterals(join(folder, fileName));
  cpSync(await findConsolePage(), join(folder, 'console-page'), { recursive: true });
}

/** It needs a library that is an ES module. */
const notCommonJs = ['light-my-request'];

/**
 * Adds what programs import, as CommonJS without `import()`: Jest loads no ES modules without a flag of Node, neither by `require` nor
 * by `import()`. The libraries that are ES modules are in it, with their licences.
 */
export async function bundleCommonJs(folder) {
  const bundler = await openBundler(
    api,
    packages.filter((name) => !notCommonJs.includes(name)),
    'exports-only',
  );
  const { output } = await bundler.write({
    dir: folder,
    format: 'cjs',
    comments: false,
    dynamicImportInCjs: false,
    entryFileNames: ({ name }) => `commonjs/${basename(name)}.cjs`,
    chunkFileNames: `${chunkFileNames.slice(0, -'.js'.length)}.cjs`,
    codeSplitting: splitEager(),
  });
  await bundler.close();
  writeFileSync(join(folder, 'commonjs/LICENSES'), licencesOf(output));
}

/** The licences of the libraries that are in the files. */
function licencesOf(files) {
  const modules = files.flatMap(({ moduleIds = [] }) => moduleIds);
  const found = modules.flatMap(
    (id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.slice(0, 2).join('\n') ?? [],
  );
  return [...new Set(found)]
    .sort()
    .map((each) => {
      const [path, name] = each.split('\n');
      const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name}\n\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
    })
    .join('\n');
}

/** The file of an entry: the program and the package are in `src/program`. */
function source(name) {
  return join(root, 'src', `${/^(?:main|api)\b/.test(name) ? 'program/' : ''}${name}.ts`);
}

/** One level below the folder, as the modules of src: what they locate by a relative path is found. */
const chunkFileNames = 'chunks/[name]-[hash].js';

/** `preserveEntrySignatures`: `allow-extension` where files share what is in an entry point. */
function openBundler(names, external, preserveEntrySignatures) {
  return rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, source(name)])),
    platform: 'node',
    external: (name) => name.startsWith('node:') || external.includes(name),
    // The paths of tsconfig.json are those of the examples.
    tsconfig: false,
    preserveEntrySignatures,
    // A library calls eval.
    checks: { eval: false },
    onLog(level, { code, message }) {
      // The program would fail where it runs.
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
      if (level === 'warn') process.stderr.write(`${message}\n`);
    },
  });
}

/**
 * V8 stores a text with one character beyond Latin-1 in two bytes for each: a megabyte for the largest file. Only literals have some, and an
 * escape there moves no line of the source maps.
 */
function escapeLiterals(path) {
  const code = readFileSync(path, 'utf8');
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(path, code.replace(/[^\0-\xff]/g, escaped));
}

/** Modules that are loaded together with one of these, and these. */
function reach(id, graph, found) {
  if (found.has(id)) return;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) reach(each, graph, found);
}

const entries = api.map(source);

/**
 * One file has what every gateway inside a program loads at its start, and one more the built-in services. The rest is split by what loads
 * it on demand: a gateway that only forwards needs no engine of SQL, and with contracts of its own no services.
 */
function splitByUse() {
  const gateway = new Set();
  const services = new Set();
  const name = (id, graph) => {
    if (entries.includes(id)) return null;
    reach(source('program/app/create-gateway'), graph, gateway);
    reach(source('payments/index'), graph, services);
    if (gateway.has(id) || id === source('backend/define-service')) return 'gateway';
    return services.has(id) && id.startsWith(join(root, 'src/payments/')) ? 'services' : null;
  };
  // A file has what its group names, and not what that imports, too.
  return { includeDependenciesRecursively: false, groups: [{ debugName: 'use', name }] };
}

/** One file has all that is not loaded on demand: modules of CommonJS cannot import each other in a circle of files. */
function splitEager() {
  const eager = new Set();
  const name = (id, graph) => {
    for (const entry of entries) reach(entry, graph, eager);
    return eager.has(id) && !entries.includes(id) ? 'gateway' : null;
  };
  return { groups: [{ debugName: 'gateway', name }] };
}
