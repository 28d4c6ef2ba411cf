/** Runs the commands of docs/callers.md on the records of a server, and compares what they print with what the page shows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { protocolNames } from '../../src/core/formats/wire-formats.ts';
import { triglyph } from '../support/commands.ts';
import { basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/callers.md'), 'utf8');
const [config] = /(?<=^```ts\n)[\s\S]*?(?=\n```$)/m.exec(guide) ?? [];
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)\n```\n```(?:text|json|php)\n([\s\S]*?)\n```$/gm)].map(
  ([, command, printed]) => [command!, printed!] as const,
);
const [headers] = /(?<=^```text\n)Deprecation: [\s\S]*?(?=\n```$)/m.exec(guide) ?? [];
const [block] = /(?<=^```xml\n)[\s\S]*?(?=\n```$)/m.exec(guide) ?? [];

const folder = tempFolder();
let production: Production;
let answer: Response;
let body: string;

const card =
  '<r:card><p:number>4111111111111111</p:number><p:expiryMonth>3</p:expiryMonth><p:expiryYear>2030</p:expiryYear>' +
  '<p:holderName>Anna van Dijk</p:holderName><p:cvc>737</p:cvc></r:card>';
const storeToken =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:r="http://recurring.services.adyen.com"' +
  ' xmlns:p="http://payment.services.adyen.com"><s:Body><r:storeToken><r:request>' +
  '<r:merchantAccount>AcmeWeb</r:merchantAccount><r:shopperReference>shopper-1</r:shopperReference>' +
  `<r:recurring><p:contract>RECURRING</p:contract></r:recurring>${card}` +
  '</r:request></r:storeToken></s:Body></s:Envelope>';

beforeAll(async () => {
  production = await prepareProduction(folder.path);
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'triglyph.config.ts'), config!);
  const { username, secret } = production.credential;
  const server = await startServer('serve', folder.path, production.variables);
  const send = (path: string, type: string, content: string, also: Readonly<Record<string, string>>) =>
    fetch(`${server.callers}/pal/servlet/Recurring/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': type, Authorization: basic(username, secret), ...also },
      body: content,
    });
  const form = 'merchantAccount=AcmeWeb&shopperReference=shopper-2';
  await send('v25/disable', 'application/x-www-form-urlencoded', form, { 'User-Agent': 'libwww-perl/6.72' });
  const php = { 'User-Agent': 'PHP-SOAP/8.2.7', SOAPAction: '"storeToken"' };
  answer = await send('v12', 'text/xml; charset=utf-8', storeToken, php);
  body = await answer.text();
  expect(await server.stop()).toBe(0);
});
afterAll(() => folder.discard());

/** Ids and times are not those of the page. */
const alike = (text: string) =>
  text
    .replaceAll(/\b[0-9a-f]{16}\b/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();

test('the page has the commands', () => expect(blocks.length).toBe(3));

test.each(blocks)('%s', async (command, printed) => {
  const { stdout: list } = await triglyph(
    ['callers', '--format', 'soap11', '--json'],
    folder.path,
    production.variables,
  );
  const [{ id }] = JSON.parse(list) as [{ id: string }];
  const [program, ...parameters] = command.replace(/\b[0-9a-f]{16}\b/, id).split(' ');
  expect(program).toBe('triglyph');
  const { stdout } = await triglyph(parameters, folder.path, production.variables);
  expect(alike(stdout)).toBe(alike(printed));
});

describe('the answer to a deprecated call', () => {
  test('has the headers of the page', () => {
    const names = headers!.split('\n').map((line) => line.split(': ')[0]!);
    expect(names.map((name) => `${name}: ${answer.headers.get(name)}`).join('\n')).toBe(headers);
  });

  test('has the header block of the page', () => {
    expect(answer.status).toBe(200);
    const [start, end] = block!.split('...');
    expect(body).toContain(start!);
    expect(body).toContain(end!);
  });
});

test('check accepts the configuration, and names every format that it may have', async () => {
  const { code } = await triglyph(['check'], folder.path, production.variables);
  expect(code).toBe(0);
  for (const name of protocolNames.filter((each) => each.startsWith('soap'))) expect(guide).toContain(name);
});
