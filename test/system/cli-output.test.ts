/** A reader that leaves early ends a command quietly with 141 (128 + SIGPIPE), and a secret that is printed once is not lost. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, basic, type Production, prepareProduction, type Variables } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const program = join(import.meta.dirname, '../../bin/triglyph.mjs');
const folder = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(() => folder.discard());

interface Piped {
  readonly status: number;
  /** What the reader printed. */
  readonly output: string;
  readonly errors: string;
}

/** Runs `triglyph ... | reader` in a shell. */
async function pipe(command: readonly string[], reader: string, variables: Variables = {}): Promise<Piped> {
  const script = `"$@" | ${reader}; echo "\${PIPESTATUS[0]}" >&3`;
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, program, ...command], {
    cwd: folder.path,
    env: {
      PATH: process.env.PATH,
      ADMIN_PORT: '0',
      PORT: '0',
      HOST: '127.0.0.1',
      ...production.variables,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [output, errors, status] = await Promise.all(
    [child.stdout!, child.stderr!, child.stdio[3]!].map((each) => text(each as NodeJS.ReadableStream)),
  );
  return { status: Number(status), output: output!, errors: errors! };
}

test('credential add | head -2 shows the secret', async () => {
  const { status, output, errors } = await pipe(
    ['credential', 'add', 'Acme', '--username', 'head@Company.Acme', '--account', 'AcmeWeb'],
    'head -2',
  );
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  expect(output).toMatch(/^username {4}head@Company\.Acme\nsecret {6}\S{32}\n$/);
});

test.each([
  [['--help']],
  [['--version']],
  [['check']],
  [['wsdl']],
  [['openapi']],
  [['migrate']],
  [['credential', 'list']],
  [['credential', 'add', 'Acme', '--username', 'closed@Company.Acme', '--account', 'AcmeWeb']],
  [['credential', 'merchant-account', 'list']],
  [['keys', 'status']],
  [['webhooks', 'endpoint', 'list']],
])('%j into a closed pipe ends quietly with 141', async (command) => {
  expect(await pipe(command, 'exec 0<&-')).toEqual({ status: 141, output: '', errors: '' });
});

test('a full disk is reported in one line', async () => {
  const script = ['-c', '"$@" > /dev/full', 'bash', process.execPath, program, 'wsdl'];
  const child = spawn('bash', script, { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] });
  const [message, code] = await Promise.all([
    text(child.stderr!),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  expect([code, message]).toEqual([1, 'triglyph: standard output: the disk is full\n']);
});

test.each(['serve', 'demo'] as const)(
  '%s whose log reader leaves drains and ends quietly with 141',
  async (command) => {
    const ready = join(folder.path, `${command}-ready`);
    const variables = command === 'demo' ? { DATA_DIR: join(folder.path, 'demo'), KEY_FILE: '' } : production.variables;
    const lastLine = command === 'demo' ? 'The demo is ready' : '"ready"';
    const over = pipe([command], `sed '/${lastLine}/q' | tee ${ready}`, variables);
    const address = /callers(?: at |":")(http:\/\/[^\s",]+:\d+)/;
    const shown = () => (existsSync(ready) ? readFileSync(ready, 'utf8') : '');
    await until('the ready line', () => address.test(shown()));
    const callers = address.exec(shown())![1]!;
    const { username, secret } = production.credential;
    const input = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
    // The line of this request finds no reader.
    expect((await ask(callers, 'listRecurringDetails', input, basic(username, secret))).status).toBeGreaterThanOrEqual(
      200,
    );
    expect(await over).toMatchObject({ status: 141, errors: '' });
  },
);
