/** Tests the headers of responses, the served documents, and the trust in forwarded addresses. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Documents } from '../../src/http/middleware/documents.ts';
import type { CallerServer } from '../../src/http/server/server.ts';
import { echo, exchange, openTestShell, pageOfWrongAddress, statuses, watch } from '../support/shell.ts';

let shell: CallerServer | undefined;
afterEach(() => shell?.drain());

interface ReceivedResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const sent = request({ port: shell?.port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject);
    sent.end();
  });

const library: Documents = {
  pageOfWrongAddress,
  findInSteps: async (path, query, origin) =>
    path === '/service' && query.toLowerCase() === 'wsdl'
      ? { contentType: 'text/xml; charset=utf-8', body: `<address location="${origin}/é"/>`, etag: '"one"' }
      : undefined,
  findPage: (path, origin, isBrowser) =>
    path === '/' || (isBrowser && path === '/service')
      ? {
          contentType: 'text/html; charset=utf-8',
          body: `<p>${origin}</p>`,
          etag: '"page"',
          headers: { Vary: 'Accept' },
        }
      : undefined,
};

/** As browsers send it. */
const browser = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Mode': 'navigate',
};

describe('caches are told what decides about the address in a document', () => {
  test.each([
    ['the host', {}, 'Host'],
    ['the proxy, too', { TRUSTED_PROXIES: '127.0.0.1' }, 'Host, X-Forwarded-Host, X-Forwarded-Proto'],
    ['nothing, where the configuration has the address', { PUBLIC_URL: 'https://a.example' }, undefined],
  ])('%s', async (_, env, vary) => {
    shell = await openTestShell(undefined, env, library);
    expect((await ask('GET', '/service?wsdl', {})).headers.vary).toBe(vary);
  });
});

describe('an answer that cannot be written', () => {
  const entry = { protocol: 'json', requestReference: 'R', outcome: 'ok' };
  const unwritable = async () => ({
    message: { status: 200, contentType: 'application/json', headers: { A: 'b\nc' }, body: '{}' },
    entry,
  });
  const encodeFailure = () => ({
    message: { status: 500, contentType: 'application/json', headers: {}, body: '{"message":"failed"}' },
    entry: { ...entry, outcome: 'internal' },
  });

  const fail = (): never => {
    throw new Error('no format');
  };

  test('is one in the format of the caller; control: without its encoder it is plain text', async () => {
    const watched = watch();
    shell = await openTestShell(unwritable, {}, library, watched, { encodeFailure });
    expect(await ask('GET', '/call')).toMatchObject({ status: 500, body: '{"message":"failed"}' });
    const raw = await exchange(shell.port, ['GET /call HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']);
    expect(raw).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect([watched.failures.length, watched.answers[0]!.entry.outcome]).toEqual([2, 'internal']);
    await shell.drain();
    shell = await openTestShell(unwritable);
    expect(await ask('GET', '/call')).toMatchObject({ status: 500, body: 'Internal Server Error' });
  });

  test.each([
    ['throws', () => fail()],
    [
      'returns one that cannot be written either',
      () => ({ ...encodeFailure(), message: { ...encodeFailure().message, headers: { A: '\0' } } }),
    ],
    ['knows no format', () => undefined],
  ])('is plain text where its encoder %s', async (_, encode) => {
    shell = await openTestShell(unwritable, {}, library, watch(), { encodeFailure: encode });
    expect(await ask('GET', '/call')).toMatchObject({ status: 500, body: 'Internal Server Error' });
  });

  test('ends the connection where its head was sent', async () => {
    let reads = 0;
    // The body is a text when it is measured, and no more when it is written.
    const message = {
      ...{ status: 200, contentType: 'application/json', headers: {} },
      get body() {
        reads += 1;
        return reads === 1 || reads < 0 ? '{}' : (7 as never as string);
      },
    };
    shell = await openTestShell(async () => ({ message, entry }), {}, library, watch(), { encodeFailure });
    await expect(ask('GET', '/call')).rejects.toThrow('socket hang up');
    reads = -9;
    expect(await ask('GET', '/call')).toMatchObject({ status: 200, body: '{}' });
  });
});

describe('the page for browsers', () => {
  test.each([
    ['GET', '/service', browser, true],
    ['HEAD', '/service', browser, true],
    ['GET', '/service?x', browser, true],
    ['GET', '/', browser, true],
    ['GET', '/', {}, true],
    ['GET', '/service', { Accept: '*/*' }, false],
    ['GET', '/service', {}, false],
    ['GET', '/other', browser, false],
    ['POST', '/service', browser, false],
    ['POST', '/', browser, false],
  ] as const)('%s %s with %j: %s', async (method, path, headers, isPage) => {
    shell = await openTestShell(undefined, {}, library);
    const answer = await ask(method, path, headers);
    expect(answer.headers['content-type']).toBe(
      isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    );
    if (isPage) expect(answer.headers).toMatchObject({ vary: 'Accept, Host', 'x-content-type-options': 'nosniff' });
  });

  test('a document comes first, and the page is revalidated', async () => {
    shell = await openTestShell(undefined, {}, library);
    expect((await ask('GET', '/service?wsdl', browser)).headers['content-type']).toBe('text/xml; charset=utf-8');
    expect((await ask('GET', '/', { ...browser, 'If-None-Match': '"page"' })).status).toBe(304);
  });
});

describe('headers of every answer', () => {
  test('as the message brings them, never cached, never sniffed', async () => {
    shell = await openTestShell();
    const { status, headers, body } = await ask('GET', '/x');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      pspreference: 'QFQTPCQ8HXSKGK82',
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });
  test('WWW-Authenticate is for programs, not for browsers', async () => {
    shell = await openTestShell();
    expect((await ask('POST', '/secret')).headers).toHaveProperty('www-authenticate');
    expect((await ask('POST', '/secret', { 'Sec-Fetch-Mode': 'navigate' })).headers).not.toHaveProperty(
      'www-authenticate',
    );
  });
  test('each cookie has a line of its own', async () => {
    const headers = { 'set-cookie': 'a=1; Expires=Sat, 28 Nov 2026 19:03:11 GMT\nb=2' };
    const message = { status: 200, contentType: 'text/plain', headers, body: '' };
    shell = await openTestShell(async () => ({
      message,
      entry: { protocol: 'json', requestReference: '', outcome: 'ok' },
    }));
    const received = await ask('GET', '/x');
    expect(received.headers['set-cookie']).toEqual(['a=1; Expires=Sat, 28 Nov 2026 19:03:11 GMT', 'b=2']);
  });
  test.each([
    ['GET', 204],
    ['HEAD', 200],
  ])('%s with %i has no length of a body that there is none of', async (method, status) => {
    const message = { status, contentType: 'text/plain', headers: {}, body: '' };
    shell = await openTestShell(async () => ({
      message,
      entry: { protocol: 'json', requestReference: '', outcome: 'ok' },
    }));
    const { headers } = await ask(method, '/x');
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, undefined]);
  });
  test('HEAD has the head of GET', async () => {
    shell = await openTestShell();
    const { headers, body } = await ask('HEAD', '/x');
    expect(Number(headers['content-length'])).toBeGreaterThan(10);
    expect(body).toBe('');
  });
  test('a message that cannot be written costs a plain 500, without a reason', async () => {
    const watched = watch();
    const serve = async () => ({
      message: { status: 200, contentType: 'text/plain', headers: { 'X-A': 'a\r\nSet-Cookie: b' }, body: 'x' },
      entry: { protocol: 'json', requestReference: '', outcome: 'ok' },
    });
    shell = await openTestShell(serve, {}, undefined, watched);
    const { status, headers, body } = await ask('GET', '/x');
    expect({ status, body }).toEqual({ status: 500, body: 'Internal Server Error' });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(watched.failures).toHaveLength(1);
  });
  test('a journey that breaks its promise costs a plain 500, without a stack', async () => {
    const watched = watch();
    shell = await openTestShell(() => Promise.reject(new Error('4111111111111111')), {}, undefined, watched);
    expect(await ask('GET', '/x')).toMatchObject({ status: 500, body: 'Internal Server Error' });
    expect(watched.failures).toHaveLength(1);
  });
});

test('a connection that its caller resets under a request is reported, and the request is logged as aborted', async () => {
  const watched = watch();
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const serve = echo(() => {
    arrived.resolve();
    return answer.promise;
  });
  shell = await openTestShell(serve, {}, undefined, watched);
  const closed = new Promise((resolve) => shell!.server.once('connection', (socket) => socket.once('close', resolve)));
  const caller = connect(shell.port, '127.0.0.1');
  caller.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await arrived.promise;
  caller.resetAndDestroy();
  await closed;
  answer.resolve();
  while (watched.answers.length === 0) await setImmediate();
  expect(watched.answers[0]!.seen.aborted).toBe(true);
  expect(watched.failures).toEqual([]);
  expect(watched.brokenConnections).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
});

describe('documents', () => {
  test('are open, revalidated, and anything else goes on', async () => {
    shell = await openTestShell(echo(), {}, library);
    const found = await ask('GET', '/service?WSDL', { Host: 'pal.example:8443' });
    expect(found).toMatchObject({ status: 200, body: '<address location="http://pal.example:8443/é"/>' });
    expect(found.headers).toMatchObject({
      'cache-control': 'no-cache',
      etag: '"one"',
      'content-type': 'text/xml; charset=utf-8',
    });
    expect(await ask('HEAD', '/service?wsdl')).toMatchObject({ status: 200, body: '' });
    expect((await ask('GET', '/service')).body).toContain('"path":"/service"');
    expect((await ask('POST', '/service?wsdl')).body).toContain('"method":"POST"');
  });
  test.each([
    ['"one"', 304],
    ['W/"one"', 304],
    ['"two", "one"', 304],
    ['*', 304],
    ['"two"', 200],
  ])('If-None-Match %s: %i', async (tag, status) => {
    shell = await openTestShell(echo(), {}, library);
    expect((await ask('GET', '/service?wsdl', { 'If-None-Match': tag })).status).toBe(status);
  });
  test('two Hosts get a refusal, not a document', async () => {
    shell = await openTestShell(echo(), {}, library);
    const received = await exchange(shell.port, [
      'GET /service?wsdl HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    ]);
    expect(statuses(received)).toEqual([400]);
  });
});

describe('the origin in documents', () => {
  const forwarded = { 'X-Forwarded-Host': 'evil.example, pay.example', 'X-Forwarded-Proto': 'https' };
  test.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ['follows Host', {}, { Host: 'a.example:81' }, /"http:\/\/a\.example:81\//],
    ['may be an address', {}, { Host: '[::1]:8080' }, /"http:\/\/\[::1\]:8080\//],
    ['does not repeat an invalid Host', {}, { Host: 'a"><script' }, /"http:\/\/localhost:\d+\//],
    [
      'ignores X-Forwarded-Host of an untrusted peer',
      {},
      { Host: 'a.example', ...forwarded },
      /"http:\/\/a\.example\//,
    ],
    [
      'uses X-Forwarded-Host of a trusted proxy',
      { TRUSTED_PROXIES: '127.0.0.1' },
      { Host: 'a', ...forwarded },
      /"https:\/\/pay\.example\//,
    ],
    ['is PUBLIC_URL where given', { PUBLIC_URL: 'https://b.example' }, { Host: 'a' }, /"https:\/\/b\.example\//],
  ])('%s', async (_, env, headers, pattern) => {
    shell = await openTestShell(echo(), env, library);
    expect((await ask('GET', '/service?wsdl', headers)).body).toMatch(pattern);
  });
});

describe('the address of a caller', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['is the peer', {}, '6.6.6.6', '127.0.0.1'],
    [
      'is what a trusted proxy saw',
      { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' },
      '6.6.6.6, 7.7.7.7, 10.0.0.2',
      '7.7.7.7',
    ],
    ['is never free text', { TRUSTED_PROXIES: '127.0.0.1' }, '"; drop', '127.0.0.1'],
  ])('%s', async (_, env, chain, address) => {
    const watched = watch();
    shell = await openTestShell(echo(), env, undefined, watched);
    await ask('GET', '/x', { 'X-Forwarded-For': chain });
    expect(watched.answers[0]?.seen.address).toBe(address);
  });
});
