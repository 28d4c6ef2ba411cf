/** Tests the files of the page: their size, their headers and their encodings. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { committedOpenApi } from '../../src/documents/committed.ts';
import { adminStatus } from '../support/admin-request.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { consoleV1 } from '../support/console-contract.ts';

const script = join(import.meta.dirname, '../../scripts/console-page.mjs');
let console: TestConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

test('the page is small', () => {
  const folder = execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim();
  const assets = join(folder, 'assets');
  const bytesOf = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0);
  const compressed = readdirSync(assets).filter((name) => name.endsWith('.br'));
  expect(compressed.length).toBeGreaterThan(3);
  expect(bytesOf(compressed)).toBeLessThan(200_000);
  const first = compressed.filter((name) => /^(?:main|styles|icon)-/.test(name));
  expect(bytesOf(first)).toBeLessThan(30_000);
});

test('the admin port names the console among its paths', async () => {
  const { status, body } = await console.ask('/');
  expect([status, JSON.parse(body)]).toEqual([
    404,
    { paths: ['/livez', '/readyz', '/readyz/reads', '/metrics', '/console'] },
  ]);
});

test('the document has a strict policy and holds no script or style', async () => {
  const { headers, body } = await console.ask('/console/traffic/anything');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  );
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(body).not.toMatch(/<style|style=|<script(?! type="module" src="\/console\/assets\/main-[\w-]+\.js">)/);
});

test('parts are cached for a year, compressed, and kept from pages of other sites', async () => {
  const { body } = await console.ask('/console');
  const [, path = ''] = /src="([^"]+)"/.exec(body) ?? [];
  const asked = async (headers: Record<string, string>) => console.ask(path, { headers });
  const br = await asked({ 'Accept-Encoding': 'gzip, br' });
  expect(Object.fromEntries(br.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    vary: 'Accept-Encoding',
  });
  const plain = await asked({ 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.body).toBe(br.body);
  expect((await asked({ 'Accept-Encoding': 'gzip, br;q=0' })).headers.get('content-encoding')).toBe('gzip');
  const foreign = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' };
  expect(await adminStatus(console.origin, path, foreign)).toBe(403);
  // A link of another site leads here.
  const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  expect(await adminStatus(console.origin, '/console', link)).toBe(200);
});

test.each([
  ['/console/assets/none.js', 'GET', 404],
  ['/console/manifest.json', 'GET', 200],
  ['/console', 'POST', 405],
  ['/console/session', 'PUT', 405],
  ['/console/api/openapi.json', 'DELETE', 405],
  ['/consoles', 'GET', 404],
] as const)('%s by %s: %i', async (path, method, status) => {
  const answer = await console.ask(path, { method });
  expect(answer.status).toBe(status);
  // Every other path below is the document.
  if (status === 200) expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('the OpenAPI of the service is served as the contract has it', async () => {
  const derived = JSON.parse(committedOpenApi(consoleV1).text);
  const served = JSON.parse((await console.ask('/console/api/openapi.json')).body);
  expect(served.servers).toEqual([{ url: `${console.origin}/console/api/v1` }]);
  const paths = new Set([...consoleV1.operations.values()].map(({ http }) => http?.path));
  expect(new Set(Object.keys(served.paths))).toEqual(paths);
  expect({ ...served, servers: [] }).toEqual({ ...derived, servers: [] });
});

test('the OpenAPI of the service is derived once, and has an entity tag', async () => {
  const fresh = await startConsole();
  const path = '/console/api/openapi.json';
  const visits = jest.spyOn(Object, 'entries');
  const { headers } = await fresh.ask(path);
  const derived = visits.mock.calls.length;
  const again = await fresh.ask(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  expect([again.status, again.body]).toEqual([304, '']);
  expect(derived).toBeGreaterThan(1_000);
  expect(visits.mock.calls.length - derived).toBeLessThan(100);
  await fresh.stop();
});
