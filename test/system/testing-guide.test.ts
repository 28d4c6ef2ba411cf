/** Runs the code of docs/testing.md and the PHP example. The examples of Jest and Vitest are tests of their own. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const blocks = [...guide.matchAll(/^```(ts|sh)[^\n]*\n([\s\S]*?)\n```\n```text\n([\s\S]*?)\n```$/gm)].map(
  ([, language, code, printed]) => ({ language: language!, code: code!, printed: printed! }),
);
const block = (language: string) => blocks.find((each) => each.language === language)!;

const folder = tempFolder();
let demo: Server;
beforeAll(async () => {
  demo = await startServer('demo', folder.path, {}, { parameters: ['--fresh', '--test-api'] });
});
afterAll(async () => {
  await demo.stop();
  folder.discard();
});

test('every block of code is a program or its output', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['ts', 'sh']);
  expect(guide.match(/^```\w/gm)).toHaveLength(2 * blocks.length);
});

test('the program in the process of the test prints what the page shows', async () => {
  const { code, printed } = block('ts');
  const own = join(folder.path, 'program');
  mkdirSync(own);
  symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'));
  writeFileSync(join(own, 'package.json'), '{"type":"module"}');
  writeFileSync(join(own, 'in-process.ts'), code);
  const hooks = join(root, 'scripts/own-package.mjs');
  const parameters = ['--disable-warning=ExperimentalWarning', '--import', hooks, 'in-process.ts'];
  const { stdout } = await run(process.execPath, parameters, { cwd: own });
  rmSync(join(own, 'node_modules'));
  expect(stdout.trim()).toBe(printed);
});

/** The time of the machine and the names of all operations are not those of the page. */
const alike = (line: string) => line.replace(/20\d\d-1[12]-[^"]*/, 'NOW').replace(/one of [^"]*/, 'one of OPERATIONS');

test('the calls of the test API are answered as the page shows', async () => {
  const { code, printed } = block('sh');
  const { stdout } = await run('sh', ['-e', '-c', code.replaceAll('http://127.0.0.1:9090', demo.admin)]);
  expect(stdout.trim().split('\n').map(alike)).toEqual(printed.split('\n').map(alike));
});

test('the example in PHP passes, and a wrong expectation in it fails', async () => {
  const examples = join(root, 'examples/php');
  const env = { PATH: process.env.PATH, TRIGLYPH_CALLERS: demo.callers, TRIGLYPH_ADMIN: demo.admin };
  const runPhp = (file: string) => run('php', [join(root, 'test/support/phpunit.php'), file], { env });
  const { stdout } = await runPhp(join(examples, 'SubscriptionsTest.php'));
  expect(stdout.match(/^passed /gm)).toHaveLength(4);
  const wrong = join(folder.path, 'SubscriptionsTest.php');
  const text = readFileSync(join(examples, 'SubscriptionsTest.php'), 'utf8');
  writeFileSync(
    wrong,
    text
      .replace("__DIR__ . '/Gateway.php'", `'${join(examples, 'Gateway.php')}'`)
      .replace("assertSame('disable'", "assertSame('enable'")
      .replace("'answer' => 'internal']", "'answer' => 'internal', 'rate' => 0]"),
  );
  const failed = await runPhp(wrong).catch((thrown: { stdout: string }) => thrown);
  expect(failed.stdout.match(/^failed \w+/gm)).toEqual([
    'failed testCancelsTheSubscriptionsOfAShopper',
    'failed testAFailureOfTheGatewayIsASoapFault',
  ]);
});
