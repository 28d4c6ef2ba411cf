/**
 * Checks the imports of the sources against .dependency-cruiser.cjs. dependency-cruiser cannot read TypeScript 7. It gets a
 * copy with the types stripped, in which `import type` is an ordinary import, because the rules hold for types too.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { cruise } from 'dependency-cruiser';

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

/** Browser code: the folder of the page, and the files of views in JSX. Its rules are checked by `pageFaults`. */
const pageFolder = 'console/page/';
const isPage = (name) => name.startsWith(pageFolder) || /^console\/.*\.tsx$/.test(name);

const mirror = realpathSync(mkdtempSync(join(tmpdir(), 'triglyph-imports-')));
try {
  for (const name of readdirSync(join(root, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts') || isPage(name)) continue;
    const target = join(mirror, 'src', name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, toJavaScript(readFileSync(join(root, 'src', name), 'utf8')));
  }
  cpSync(join(root, 'package.json'), join(mirror, 'package.json'));
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(mirror, 'node_modules'));
  process.chdir(mirror);
  const { output } = await cruise(['src'], {
    ...rules.options,
    ruleSet: { forbidden: rules.forbidden },
    validate: true,
    outputType: 'json',
  });
  const { summary } = JSON.parse(output);
  for (const { rule, from, to } of summary.violations) {
    const [source, target] = [from, to].map((path) => path.replace(/^(src\/.*)\.js$/, '$1.ts'));
    process.stdout.write(`${rule.name}: ${source} imports ${target}\n`);
  }
  const faults = pageFaults();
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(
    `${summary.totalCruised} files, ${summary.totalDependenciesCruised} imports, ${summary.violations.length + faults.length} forbidden\n`,
  );
  // Too few imports mean that the check did not read the sources.
  if (summary.violations.length + faults.length > 0 || summary.totalDependenciesCruised < 100) process.exitCode = 1;
} finally {
  rmSync(mirror, { recursive: true, force: true });
}

/** The page may import itself without cycles, its libraries, and types of the console, of operators and of the contract language. */
function pageFaults() {
  const folder = join(root, 'src');
  const files = readdirSync(folder, { recursive: true }).filter((name) => isPage(name) && /\.tsx?$/.test(name));
  const imports = new Map(files.map((name) => [name, importsOf(name, readFileSync(join(folder, name), 'utf8'))]));
  const faults = files.flatMap((name) =>
    imports.get(name).flatMap(({ isType, from, target }) => {
      if (/^(?:preact|@codemirror|@lezer)(?:\/|$)/.test(from)) return [];
      if (from.startsWith('.') && isPage(target)) return [];
      const isContract = /^(?:console|operators|core\/contract)\//.test(target);
      return isType && isContract ? [] : [`imports-of-page: src/${name} imports ${from}`];
    }),
  );
  return [...faults, ...cyclesOf(imports)];
}

function importsOf(name, source) {
  const found = source.matchAll(/(?:^(import|export) (type )?[^'"]*?from |import\()'([^']+)'/gm);
  return [...found].map(([, , type, from]) => ({
    isType: type !== undefined,
    from,
    target: relative(join(root, 'src'), join(root, 'src', dirname(name), from)),
  }));
}

/** A file that is reached from itself, by imports of types too. Views are loaded by `import()` when they are opened. */
function cyclesOf(imports) {
  const faults = [];
  const done = new Set();
  const visit = (name, path) => {
    const cycle = path.includes(name) ? [...path.slice(path.indexOf(name)), name] : [];
    for (const [at, each] of cycle.slice(1).entries()) faults.push(`no-cycles: src/${cycle[at]} imports src/${each}`);
    if (path.includes(name) || done.has(name)) return;
    for (const { target } of imports.get(name) ?? []) visit(target, [...path, name]);
    done.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
  return faults;
}

function toJavaScript(source) {
  const withTypeImports = source
    .replace(/^(import|export) type (?=[{*]|\w+ from)/gm, '$1 ')
    .replace(/([{,]\s*)type (?=\w)/g, '$1');
  return stripTypeScriptTypes(withTypeImports).replace(/(from '|import\(')(\.[^']*)\.ts'/g, "$1$2.js'");
}
