/** Runs the examples in Python and Java against the mock that they name. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isInstalled } from '../support/interpreters.ts';
import { type Mock, startMock } from '../support/mock.ts';
import { tempFolder } from '../support/temp-folder.ts';

const execute = promisify(execFile);
const examples = join(import.meta.dirname, '../../examples');
const folder = tempFolder();
let mock: Mock;
beforeAll(async () => {
  mock = await startMock(join(examples, 'mock'), ['--wsdl', 'orders.wsdl']);
});
afterAll(async () => {
  await mock.stop();
  folder.discard();
});

/** Runs a program. Returns what it prints, also where it fails. */
async function run(
  program: string,
  ...parameters: readonly string[]
): Promise<{ readonly code: number; text: string }> {
  const env = { ...process.env, TRIGLYPH_CALLERS: mock.callers, TRIGLYPH_ADMIN: mock.admin };
  try {
    const { stdout, stderr } = await execute(program, parameters, { env });
    return { code: 0, text: stdout + stderr };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as {
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    };
    return { code, text: stdout + stderr };
  }
}

/** Writes an example with a wrong expectation. */
function wrong(file: string, from: string, to: string): string {
  const path = join(folder.path, file.split('/').at(-1)!);
  const text = readFileSync(join(examples, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  return path;
}

test('Python passes, and a wrong expectation in it fails', async () => {
  const python = (file: string) => run('/usr/bin/python3', file);
  expect(await python(join(examples, 'python/test_orders.py'))).toMatchObject({
    code: 0,
    text: expect.stringMatching(/Ran 4 tests[\s\S]*OK/),
  });
  const failing = wrong('python/test_orders.py', '[False, True, False]', '[False, False, False]');
  expect(await python(failing)).toMatchObject({ code: 1, text: expect.stringContaining('FAILED (failures=1)') });
});

// The JDK is larger than everything else that the tests install: `npm run interop` installs it.
if (isInstalled('java'))
  test('Java passes, and a wrong expectation in it fails', async () => {
    const java = (file: string) => run('java', '-XX:TieredStopAtLevel=1', file);
    const { code, text } = await java(join(examples, 'java/OrdersTest.java'));
    expect({ code, passed: text.match(/^passed .*$/gm) }).toEqual({
      code: 0,
      passed: [
        'passed creates an order',
        'passed a lost answer creates one order',
        'passed a declared fault',
        'passed the clock',
      ],
    });
    const failing = await java(
      wrong('java/OrdersTest.java', '"OrderId", -1).length == 2', '"OrderId", -1).length == 3'),
    );
    expect(failing).toMatchObject({ code: 1, text: expect.stringContaining('AssertionError') });
  });
