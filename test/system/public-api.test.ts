/** Tests that docs/api.md is the public API of the built package, so that no change of the API goes unseen. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packPackage } from '../support/packed-package.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = tempFolder();
let declarations: string;
beforeAll(async () => {
  declarations = join((await packPackage()).folder, 'dist');
});
afterAll(() => folder.discard());

const printApi = (dist: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/public-api/main.ts'), dist], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

/** The API of the package with one change in its declarations. */
const printChanged = (file: string, before: string, after: string) => {
  const dist = join(folder.path, `dist-${file.replaceAll('/', '-')}`);
  cpSync(declarations, dist, { recursive: true, filter: (path) => !/\.(?:js|map)$/.test(path) });
  const path = join(dist, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  writeFileSync(path, text.replace(before, after));
  return printApi(dist);
};

test('docs/api.md is the API of the package; `npm run api` accepts a change', () => {
  expect(printApi(declarations)).toEqual({
    status: 0,
    stdout: readFileSync(join(root, 'docs/api.md'), 'utf8'),
    stderr: '',
  });
});

test('a change of a signature changes the page', () => {
  const { status, stdout } = printChanged('program/app/create-gateway.d.ts', 'close(): Promise<void>', 'close(): void');
  expect(status).toBe(0);
  expect(stdout).toContain('  close(): void;');
});

test('a name in a signature that is not exported is a fault', () => {
  const changed = printChanged('program/api/index.d.ts', ', type ListenOptions', '');
  expect(changed).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'RunningGateway names ListenOptions, which no entry point exports\n',
  });
});

test('an exported name without a comment is a fault', () => {
  const changed = printChanged('program/testing/demo/built-in.d.ts', '/** The options of `builtIn`. */', '');
  expect(changed).toMatchObject({ status: 1, stderr: 'BuiltInOptions has no comment\n' });
});
