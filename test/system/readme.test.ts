/** Runs the calls of the README and of two guides against the demo, and compares the responses, except for installation-specific values. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const read = (page: string): string => readFileSync(join(import.meta.dirname, '../..', page), 'utf8');

/** Each call with the response printed below it. */
const printed = ['README.md', 'docs/exactly-once.md'].flatMap((page) =>
  [...read(page).matchAll(/^```\n(curl [\s\S]*?)\n```\n```\w*\n([\s\S]*?)\n```$/gm)].map(
    ([, call, answer]) => [page, /Content-Type: ([a-z/-]+)/.exec(call!)?.[1], call!, answer!] as const,
  ),
);

/** Removes references, dates and aliases, which differ by installation, and the line breaks of the printed SOAP. */
const alike = (answer: string): string =>
  answer
    .replace(/>\n</g, '><')
    .replace(/\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d\1\d\d(\.\d{3})?(\+|%2B)\d\d\1\d\d/g, 'DATE')
    .replace(/\b[A-Z0-9]{16}\b/g, 'REFERENCE');

const folder = tempFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer('demo', folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.discard();
});

test('the README has a call in each format, and another page a retry', () => {
  expect(printed.map(([page, type]) => [page, type])).toEqual([
    ['README.md', 'application/json'],
    ['README.md', 'application/x-www-form-urlencoded'],
    ['README.md', 'text/xml'],
    ['docs/exactly-once.md', 'application/json'],
    ['docs/exactly-once.md', 'application/x-www-form-urlencoded'],
  ]);
});

test('the README has at most 150 lines', () => {
  expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(150);
});

test.each(printed)('%s: %s', async (_page, _type, call, answer) => {
  const { stdout } = await run('sh', ['-c', call.replace('http://127.0.0.1:8080', server.callers)]);
  expect(alike(stdout)).toBe(alike(answer));
});

test('the balance platform walkthrough prints what its page shows', async () => {
  const page = read('docs/balance-platform.md');
  const walk = /^```sh\n(api=[\s\S]*?)\n```$/m.exec(page)![1]!;
  const refusal = /^```json\n(\{"type":"https[\s\S]*?)\n```$/m.exec(page)![1]!;
  const { stdout } = await run('sh', ['-c', walk.replace('http://127.0.0.1:8080', server.callers)]);
  expect(alike(stdout).trim().split('\n')).toEqual(['active', 'active', 'closed', 'closed', alike(refusal)]);
});

test('the calls leave the data that the README shows', async () => {
  const { answer } = await ask(server.callers, 'listRecurringDetails', {
    merchantAccount: 'DemoMerchant',
    shopperReference: 'shopper-1',
  });
  const details = answer.details as readonly { readonly RecurringDetail: { readonly variant: string } }[];
  expect(details.map(({ RecurringDetail }) => RecurringDetail.variant)).toEqual(['visa', 'mc', 'sepadirectdebit']);
});
