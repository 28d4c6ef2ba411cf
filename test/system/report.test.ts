/** The report of a migration on the command line and in the console, and that of a gateway without a database. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const path = (name: string): string => join(folder.path, name);
let production: Production;
const run = (...parameters: string[]) => triglyph(parameters, folder.path, production.variables);
const hostile = `<script>alert(1)</script>"'\u202e`;

beforeAll(async () => {
  production = await prepareProduction(folder.path);
  const { username, secret } = production.credential;
  const server = await startServer('serve', folder.path, production.variables);
  const envelope = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
    <r:listRecurringDetails xmlns:r="http://recurring.services.adyen.com"><r:request><r:merchantAccount>AcmeWeb</r:merchantAccount>
    <r:shopperReference>one</r:shopperReference></r:request></r:listRecurringDetails></soap:Body></soap:Envelope>`;
  const ask = (authorization: string, agent: string, address = '/pal/servlet/Recurring/v25') => {
    const headers = { authorization, 'content-type': 'text/xml', 'user-agent': agent };
    return fetch(server.callers + address, { method: 'POST', headers, body: envelope });
  };
  expect((await ask(basic(username, secret), 'PHP-SOAP/<b>8</b>')).status).toBe(200);
  expect((await ask(basic('nobody', 'wrong'), 'scanner')).status).not.toBe(200);
  expect((await ask(basic(username, secret), 'PHP', '/pal/servlet/Recurring/v25/typo')).status).not.toBe(200);
  expect(await server.stop()).toBe(0);
});
afterAll(() => folder.discard());

test('owners are set by id and by username, and a credential that nobody has used is refused', async () => {
  const { username } = production.credential;
  const set = await run('callers', 'owner', 'set', username, '--name', hostile, '--address', 'anna@example.com');
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('is set.') });
  const { stdout } = await run('callers', 'owner', 'list', '--json');
  const [owner] = JSON.parse(stdout);
  expect(owner).toMatchObject({ username, name: hostile, address: 'anna@example.com' });
  expect((await run('callers', 'owner', 'list')).stdout).not.toMatch(/[^\n\P{C}]/u);
  const unknown = await run('callers', 'owner', 'set', 'cr_unknown', '--name', 'A', '--address', 'a');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no credential and no caller is called') });
  expect((await run('callers', 'owner', 'remove', 'cr_unknown')).code).toBe(1);
});

test('the report is the same as text, JSON, CSV and HTML', async () => {
  const { username } = production.credential;
  const text = await run('report');
  expect([text.code, text.stderr]).toEqual([0, '']);
  expect(text.stdout).toContain('Risk if it ended today: high');
  expect(text.stdout).toContain(
    'The report lacks differences: no upstream has a shadow, and no replay of a recording was saved',
  );
  expect(text.stdout).not.toMatch(/[^\n\P{C}]/u);
  const report = JSON.parse((await run('report', '--json')).stdout);
  expect(report.totals).toMatchObject({ credentials: 1, notBegun: 1, withoutOwner: 0, requests: 1, ending: 1 });
  expect(report.noise.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['noCredential', 'noOperation']);
  expect(report.createdAt).toMatch(/^\d{4}-.*Z$/);
  const csv = (await run('report', '--csv')).stdout;
  expect(csv).toContain(`,${username},`);
  const written = await run('report', '--html', '--out', 'report.html');
  expect(written).toMatchObject({ code: 0, stdout: 'The report is in report.html.\n' });
  expect(statSync(path('report.html')).mode & 0o777).toBe(0o600);
  const page = readFileSync(path('report.html'), 'utf8');
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script>');
  expect(page).not.toContain('<b>8</b>');
  expect(page).not.toContain('\u202e');
  expect(page).toContain(username);
});

test('the options of a group are those of its commands, too', async () => {
  const soap = await run('callers', 'readiness', '--format', 'soap11', '--json');
  expect(JSON.parse(soap.stdout)).not.toEqual([]);
  const form = await run('callers', 'readiness', '--format', 'form', '--json');
  expect(JSON.parse(form.stdout)).toEqual([]);
});

test('options that do not go together, and what is no report, are refused', async () => {
  expect((await run('report', '--html', '--csv')).code).toBe(2);
  expect((await run('report', '--out', 'x.html')).code).toBe(2);
  expect(existsSync(path('x.html'))).toBe(false);
  expect((await run('report', '--deprecation', 'dp_unknown')).code).toBe(1);
  expect((await run('report', '--weeks', '99')).code).not.toBe(0);
});

test('a gateway that stores nothing has a report that says what it lacks', async () => {
  const variables = { STATELESS: 'on', CALLER_RECORDS: 'off', AUDIT: 'off', KEY_FILE: production.variables.KEY_FILE! };
  const { code, stdout, stderr } = await triglyph(['report'], folder.path, variables);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('The report lacks callers, owners and comparisons: this gateway stores nothing');
});
