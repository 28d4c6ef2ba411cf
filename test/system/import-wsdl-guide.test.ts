/** Follows docs/import-wsdl.md: imports the WSDL of its example, and runs the service. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTriglyph } from '../support/commands.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { freePort } from '../support/listen-locally.ts';
import { serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/import-wsdl.md'), 'utf8');

const block = (start: string): string =>
  new RegExp(`^\`\`\`${start}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(guide)?.[1] ?? '';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'Greetings.wsdl'), block('xml Greetings.wsdl'));
  writeFileSync(join(folder.path, 'serve.ts'), block('ts serve.ts'));
});
afterAll(() => {
  rmSync(join(folder.path, 'node_modules'));
  folder.discard();
});

const program = (parameters: readonly string[]) =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', ...parameters], { cwd: folder.path });
const triglyph = (...parameters: readonly string[]) =>
  program([join(root, 'bin/triglyph.mjs'), 'import-wsdl', ...parameters]);

test('the command prints the report and writes the contract, and the service answers as the page shows', async () => {
  const { stdout, stderr } = await triglyph('Greetings.wsdl', '--out', 'contract.ts');
  expect(stdout).toBe('');
  expect(stderr.trimEnd()).toBe(block('text report'));
  expect(readFileSync(join(folder.path, 'contract.ts'), 'utf8').trimEnd()).toBe(block('ts contract.ts'));
  const served = await program(['--import', join(root, 'scripts/own-package.mjs'), 'serve.ts']);
  expect(served.stdout.trim()).toBe(block('text'));
});

const wsdls = ['wsdl/Recurring-v68', 'wsdl/Recurring-v25', 'test/wsdl/asmx', 'test/wsdl/jaxws', 'test/wsdl/nusoap'];
test.each(wsdls)('the contract of %s as text is the one that was imported', async (name) => {
  const file = join(root, `${name}.wsdl`);
  await triglyph(file, '--out', 'written.ts');
  const script = `import { contract } from './written.ts';
    console.log(JSON.stringify({ ...contract, operations: [...contract.operations] }));`;
  writeFileSync(join(folder.path, 'print.ts'), script);
  const { stdout } = await program(['--import', join(root, 'scripts/own-package.mjs'), 'print.ts']);
  const { service } = await importWsdl(file, { allowNetwork: false });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify({ ...service, operations: [...service.operations] })));
});

test('what else works is printed as the page shows', async () => {
  const project = join(folder.path, 'project');
  mkdirSync(project, { recursive: true });
  const wsdl = join(folder.path, 'Greetings.wsdl');
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = ['--port', `${port}`, '--admin-port', `${adminPort}`];
  const mock = startTriglyph(['mock', '--wsdl', wsdl, ...ports], folder.path, {});
  await until(
    () => mock.received,
    () => mock.received.stdout.includes('The mock is ready'),
  );
  const gateway = await serve(['--wsdl', wsdl, '--upstream', `http://127.0.0.1:${port}`, '--save', project], project);
  const commands = block('sh commands').replaceAll('http://127.0.0.1:8080', gateway.callers);
  const alias = `triglyph() { ${process.execPath} ${join(root, 'bin/triglyph.mjs')} "$@"; }`;
  const { stdout } = await run('sh', ['-e', '-c', `${alias}\n${commands}`], { cwd: project });
  expect(stdout.trim()).toBe(block('text printed'));
  await gateway.stop();
  mock.child.kill();
  await mock.over;
});

test('--strict fails where something is left out, and writes nothing', async () => {
  await expect(triglyph('Greetings.wsdl', '--strict', '--out', 'strict.ts')).rejects.toMatchObject({ code: 1 });
  expect(() => readFileSync(join(folder.path, 'strict.ts'))).toThrow('ENOENT');
});

test('--json reports every finding with its place', async () => {
  const { stderr } = await triglyph('Greetings.wsdl', '--json', '--out', 'contract.ts');
  expect(JSON.parse(stderr)).toMatchObject({
    service: 'Greetings',
    operations: ['Greet'],
    findings: [
      { kind: 'refused', file: 'Greetings.wsdl', line: 9, column: 13 },
      { kind: 'check', line: 23 },
    ],
  });
});

test('a file that is no WSDL is an error without a stack', async () => {
  const failed = triglyph('package.json');
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: 'triglyph: package.json:1:17: not well-formed\n' });
});

test('control characters of a WSDL do not reach the terminal', async () => {
  // CSI as one character, and an override of the direction of text.
  const text = 'a&#x9b;2Jb&#x202e;c';
  const wsdl = block('xml Greetings.wsdl').replace('name="PersonName"', `name="PersonName" default="${text}"`);
  writeFileSync(join(folder.path, 'hostile.wsdl'), wsdl.replace('Greets people.', text));
  for (const option of ['--strict', '--json']) {
    const { stdout, stderr } = await triglyph('hostile.wsdl', option).catch((failed) => failed);
    if (option === '--json') expect(stdout).toContain("doc: 'a\\u009b2Jb\\u202ec',");
    expect(stderr).toContain('the default value a\\u009b2Jb\\u202ec is not applied');
    expect(stdout + stderr).not.toMatch(/[\p{C}--\n]/v);
  }
  const named = block('xml Greetings.wsdl').replace('port name="Greeter"', 'port name="a&#x9b;2J"');
  writeFileSync(join(folder.path, 'hostile.wsdl'), named);
  await expect(triglyph('hostile.wsdl', '--port', 'none')).rejects.toMatchObject({
    stderr: 'triglyph: no such port of SOAP; there is Greetings/a\\u009b2J\n',
  });
});
