/** Tests the import check: it accepts the sources and reports every kind of violation seeded in a copy. */
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const copy = tempFolder();
afterAll(() => copy.discard());

function checkImports(folder: string): { readonly status: number | null; readonly output: string } {
  const flags = ['--disable-warning=ExperimentalWarning', join(root, 'scripts/imports.mjs'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8', env: {} });
  return { status, output: stdout + stderr };
}

const violations: readonly { readonly rule: string; readonly file: string; readonly source: string }[] = [
  {
    rule: 'imports-of-core/lib',
    file: 'core/lib/planted.ts',
    source: "import type { Operation } from '../contract/index.ts';\nexport type Planted = Operation;\n",
  },
  {
    rule: 'imports-of-core/contract',
    file: 'core/contract/planted.ts',
    source: "import { services } from '../../payments/index.ts';\nexport { services };\n",
  },
  {
    rule: 'imports-of-core/gateway',
    file: 'core/gateway/planted-format.ts',
    source: "import { envelope } from '../formats/planted/codec.ts';\nexport { envelope };\n",
  },
  {
    rule: 'imports-of-payments',
    file: 'payments/planted.ts',
    source: "import { erase } from '../backend/erase.ts';\nexport { erase };\n",
  },
  {
    rule: 'imports-of-stores',
    file: 'stores/planted.ts',
    source: "import { parse } from '../core/xml/parse.ts';\nexport { parse };\n",
  },
  {
    rule: 'services-do-not-import-each-other',
    file: 'payments/recurring/planted.ts',
    source: "import { v2 } from '../balance-platform/v2.ts';\nexport { v2 };\n",
  },
  {
    rule: 'boundary-of-koa',
    file: 'core/gateway/planted.ts',
    source: "import Koa from 'koa';\nexport const app = new Koa();\n",
  },
  {
    rule: 'boundary-of-node:sqlite',
    file: 'core/vault/planted.ts',
    source: "import { DatabaseSync } from 'node:sqlite';\nexport { DatabaseSync };\n",
  },
  {
    rule: 'no-cycles',
    file: 'stores/jobs/planted-one.ts',
    source: "import { two } from './planted-two.ts';\nexport const one = () => two;\n",
  },
  {
    rule: 'no-cycles',
    file: 'console/traffic/planted.tsx',
    source: "import type { Two } from '../page/planted.ts';\nexport interface One {\n  readonly two: Two;\n}\n",
  },
  {
    rule: 'everything-resolves',
    file: 'http/planted.ts',
    source: "export { gone } from './gone.ts';\n",
  },
  {
    rule: 'no-undeclared-library',
    file: 'backend/import/planted.ts',
    source: "import Ajv from 'ajv';\nexport { Ajv };\n",
  },
  { rule: 'no-orphans', file: 'core/lib/planted-orphan.ts', source: 'export const orphan = 1;\n' },
];

beforeAll(() => {
  cpSync(join(root, 'src'), join(copy.path, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy.path, 'package.json'));
  const write = (path: string, text: string) => writeFileSync(join(copy.path, 'src', path), text);
  for (const { file, source } of violations) write(file, source);
  write('stores/jobs/planted-two.ts', "import { one } from './planted-one.ts';\nexport const two = () => one;\n");
  write('console/page/planted.ts', "import type { One } from '../traffic/planted.tsx';\nexport type Two = One;\n");
  cpSync(join(root, 'src/core/lib/ids.ts'), join(copy.path, 'src/core/formats/planted/codec.ts'));
});

test('reports every seeded violation, and none in the sources', () => {
  const { status, output } = checkImports(copy.path);
  expect(status).toBe(1);
  const reported = violations.filter(({ rule, file }) => output.includes(`${rule}: src/${file} imports `));
  expect(reported).toEqual(violations);
  const importers = [...output.matchAll(/: src\/(\S+) imports /g)].map(([, file = '']) => file);
  expect(importers.filter((file) => !/\/planted\b/.test(file))).toEqual([]);
});
