/** Builds the package into dist/: JavaScript, declarations and source maps. `npm run typecheck` checks the types. */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundle, bundleCommonJs } from './bundle.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

await bundle(dist);
await bundleCommonJs(dist);
const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

const entryPoints = ['index', 'contract', 'koa', 'testing'];

const needed = new Set();
const exported = new Map();
for (const name of entryPoints) {
  keepDeclarations(join(dist, 'program/api', `${name}.d.ts`));
  writeFileSync(join(dist, 'api', `${name}.d.ts`), `export * from '../program/api/${name}.js';\n`);
  needed.add(join(dist, 'api', `${name}.d.ts`));
}
for (const file of globSync('**/*.d.ts', { cwd: dist })) if (!needed.has(join(dist, file))) rmSync(join(dist, file));
for (const name of readdirSync(dist)) if (globSync(`${name}/**/*.*`, { cwd: dist }).length === 0) removeFolder(name);

// Node loads ES modules by `require`, so that a program has one copy of each class. Jest refuses them.
for (const name of entryPoints) {
  const path = join(dist, 'api', name);
  writeFileSync(
    `${path}.cjs`,
    `if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(\`triglyph: this is Node \${process.versions.node}, and 24 or newer is needed\`);
try {
  module.exports = require('./${name}.js');
} catch (thrown) {
  if (thrown?.code !== 'ERR_REQUIRE_ESM') throw thrown;
  module.exports = require('../commonjs/${name}.cjs');
}
`,
  );
  writeFileSync(`${path}.d.cts`, await commonJsDeclarations(name));
}

// Two builds are equal, whatever the umask of each.
for (const file of globSync('**', { cwd: dist }))
  if (statSync(join(dist, file)).isFile()) chmodSync(join(dist, file), 0o644);

/** CommonJS cannot require the declarations of ES modules (TS1479): it has their types, and each value by its type. */
async function commonJsDeclarations(name) {
  const from = `'./${name}.js' with { 'resolution-mode': 'import' }`;
  const values = Object.entries(await import(join(dist, 'api', `${name}.js`)));
  const isClass = (value) => typeof value === 'function' && /^class\b/.test(String(value));
  const declared = values.map(([each, value]) => {
    const type = isClass(value) ? `export type ${each} = all.${each};\n` : '';
    return `${type}export declare const ${each}: typeof all.${each};\n`;
  });
  return `import type * as all from ${from};\nexport type * from ${from};\n${declared.join('')}`;
}

/** Keeps a file, and those that it imports. The compiler leaves the extensions of sources, which no consumer has. */
function keepDeclarations(path) {
  if (needed.has(path)) return;
  needed.add(path);
  const text = pastIndexes(path, readFileSync(path, 'utf8'));
  const imported = /((?:from |import\()['"])(\.[^'"]*)\.ts(?=['"])/g;
  writeFileSync(path, text.replaceAll(imported, '$1$2.js'));
  for (const [, , relative] of text.matchAll(imported)) keepDeclarations(join(dirname(path), `${relative}.d.ts`));
}

/** Names come from the files that declare them: an index has names that the compiler strips, and would keep the files of its whole module. */
function pastIndexes(path, text) {
  const declaring = (index, name) => {
    const file = join(dirname(path), index);
    const found = exportsOf(`${file.slice(0, -'.ts'.length)}.d.ts`).get(name);
    const from = found === undefined ? file : `${found.slice(0, -'.d.ts'.length)}.ts`;
    const relativePath = relative(dirname(path), from);
    return relativePath.startsWith('.') ? relativePath : `./${relativePath}`;
  };
  return text
    .replace(
      /^(import|export)( type)? \{([^}]*)\} from '(\.[^']*\/index\.ts)';$/gm,
      (_, kind, type = '', names, index) =>
        [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?/g)]
          .map(([each, name]) => `${kind}${type} { ${each} } from '${declaring(index, name)}';`)
          .join('\n'),
    )
    .replace(
      /import\("(\.[^"]*\/index\.ts)"\)\.(\w+)/g,
      (_, index, name) => `import("${declaring(index, name)}").${name}`,
    );
}

/** The names that a file of declarations exports, each with the file that declares it. Each file is read once. */
function exportsOf(path) {
  const known = exported.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const found = new Map();
  exported.set(path, found);
  for (const [, name] of text.matchAll(/^export (?:declare )?(?:abstract )?(?:\w+) (\w+)/gm)) found.set(name, path);
  for (const [, names, from] of text.matchAll(/^export (?:type )?(?:\{([^}]*)\}|\*) from '(\.[^']*)\.ts';$/gm)) {
    const file = join(dirname(path), `${from}.d.ts`);
    // A name under another one stays a name of the index.
    for (const name of names?.split(',').map((each) => /^(?:type )?(\w+)$/.exec(each.trim())?.[1]) ??
      exportsOf(file).keys())
      if (name !== undefined) found.set(name, exportsOf(file).get(name) ?? file);
  }
  return found;
}

function removeFolder(name) {
  if (statSync(join(dist, name)).isDirectory()) rmSync(join(dist, name), { recursive: true });
}
