/** Tests that a checkout starts the bundle of its present sources, and its sources where it has no bundle. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { environment } from '../support/commands.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
let folder: TempFolder;
let checkout: string;
beforeEach(() => {
  folder = tempFolder();
  checkout = join(folder.path, 'checkout');
  for (const name of ['bin', 'scripts', 'src', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  const modules = join(checkout, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  // Another user may read all of it.
  chmodSync(folder.path, 0o755);
  writeFileSync(preload(), watching);
});
afterEach(() => folder.discard());

const preload = () => join(folder.path, 'watch-main.mjs');
/** Prints the file of the program that Node loads. */
const watching = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (/\\/main\\.[jt]s$/.test(url)) process.stderr.write('main: ' + url + '\\n');
  return next(url, context);
} });
`;

interface Started {
  readonly main: 'bundle' | 'sources';
  readonly stdout: string;
  readonly stderr: string;
}

function start(parameters: readonly string[] = ['--help'], { uid }: { readonly uid?: number } = {}): Started {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(checkout, 'bin/triglyph.mjs'), ...parameters], {
    cwd: folder.path,
    env: { ...environment({ NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${preload()}` }) },
    encoding: 'utf8',
    ...(uid !== undefined && { uid, gid: uid }),
  });
  if (status !== 0) throw new Error(stderr);
  const main = /^main: (.*)$/m.exec(stderr)?.[1] ?? '';
  return { main: main.endsWith('.js') ? 'bundle' : 'sources', stdout, stderr };
}

const bundles = () => readdirSync(join(checkout, '.cache/program'));
const source = () => join(checkout, 'src/program/cli/program.ts');
const edit = (from: string, to: string, file = source()): void => {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replaceAll(from, to));
};

const editedAt = new Date('2026-01-01');

/** Another file than the first one that Node loads. */
function addImportedFile(): string {
  const file = join(checkout, 'src/program/cli/added.ts');
  writeFileSync(file, "export const title = 'A gateway that';\n");
  utimesSync(file, editedAt, editedAt);
  edit("'A gateway that", "title + '");
  edit('import { settleAfterStart }', "import { title } from './added.ts';\nimport { settleAfterStart }");
  return file;
}

test('the first start bundles, later ones use that, and no edit is ignored', () => {
  const file = addImportedFile();
  expect(start()).toMatchObject({ main: 'bundle', stdout: expect.stringContaining('A gateway that') });
  const [first, ...others] = bundles();
  expect(others).toEqual([]);
  expect(start().main).toBe('bundle');
  expect(bundles()).toEqual([first]);
  // An edit that keeps the size and the time.
  const { mtimeMs, size } = statSync(file);
  edit('A gateway that', 'A GATEWAY THAT', file);
  utimesSync(file, editedAt, editedAt);
  expect(statSync(file)).toMatchObject({ size, mtimeMs });
  expect(start()).toMatchObject({ main: 'bundle', stdout: expect.stringContaining('A GATEWAY THAT') });
  // A running server may load a part of an earlier bundle.
  expect(bundles()).toContain(first);
  expect(bundles()).toHaveLength(2);
});

test('sources that cannot be bundled say so, as they do themselves', () => {
  edit("from './output.ts'", "from './none.ts'");
  expect(() => start()).toThrow(/none\.ts/);
});

test('without the bundler the sources start, and nothing is written', () => {
  rmSync(join(checkout, 'node_modules/rolldown'));
  expect(start()).toMatchObject({ main: 'sources', stdout: expect.stringContaining('A gateway that') });
  expect(existsSync(join(checkout, '.cache/program'))).toBe(false);
});

test('without the scripts the sources start', () => {
  rmSync(join(checkout, 'scripts'), { recursive: true });
  expect(start().main).toBe('sources');
});

const otherUser = 65_534;

test('who cannot write starts the bundle that there is, or the sources; four earlier bundles stay', () => {
  // Any other user than root.
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: otherUser } : {};
  if (!isRoot) chmodSync(checkout, 0o555);
  const { main, stderr } = start(['--version'], as);
  expect(main).toBe('sources');
  expect(stderr).not.toMatch(/EACCES|EROFS/);
  if (!isRoot) chmodSync(checkout, 0o755);
  // Bundles of earlier revisions, the newest first.
  const earlier = ['e', 'd', 'c', 'b', 'a', 'f'];
  for (const [age, name] of earlier.entries()) {
    const folder = join(checkout, '.cache/program', name);
    mkdirSync(folder, { recursive: true });
    const at = Date.now() / 1000 - 60 * (age + 1);
    utimesSync(folder, at, at);
  }
  start();
  expect(bundles()).toHaveLength(5);
  expect(bundles()).toEqual(expect.arrayContaining(earlier.slice(0, 4)));
  if (!isRoot) chmodSync(join(checkout, '.cache/program'), 0o555);
  expect(start(['--version'], as).main).toBe('bundle');
  edit('A gateway that', 'An edited gateway that');
  expect(start(['--help'], as)).toMatchObject({ main: 'sources', stdout: expect.stringContaining('An edited') });
  if (!isRoot) chmodSync(join(checkout, '.cache/program'), 0o755);
});
