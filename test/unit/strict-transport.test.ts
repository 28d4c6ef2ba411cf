/** Tests that pages over HTTPS have Strict-Transport-Security, and that it locks nobody out of a plain port of the same name. */
import { request as send } from 'node:https';
import { afterAll, expect, test } from '@jest/globals';
import { type Admin, openAdmin } from '../../src/http/admin.ts';
import type { Documents } from '../../src/http/middleware/documents.ts';
import { type CallerServer, openCallerServer } from '../../src/http/server/server.ts';
import type { Site } from '../../src/http/site.ts';
import { fixedTls } from '../../src/http/tls.ts';
import { ringText } from '../support/fixture.ts';
import { selfSignedFor } from '../support/self-signed.ts';
import { readConfig } from '../support/services.ts';
import { echo, openTestShell, pageOfWrongAddress, watch } from '../support/shell.ts';

const tls = fixedTls(selfSignedFor());
const page = { contentType: 'text/html; charset=utf-8', body: '<!doctype html>', etag: '"1"' };
const documents: Documents = {
  findInSteps: async () => undefined,
  findPage: (path) => (path === '/' ? page : undefined),
  pageOfWrongAddress,
};
const site: Site = {
  owns: (path) => path.startsWith('/console'),
  answer: async () => ({ status: 200, headers: {}, body: 'console' }),
  close() {},
};
const opened: (CallerServer | Admin)[] = [];
afterAll(() => Promise.all(opened.map((each) => ('drain' in each ? each.drain() : each.close()))));

function configure(variables: Readonly<Record<string, string>>) {
  return readConfig('production', {
    TRIGLYPH_KEYS: ringText,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DRAIN_NOTICE_MS: '0',
    ...variables,
  });
}

async function openCallers(variables: Readonly<Record<string, string>>): Promise<CallerServer> {
  const options = configure(variables);
  const server = await openCallerServer({ handle: echo(), documents, ...watch(), options, tls });
  opened.push(server);
  return server;
}

function strictOf(port: number, path: string, host: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    send({ host: '127.0.0.1', port, path, headers: { Host: host }, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.headers['strict-transport-security']);
    })
      .on('error', reject)
      .end();
  });
}

const year = 'max-age=31536000';
const plainAdmin = { ADMIN_HOSTS: 'pay.example.com' };
const adminTls = { ADMIN_TLS: 'on', TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };

test.each([
  ['/', 'pay.example.com', {}, year],
  ['/', 'pay.example.com:8443', {}, year],
  ['/x', 'pay.example.com', {}, undefined],
  ['/', 'pay.example.com', { STRICT_TRANSPORT_SECURITY: 'off' }, undefined],
  ['/', 'pay.example.com', { STRICT_TRANSPORT_SECURITY: `${year}; includeSubDomains` }, `${year}; includeSubDomains`],
  ['/', 'pay.example.com', plainAdmin, undefined],
  ['/', 'pay.example.com', { ...plainAdmin, ...adminTls }, year],
  ['/', 'triglyph', {}, undefined],
  ['/', 'triglyph', adminTls, year],
  ['/', 'localhost', adminTls, undefined],
  ['/', 'LOCALHOST:8443', adminTls, undefined],
  ['/', 'shop.localhost', adminTls, undefined],
] as const)('of %s at %s with %j: %s', async (path, host, variables, expected) => {
  expect(await strictOf((await openCallers(variables)).port, path, host)).toBe(expected);
});

test.each([
  ['10.1.1.1', undefined],
  ['127.0.0.1', year],
])('behind a proxy that says https, trusted at %s: %s', async (TRUSTED_PROXIES, expected) => {
  const server = await openTestShell(echo(), { TRUSTED_PROXIES }, documents);
  opened.push(server);
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'pay.example.com' };
  const answer = await fetch(`http://127.0.0.1:${server.port}/`, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('strict-transport-security') ?? undefined).toBe(expected);
});

test.each([
  ['the console', tls, year],
  ['the console without TLS', undefined, undefined],
])('%s', async (_, certificate, expected) => {
  const options = configure(certificate === undefined ? {} : adminTls);
  const admin = await openAdmin({
    host: '127.0.0.1',
    port: 0,
    tls: certificate,
    access: { hosts: ['console.example.com'] },
    registry: { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: async () => '' },
    readiness: async () => ({ ready: true, readyForReads: true, draining: false, probes: {} }),
    site: { site, options, failed: () => {} },
  });
  opened.push(admin);
  if (certificate !== undefined) {
    expect(await strictOf(admin.port, '/console', 'console.example.com')).toBe(expected);
    return;
  }
  const answer = await fetch(`http://127.0.0.1:${admin.port}/console`);
  expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([200, null]);
});
