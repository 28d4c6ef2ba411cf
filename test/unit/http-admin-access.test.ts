/** Attacks the admin port by DNS rebinding, by pages of other sites and without the token, each with its control. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { type Admin, openAdmin } from '../../src/http/admin.ts';
import type { AdminAccess } from '../../src/http/admin-access.ts';
import { jsonPage } from '../../src/http/admin-page.ts';
import { adminStatus } from '../support/admin-request.ts';

let admin: Admin;
afterEach(() => admin.close());

async function open(access?: AdminAccess): Promise<string> {
  admin = await openAdmin({
    host: '127.0.0.1',
    port: 0,
    access,
    registry: { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: async () => 'triglyph_up 1\n' },
    readiness: async () => ({ ready: true, readyForReads: true, draining: false, probes: {} }),
    extension: async ({ path }) => (path === '/extension' ? jsonPage(200, {}) : undefined),
  });
  return `http://127.0.0.1:${admin.port}`;
}

const paths = ['/livez', '/readyz', '/metrics', '/extension', '/other'];

test('a name that leads a browser here by DNS rebinding is refused on every path; as a name of ADMIN_HOSTS it is not', async () => {
  const rebound = { Host: 'rebound.example.com:9090' };
  const statuses = (origin: string) => Promise.all(paths.map((path) => adminStatus(origin, path, rebound)));
  expect(await statuses(await open())).toEqual([403, 403, 403, 403, 403]);
  await admin.close();
  expect(await statuses(await open({ hosts: ['rebound.example.com'] }))).toEqual([200, 200, 200, 200, 404]);
});

test.each([
  ['127.0.0.1', 200],
  ['10.0.0.11:9090', 200],
  ['[::1]:9090', 200],
  ['localhost:9090', 200],
  ['LOCALHOST', 200],
  ['triglyph', 200],
  ['triglyph.internal:9090', 200],
  ['metrics.example.com', 200],
  ['METRICS.example.com:443', 200],
  ['metrics.example.com.evil.example', 403],
  ['evil.example', 403],
  ['evil.example.', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example', 403],
  ['evil.example#127.0.0.1', 403],
  ['127.0.0.1@evil.example', 403],
  ['1.2.3', 403],
  ['localhost#a', 403],
  ['a"b', 403],
  ['a,b', 403],
  ['a@b', 403],
  ['[::1', 403],
  ['a_b', 200],
])('Host %s: %i', async (host, status) => {
  const origin = await open({ hosts: ['metrics.example.com'] });
  expect(await adminStatus(origin, '/metrics', { Host: host })).toBe(status);
});

test.each([
  ['two Hosts, of which one is accepted', 'Host: 127.0.0.1\r\nHost: evil.example', 400],
  ['another coding', 'Host: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked', 400],
  ['one Host', 'Host: 127.0.0.1', 200],
])('a head with %s', async (_, headers, status) => {
  await open();
  const socket = connect(admin.port, '127.0.0.1');
  socket.write(`GET /metrics HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('a probe with HTTP/1.0 and no Host header is answered', async () => {
  await open();
  const socket = connect(admin.port, '127.0.0.1');
  socket.write('GET /readyz HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
  [{ 'Sec-Fetch-Site': 'same-site' }, 403],
  [{ Origin: 'https://evil.example' }, 403],
  [{ Origin: 'null' }, 403],
  [{ 'Sec-Fetch-Site': 'none' }, 200],
  [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
  [{}, 200],
])('a request with %o: %i', async (headers, status) => {
  expect(await adminStatus(await open(), '/metrics', headers)).toBe(status);
});

const token = 'correct-horse-battery';

test('with a token only probes are open; without one the same requests are answered', async () => {
  const withToken = await open({ hosts: [], token });
  const statuses = (origin: string, headers = {}) =>
    Promise.all(paths.map((path) => adminStatus(origin, path, headers)));
  expect(await statuses(withToken)).toEqual([200, 200, 401, 401, 401]);
  for (const wrong of ['', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, token])
    expect(await statuses(withToken, { Authorization: wrong })).toEqual([200, 200, 401, 401, 401]);
  expect(await statuses(withToken, { Authorization: `Bearer ${token}` })).toEqual([200, 200, 200, 200, 404]);
  const unauthorized = await fetch(`${withToken}/metrics`);
  expect(unauthorized.headers.get('www-authenticate')).toBe('Bearer realm="admin"');
  expect(await unauthorized.text()).not.toContain(token);
  await admin.close();
  expect(await statuses(await open())).toEqual([200, 200, 200, 200, 404]);
});
