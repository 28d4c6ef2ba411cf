/** Tests the third example of the README: one command starts a JSON server and the gateway in front of it; PHP calls it in SOAP. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Started, startTriglyph } from '../support/commands.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const command: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts['demo:upstream'];

const folder = tempFolder();
let started: Started;
let callers = '';
beforeAll(async () => {
  const [, file = ''] = /^exec node (\S+)$/.exec(command) ?? [];
  // The variables of the tests have the ports.
  const parameters = ['--data', join(folder.path, 'data')];
  started = startTriglyph(parameters, folder.path, {}, join(root, file));
  await until(
    () => started.received,
    () => started.received.stdout.includes('Ctrl-C stops both.'),
  );
  callers = /gateway in front of it at (\S+)\. /.exec(started.received.stdout)![1]!;
});
afterAll(async () => {
  started.child.kill('SIGTERM');
  expect(await started.over).toBe(0);
  folder.discard();
});

/** The blocks below the heading of the example. */
const [, example = ''] = /\n## In front of your server\n([\s\S]*?)\n## /.exec(readme) ?? [];
const php = /```php\n([\s\S]*?)```/.exec(example)?.[1] ?? '';
const printed = /```text\n([\s\S]*?)```/.exec(example)?.[1] ?? '';

test('PORT chooses the port, as for every server, and an option overrides it', async () => {
  expect(new URL(callers).port).not.toBe('8080');
  const [, file = ''] = /^exec node (\S+)$/.exec(command) ?? [];
  const parameters = ['--port', '0', '--data', join(folder.path, 'other')];
  const other = startTriglyph(parameters, folder.path, { PORT: new URL(callers).port }, join(root, file));
  await until(
    () => other.received,
    () => other.received.stdout.includes('Ctrl-C stops both.') || other.child.exitCode !== null,
  );
  expect(other.received.stderr).toBe('');
  other.child.kill('SIGTERM');
  expect(await other.over).toBe(0);
});

test('the README has the command and the program', () => {
  expect(example).toContain('npm ci && npm run demo:upstream');
  expect(php).toContain('new SoapClient(');
});

test('the PHP program of the README prints what the README shows', async () => {
  const program = php.replaceAll('http://127.0.0.1:8080', callers).replace(/^<\?php\n/, '');
  const { stdout } = await run('php', ['-r', program]);
  expect(stdout).toBe(printed);
});

describe('on Redis alone', () => {
  const clean = tempFolder();
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.stop();
    clean.discard();
  });

  test('the README has the command; the program prints the same, and retries have their effect once', async () => {
    expect(example.replaceAll('\n', ' ')).toContain('REDIS_STORE_URL=redis://127.0.0.1:6379 npm run demo:upstream');
    const [, file = ''] = /^exec node (\S+)$/.exec(command) ?? [];
    const variables = { REDIS_STORE_URL: redis.url };
    const other = startTriglyph([], clean.path, variables, join(root, file));
    try {
      await until(
        () => other.received,
        () => other.received.stdout.includes('Ctrl-C stops both.') || other.child.exitCode !== null,
      );
      const address = /gateway in front of it at (\S+)\. /.exec(other.received.stdout)?.[1] ?? '';
      const { stdout } = await run('php', [
        '-r',
        php.replaceAll('http://127.0.0.1:8080', address).replace(/^<\?php\n/, ''),
      ]);
      expect(stdout).toBe(printed);
      const disable = async (format: 'json' | 'form') => {
        const members = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
        const response = await fetch(`${address}/pal/servlet/Recurring/v25/disable`, {
          method: 'POST',
          headers: {
            Authorization: `Basic ${btoa('ws@Company.Demo:demo-password')}`,
            'Content-Type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
            'Idempotency-Key': 'of-the-readme',
          },
          body: format === 'json' ? JSON.stringify(members) : new URLSearchParams(members).toString(),
        });
        await response.text();
        return [response.status, response.headers.get('idempotent-replayed')];
      };
      expect(await disable('json')).toEqual([200, null]);
      expect(await disable('form')).toEqual([200, 'true']);
      expect(readdirSync(clean.path)).toEqual(['upstream-demo.keys']);
      expect(await redis.raw.keys('idem:r1:*')).toHaveLength(1);
    } finally {
      other.child.kill('SIGTERM');
      expect(await other.over).toBe(0);
    }
  });
});

test('the command prints a PHP program that works', async () => {
  const program = /<\?php\n([\s\S]*?)\n\n/.exec(started.received.stdout)![1]!;
  const { stdout } = await run('php', ['-r', program]);
  expect(stdout).toContain('[variant] => visa');
});

test('a refusal of the JSON server is a SOAP fault, and a wrong password its 401', async () => {
  const client = (password: string) =>
    `new SoapClient('${callers}/pal/servlet/Recurring/v25?wsdl', ['login' => 'ws@Company.Demo', 'password' => '${password}'])`;
  const call = `disable(['request' => ['merchantAccount' => 'DemoMerchant', 'shopperReference' => 'nobody']])`;
  const fault = (password: string) =>
    run('php', [
      '-r',
      `try { (${client(password)})->${call}; } catch (SoapFault $fault) { echo $fault->getMessage(); }`,
    ]);
  expect((await fault('demo-password')).stdout).toBe('validation 800 Contract not found');
  expect((await fault('wrong')).stdout).toContain('Unauthorized');
});
