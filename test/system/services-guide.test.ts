/** Runs the code of docs/services.md, and compares what it prints with what the page shows. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/services.md'), 'utf8');

/** Files by name, each with the output that the page shows after it. */
const files = [
  ...guide.matchAll(/^```ts (\S+)\n([\s\S]*?)\n```$(?:(?:(?!^```)[\s\S])*?^```text\n([\s\S]*?)\n```$)?/gm),
].map(([, name, code, printed]) => ({ name: name!, code: code!, printed }));
const programs = files.flatMap(({ name, printed }) => (printed === undefined ? [] : [[name, printed] as const]));

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  for (const { name, code } of files) writeFileSync(join(folder.path, name), code);
});
afterAll(() => {
  rmSync(join(folder.path, 'node_modules'));
  folder.discard();
});

test('every block of code is a file or an output', () => {
  expect(programs.map(([name]) => name)).toEqual([
    'short.ts',
    'serve.ts',
    'upstream-address.ts',
    'crash.ts',
    'without-a-port.ts',
    'mount-koa.ts',
    'mount-express.ts',
    'mount-fastify.ts',
  ]);
  expect(guide.match(/^```\w/gm)).toHaveLength(files.length + programs.length);
});

test.each(programs)('%s prints what the page shows', async (name, printed) => {
  const hooks = join(root, 'scripts/own-package.mjs');
  const parameters = ['--disable-warning=ExperimentalWarning', '--import', hooks, name];
  const { stdout } = await run(process.execPath, parameters, { cwd: folder.path });
  expect(stdout.trim()).toBe(printed);
});
