/** Builds the package a second time, elsewhere and later: the tarball has the same bytes. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { packPackage } from '../support/packed-package.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = tempFolder();
afterAll(() => folder.discard());

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The files of a package, each with its hash and its mode. */
function filesOf(packed: string): ReadonlyMap<string, string> {
  const files = globSync('**/*', { cwd: packed }).filter((file) => statSync(join(packed, file)).isFile());
  return new Map(
    files.map((file) => [file, `${hashOf(join(packed, file))} ${statSync(join(packed, file)).mode.toString(8)}`]),
  );
}

/** The names of the files that only one of the two has, or that differ. */
function differences(one: string, other: string): readonly string[] {
  const [left, right] = [filesOf(one), filesOf(other)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => left.get(name) !== right.get(name)).sort();
}

/** A checkout without what was built in it. */
function checkout(place: string): void {
  mkdirSync(place, { recursive: true });
  const built = /^(?:\.cache|\.git|coverage|data|dist|node_modules)$/;
  for (const name of readdirSync(root).filter((each) => !built.test(each)))
    cpSync(join(root, name), join(place, name), { recursive: true });
  // Links, where both are on one file system.
  const from = join(root, 'node_modules');
  try {
    execFileSync('cp', ['-al', from, place], { stdio: 'ignore' });
  } catch {
    rmSync(join(place, 'node_modules'), { recursive: true, force: true });
    execFileSync('cp', ['-a', from, place]);
  }
}

function pack(place: string): { readonly file: string; readonly folder: string } {
  const into = join(place, 'packed');
  mkdirSync(into);
  const env = { ...process.env, TZ: 'Asia/Tokyo', LC_ALL: 'C', LANG: 'C', NODE_COMPILE_CACHE: '' };
  execFileSync('sh', ['-c', 'umask 077 && exec npm pack --pack-destination packed'], {
    cwd: place,
    env,
    stdio: 'ignore',
  });
  const file = join(into, readdirSync(into).find((name) => name.endsWith('.tgz'))!);
  execFileSync('tar', ['-xpzf', file, '-C', into]);
  return { file, folder: join(into, 'package') };
}

test('two builds in two folders, at two times, with other settings of the machine, are one package', async () => {
  const place = join(folder.path, 'a/longer/path');
  checkout(place);
  const [first, second] = [await packPackage(), pack(place)];
  expect(differences(first.folder, second.folder)).toEqual([]);
  expect(hashOf(second.file)).toBe(hashOf(first.file));
  // The control: a build that writes its time into a file.
  appendFileSync(join(second.folder, 'dist/main.js'), `// ${new Date().toISOString()}\n`);
  expect(differences(first.folder, second.folder)).toEqual(['dist/main.js']);
});
