/** The check of imports finds nothing in the sources, and finds each kind of offence when it is planted in a copy. */
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { tempFolder } from '../support/server.ts';

const root = join(import.meta.dirname, '../..');
const copy = tempFolder();
afterAll(() => copy.discard());

const check = (folder: string) => {
  const flags = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/imports.mjs'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8', env: {} });
  return { status, said: stdout + stderr };
};

test('finds nothing in the sources', () => {
  expect(check(root)).toEqual({ status: 0, said: expect.stringMatching(/^\d+ files, \d+ imports, 0 forbidden\n$/) });
});

test('finds what is planted: wrong directions, types too; other doors; a cycle; what is not there', () => {
  cpSync(join(root, 'src'), join(copy.path, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy.path, 'package.json'));
  const plant = (path: string, text: string) => writeFileSync(join(copy.path, 'src', path), text);
  plant(
    'domain/planted.ts',
    "import type { Protocol } from '../protocol/protocol.ts';\nexport type Planted = Protocol;\n",
  );
  plant(
    'contract/planted.ts',
    "import { type Service, services } from '../api/index.ts';\nexport type S = Service;\nexport { services };\n",
  );
  plant('gateway/planted.ts', "import Koa from 'koa';\nexport const app = new Koa();\n");
  plant('vault/planted.ts', "import { DatabaseSync } from 'node:sqlite';\nexport { DatabaseSync };\n");
  plant('world/one.ts', "import { two } from './two.ts';\nexport const one = () => two;\n");
  plant('world/two.ts', "import { one } from './one.ts';\nexport const two = () => one;\n");
  plant('http/planted.ts', "export { gone } from './gone.ts';\n");
  const { status, said } = check(copy.path);
  expect(status).toBe(1);
  for (const line of [
    /^domain-imports-only-.*: src\/domain\/planted\.ts imports src\/protocol\/protocol\.ts$/m,
    /^contract-imports-only-itself: src\/contract\/planted\.ts imports src\/api\/index\.ts$/m,
    /^door-of-koa: src\/gateway\/planted\.ts imports node_modules\/koa/m,
    /^door-of-node:sqlite: src\/vault\/planted\.ts imports (node:)?sqlite$/m,
    /^no-cycles: src\/world\/one\.ts imports src\/world\/two\.ts$/m,
    /^everything-resolves: src\/http\/planted\.ts imports \.\/gone/m,
  ])
    expect(said).toMatch(line);
});
