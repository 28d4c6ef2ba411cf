/** Tests a closed output pipe: commands exit with 141 (128 + SIGPIPE), servers keep running, and no secret is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { program, type Variables } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

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

const environment = (variables: Variables) => ({
  PATH: process.env.PATH,
  ADMIN_PORT: '0',
  PORT: '0',
  HOST: '127.0.0.1',
  ...production.variables,
  ...variables,
});

/** Runs `triglyph ... | reader` in a shell. */
async function pipe(command: readonly string[], reader: string, variables: Variables = {}): Promise<Piped> {
  const script = `"$@" | ${reader}; echo "\${PIPESTATUS[0]}" >&3`;
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, program, ...command], {
    cwd: folder.path,
    env: environment(variables),
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
])('%j into a closed pipe exits with 141 and prints nothing', async (command) => {
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
  '%s keeps serving after its log reader closes the pipe and stops on SIGTERM',
  async (command) => {
    const variables = command === 'demo' ? { DATA_DIR: join(folder.path, 'demo'), KEY_FILE: '' } : production.variables;
    const child = spawn(process.execPath, [program, command], { cwd: folder.path, env: environment(variables) });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const errors = text(child.stderr);
    const ended = once(child, 'close');
    try {
      const address = /callers(?: at |":")(http:\/\/[^\s",]+:\d+)/;
      const lastLine = command === 'demo' ? 'The demo is ready' : '"ready"';
      await until('the ready line', () => output.includes(lastLine) && address.test(output));
      child.stdout.destroy();
      const callers = address.exec(output)![1]!;
      const { username, secret } = production.credential;
      const input = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
      const status = command === 'demo' ? 401 : 200;
      // The log is written every half second, so the later requests come after the failed write.
      for (let request = 0; request < 5; request += 1) {
        expect((await ask(callers, 'listRecurringDetails', input, basic(username, secret))).status).toBe(status);
        await wait(250);
      }
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(await errors).toMatch(/^triglyph: standard output: .*\n$/);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
