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

/** Browser code. Its rules are checked by `pageFaults`: the types of JSX are not stripped here. */
const pageFolder = 'console/page/';

const mirror = realpathSync(mkdtempSync(join(tmpdir(), 'triglyph-imports-')));
try {
  for (const name of readdirSync(join(root, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts') || name.startsWith(pageFolder)) continue;
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

/** The page may import itself without cycles, its libraries, and types of the console and of the contract language. */
function pageFaults() {
  const folder = join(root, 'src', pageFolder);
  const importsOf = new Map();
  const faults = readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => {
      const source = readFileSync(join(folder, name), 'utf8');
      const found = [...source.matchAll(/(?:^(import|export) (type )?[^'"]*?from |import\()'([^']+)'/gm)];
      const targets = found.map(([, , , from]) => relative(folder, join(folder, dirname(name), from)));
      importsOf.set(name, targets);
      return found.flatMap(([, , type, from], at) => {
        if (/^(?:preact|uplot)(?:\/|$)/.test(from)) return [];
        if (from.startsWith('.') && !targets[at].startsWith('..')) return [];
        const target = relative(join(root, 'src'), join(folder, targets[at]));
        const isContract = target.startsWith('console/') || target.startsWith('contract/');
        return type !== undefined && isContract ? [] : [`imports-of-page: src/${pageFolder}${name} imports ${from}`];
      });
    });
  return [...faults, ...cyclesIn(importsOf)];
}

/** Each import that leads back to its own file. */
function cyclesIn(importsOf) {
  return [...importsOf].flatMap(([name, targets]) =>
    targets
      .filter((target) => reaches(importsOf, target, name))
      .map((target) => `no-cycles: src/${pageFolder}${name} imports src/${pageFolder}${target}`),
  );
}

function reaches(importsOf, from, to) {
  const seen = new Set([from]);
  for (const each of seen) for (const next of importsOf.get(each) ?? []) seen.add(next);
  return seen.has(to);
}

function toJavaScript(source) {
  const withTypeImports = source
    .replace(/^(import|export) type (?=[{*]|\w+ from)/gm, '$1 ')
    .replace(/([{,]\s*)type (?=\w)/g, '$1');
  return stripTypeScriptTypes(withTypeImports).replace(/(from '|import\(')(\.[^']*)\.ts'/g, "$1$2.js'");
}
