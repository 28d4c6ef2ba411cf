/** An upstream, against servers that answer, refuse and fail in every way; each counts the requests that it has received. */
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { getOrder, ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { selfSignedFor } from '../support/self-signed.ts';
import {
  answerJson,
  type Behaviour,
  found,
  listen,
  openUpstream,
  outcome,
  placed,
  type SetupParts,
  send,
  startUpstreamServer,
} from '../support/upstream-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function keep<T extends AsyncDisposable>(resource: T): T {
  cleanups.push(async () => resource[Symbol.asyncDispose]());
  return resource;
}

const serve = async (behave: Behaviour) => keep(await startUpstreamServer(behave));
const open = (parts: SetupParts) => keep(openUpstream(parts));

const answer: Behaviour = (response, { url }) => answerJson(response, 200, url.endsWith('placeOrder') ? placed : found);
const raw =
  (text: string): Behaviour =>
  (_, __, socket) =>
    socket.end(text);

const html =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html><h1>Error</h1></html>');

const refusal = { status: 422, errorCode: '1002', message: 'Order not found, alas', errorType: 'validation' };
const failure = { status: 500, errorCode: '905', message: 'Disk full', errorType: 'internal' };

const unavailable = 'unavailable: 503 703 Required resource temporarily unavailable';
const badAnswer = 'badAnswer: 502 701 No valid answer from the server behind the gateway';
const tooLarge =
  'answerTooLarge: 502 701 The request was executed, and its answer is larger than the gateway accepts: ask the operator of the service (responseBytesMax of the upstream)';
const notDone = 'upstreamRefusal: 502 701 The server behind the gateway refused the request';
const notFound = 'orderNotFound: 422 1002 Order not found, alas';

/** Outcome and number of requests. */
type Expected = readonly [string, number];
type Expectations = readonly [read: Expected, write: Expected, keyedWrite: Expected];
const always = (said: string): Expectations => [
  [said, 1],
  [said, 1],
  [said, 1],
];
const times =
  (count: number) =>
  (reason: string, read: string): Expectations => [
    [read, count],
    [`unknown: ${reason}`, 1],
    [`unknown: ${reason}`, count],
  ];
/** A write may have had its effect. */
const unknown = times(1);
/** Another attempt may help: a read is repeated, and a write where the upstream deduplicates. */
const retried = times(3);

const cases: Readonly<Record<string, readonly [Behaviour, ...Expectations]>> = {
  'an answer': [answer, ...always('ok')],
  'a refusal': [(response) => answerJson(response, 422, refusal), ...always(notFound)],
  'a refusal that the contract does not know': [
    (response) => answerJson(response, 402, { errorCode: 'E-77', message: 'Zu teuer', errorType: 'business' }),
    ...always('upstreamRefusal: 402 E-77 Zu teuer'),
  ],
  'a failure in the format': [
    (response) => answerJson(response, 500, failure),
    ['upstreamRefusal: 500 905 Disk full', 1],
    ['answered: upstreamRefusal: 500 905 Disk full', 1],
    ['answered: upstreamRefusal: 500 905 Disk full', 1],
  ],
  'a failure in the format, as proxies write it': [
    (response) => answerJson(response, 502, failure),
    ['upstreamRefusal: 502 905 Disk full', 1],
    ['unknown: gatewayError (502)', 1],
    ['upstreamRefusal: 502 905 Disk full', 1],
  ],
  'a reset before the head': [
    (_, __, socket) => socket.resetAndDestroy(),
    ...retried('reset (ECONNRESET)', unavailable),
  ],
  'the end of the connection': [(_, __, socket) => socket.end(), ...retried('reset (UND_ERR_SOCKET)', unavailable)],
  'a wrong length': [
    raw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"status":"placed"}'),
    ...retried('truncated (UND_ERR_SOCKET)', badAnswer),
  ],
  'a chunked body that ends early': [
    raw(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"status":"placed"}\r\n',
    ),
    ...retried('truncated (UND_ERR_SOCKET)', badAnswer),
  ],
  'a part of a body': [(response) => answerJson(response, 206, placed), ...retried('truncated (206)', badAnswer)],
  'a status that HTTP does not have': [
    raw('HTTP/1.1 999 Odd\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'),
    ...retried('notHttp (999)', badAnswer),
  ],
  'no HTTP': [raw('220 smtp.example.com ESMTP\r\n'), ...retried('notHttp (HTTPParserError)', badAnswer)],
  'HTML with the status of an answer': [html(200), ...unknown('contentType (200)', badAnswer)],
  'HTML of a proxy': [html(502), ...retried('proxyError (502)', badAnswer)],
  'HTML that refuses': [html(413), ...always(notDone)],
  'HTML without a right': [html(403), ...always('upstreamRefusal: 403 000 Request refused with status 403')],
  'a body that breaks the contract': [
    (response) => answerJson(response, 200, { status: 'perhaps' }),
    ...unknown('contract (status)', badAnswer),
  ],
  'a body that is no JSON': [
    (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":'),
    ...unknown('notInFormat (not JSON)', badAnswer),
  ],
  'no body where JSON is announced': [
    (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(),
    ...unknown('notInFormat (200)', badAnswer),
  ],
  'another charset': [
    (response) => response.writeHead(200, { 'Content-Type': 'application/json;charset=koi8-r' }).end('{}'),
    ...unknown('charset (200)', badAnswer),
  ],
  'another encoding': [
    (response) => answerJson(response, 200, placed, { 'Content-Encoding': 'br' }),
    ...unknown('encoding (200)', badAnswer),
  ],
  'too many bytes': [
    (response) => answerJson(response, 200, { ...placed, more: 'x'.repeat(200_000) }),
    ...always(tooLarge),
  ],
  'too many bytes when inflated': [
    (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('x'.repeat(200_000))),
    ...always(tooLarge),
  ],
  'a redirect that repeats': [
    (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
    ...always(notDone),
  ],
  'a redirect that may follow an effect': [
    (response) => response.writeHead(303, { Location: '/elsewhere' }).end(),
    ...unknown('redirect (303)', badAnswer),
  ],
  'a server that is busy': [
    (response) => response.writeHead(503, { 'Retry-After': '0' }).end(),
    ['not sent: busy (503)', 3],
    ['not sent: busy (503)', 1],
    ['not sent: busy (503)', 3],
  ],
  'an application that is busy': [
    (response) =>
      answerJson(
        response,
        503,
        { status: 503, errorCode: '703', message: 'Busy', errorType: 'internal' },
        { 'Retry-After': '0' },
      ),
    ['unavailable: 503 703 Busy', 3],
    ['unknown: busy (503)', 1],
    ['unavailable: 503 703 Busy', 3],
  ],
  'a limit': [
    (response) => response.writeHead(429, { 'Retry-After': '3600' }).end(),
    ...always('not sent: busy (429)'),
  ],
  'an earlier request with the key at work': [
    (response) =>
      answerJson(response, 409, { status: 409, errorCode: '704', message: 'in progress', errorType: 'validation' }),
    ['inProgress: 409 704 in progress', 1],
    ['inProgress: 409 704 in progress', 1],
    ['unknown: inProgress (409)', 3],
  ],
  'no head in time': [() => {}, ...retried('headersTimeout (UND_ERR_HEADERS_TIMEOUT)', unavailable)],
  'no end of the body in time': [
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{');
    },
    ...retried('bodyTimeout (UND_ERR_BODY_TIMEOUT)', unavailable),
  ],
};

describe.each(Object.entries(cases))('%s', (_, [behave, read, write, keyedWrite]) => {
  const key = { header: 'idempotency-key' };
  test.each([
    ['a read', {}, {}, read],
    ['a write', {}, { operation: placeOrder, key: 'k' }, write],
    ['a write that is deduplicated', { key }, { operation: placeOrder, key: 'k' }, keyedWrite],
  ] as const)('%s', async (__, setup, options, [expected, requests]) => {
    const server = await serve(behave);
    const found = await outcome(send(open({ url: server.url, ...setup }), options));
    expect([found, server.received.length]).toEqual([expected, requests]);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys)).toEqual(new Set([expected === 'ok' && !('key' in setup) ? undefined : keys[0]]));
    expect(keys[0]).toBe('key' in setup ? 'k' : undefined);
  });
});

describe('an answer after what only old or odd servers send', () => {
  const both = JSON.stringify({ ...found, ...placed });
  const head = `Content-Type: application/json\r\n`;
  const whole = `HTTP/1.1 200 OK\r\n${head}Content-Length: ${both.length}\r\n\r\n${both}`;
  const unasked = 'HTTP/1.1 100 Continue\r\n\r\n';
  const answers: Readonly<Record<string, readonly string[]>> = {
    '100 Continue unasked': [unasked + whole],
    '100 Continue twice, with a header and without a reason': [`HTTP/1.1 100\r\nA: b\r\n\r\n${unasked}${whole}`],
    'byte by byte': [...(unasked + whole)],
    'other heads before the answer': [`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${whole}`],
    'HTTP/1.0 without a length': [`HTTP/1.0 200 OK\r\n${head}\r\n${both}`],
    'HTTP/1.0 with a length': [`HTTP/1.0 200 OK\r\n${head}Content-Length: ${both.length}\r\n\r\n${both}`],
    'HTTP/1.0 that says 100': [`HTTP/1.0 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n${head}\r\n${both}`],
    chunks: [
      `HTTP/1.1 200 OK\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
      ...[...both].map((each) => `1;x=y\r\n${each}\r\n`),
      '0\r\nTrailer: 1\r\n\r\n',
    ],
  };
  test.each(Object.entries(answers))('%s', async (_, pieces) => {
    const server = await serve((_response, _request, socket) => {
      const sendNext = (at: number): void => {
        if (at < pieces.length) socket.write(pieces[at]!);
        if (at < pieces.length) setTimeout(sendNext, 1, at + 1);
        else if (pieces.join('').includes('HTTP/1.0')) socket.end();
      };
      sendNext(0);
    });
    const shop = open({
      url: server.url,
      timeouts: { connectMs: 1_000, headersMs: 4_000, bodyMs: 4_000, totalMs: 5_000 },
    });
    for (const operation of [getOrder, placeOrder, placeOrder])
      expect(await outcome(send(shop, { operation }))).toBe('ok');
    expect(server.received).toHaveLength(3);
  });

  test('a head of an answer 100 without an end is no answer, and takes bounded memory', async () => {
    const server = await serve((_, __, socket) => socket.end(`HTTP/1.1 100 Continue\r\n${'A: b\r\n'.repeat(20_000)}`));
    const shop = open({ url: server.url });
    expect(await outcome(send(shop, { operation: placeOrder }))).toMatch(/^unknown: (reset|notHttp)/);
  });

  test('a body that looks like the head of another answer is a body', async () => {
    const text = JSON.stringify({ ...found, item: unasked });
    const server = await serve((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
      const [before, after = ''] = text.split('HTTP/1.1');
      response.write(before!);
      setTimeout(() => response.end(`HTTP/1.1${after}`), 50);
    });
    expect(await send(open({ url: server.url }))).toMatchObject({ output: { item: unasked } });
  });
});

const refuse: Behaviour = (response) => answerJson(response, 422, refusal);

describe('after an attempt that may have had the effect, a later one says nothing of it', () => {
  const busy: Behaviour = (response) => response.writeHead(429, { 'Retry-After': '3600' }).end();
  const redirect: Behaviour = (response) => response.writeHead(307, { Location: '/elsewhere' }).end();
  test.each([
    ['a refusal', refuse],
    ['a limit', busy],
    ['a redirect', redirect],
  ])('%s', async (_, later) => {
    const server = await serve((response, request, socket) =>
      server.received.length === 1 ? socket.resetAndDestroy() : later(response, request, socket),
    );
    const shop = open({ url: server.url, key: { header: 'idempotency-key' } });
    const sent = send(shop, { operation: placeOrder, key: 'k' });
    expect([await outcome(sent), server.received.length]).toEqual(['unknown: reset (ECONNRESET)', 2]);
    const { refusal: refused } = await sent.catch((thrown) => thrown);
    expect(refused?.message).toBe(later === refuse ? refusal.message : undefined);
  });

  test('an open circuit', async () => {
    const server = await serve((_, __, socket) => socket.resetAndDestroy());
    const shop = open({ url: server.url, key: { header: 'idempotency-key' }, clock: { now: () => 0 } });
    const sent = Array.from({ length: 4 }, () => outcome(send(shop, { operation: placeOrder, key: 'k' })));
    expect(await Promise.all(sent)).toEqual(Array(4).fill('unknown: reset (ECONNRESET)'));
    expect(shop.upstream.isDown).toBe(true);
  });
});

describe('without a connection', () => {
  test('refused, unknown host, and an address that does not answer', async () => {
    const server = await startUpstreamServer(answer);
    await server[Symbol.asyncDispose]();
    expect(await outcome(send(open({ url: server.url }), { operation: placeOrder }))).toBe(
      'not sent: refused (ECONNREFUSED)',
    );
    expect(await outcome(send(open({ url: 'http://no-such-host.invalid' }), { operation: placeOrder }))).toMatch(
      /^not sent: dns \((ENOTFOUND|EAI_AGAIN)\)$/,
    );
  });

  test('a bounded queue, and no request of it is sent after its time', async () => {
    const held: (() => void)[] = [];
    const server = await serve((response) => held.push(() => answerJson(response, 200, found)));
    const timeouts = { connectMs: 1_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 10_000 };
    const shop = open({ url: server.url, connections: 2, queueMax: 3, timeouts });
    const sent = Array.from({ length: 8 }, () => outcome(send(shop)));
    const early = await Promise.race([sent[5], sent[7]]);
    expect(early).toBe('not sent: queueFull');
    expect([shop.upstream.active, shop.upstream.waiting]).toEqual([2, 3]);
    while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let count = 0; count < 5; count++) {
      while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      held.shift()!();
    }
    expect((await Promise.all(sent)).sort()).toEqual([...Array(3).fill('not sent: queueFull'), ...Array(5).fill('ok')]);
    expect(server.received).toHaveLength(5);
  });

  test('no request of the queue is sent that has no time left for its answer', async () => {
    const server = await serve((...received) => void setTimeout(() => answer(...received), 1_500));
    const timeouts = { connectMs: 1_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 2_500 };
    const shop = open({ url: server.url, connections: 1, timeouts });
    const sent = [1, 2].map(() => outcome(send(shop, { operation: placeOrder })));
    expect(await Promise.all(sent)).toEqual(['ok', 'not sent: queueTimeout']);
    expect(server.received).toHaveLength(1);
  });

  test('the time in the queue', async () => {
    const server = await serve(() => {});
    const timeouts = { connectMs: 1_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 300 };
    const shop = open({ url: server.url, connections: 1, timeouts });
    const sent = [outcome(send(shop, { operation: placeOrder })), outcome(send(shop, { operation: placeOrder }))];
    expect((await Promise.all(sent)).sort()).toEqual(['not sent: queueTimeout', 'unknown: totalTimeout']);
    expect(server.received).toHaveLength(1);
  });

  test('an open circuit, and its end', async () => {
    let behave = html(502);
    const server = await serve((...all) => behave(...all));
    let now = 0;
    const shop = open({ url: server.url, clock: { now: () => now } });
    for (let count = 0; count < 10; count++) await outcome(send(shop, { operation: placeOrder }));
    expect(shop.upstream.isDown).toBe(true);
    expect(await outcome(send(shop, { operation: placeOrder }))).toBe('not sent: circuitOpen');
    expect(server.received).toHaveLength(10);
    now += 1_000;
    behave = answer;
    expect(await outcome(send(shop, { operation: placeOrder }))).toBe('ok');
    expect(shop.upstream.isDown).toBe(false);
    expect(shop.events.map(({ kind }) => kind).filter((kind) => kind !== 'failed')).toEqual(['down', 'up']);
  });

  test('retries stay within their budget', async () => {
    const server = await serve(html(502));
    const shop = open({ url: server.url, clock: { now: () => 0 } });
    for (let count = 0; count < 9; count++) await outcome(send(shop));
    // The circuit opens after ten failures: three requests with two retries each, and the first attempt of the fourth.
    expect(server.received).toHaveLength(10);
  });
});

describe('TLS', () => {
  const server = selfSignedFor('server.example');
  const client = selfSignedFor('client.example');
  const body = JSON.stringify(found);
  const page = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  async function serveTls(options: object): Promise<{ url: string; requests: () => number; names: string[] }> {
    let requests = 0;
    const names: string[] = [];
    const sockets = new Set<Socket>();
    const tls = createTlsServer({ ...server, ...options }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        names.push(String(socket.getPeerCertificate().subject?.CN));
        socket.write(page);
      });
    });
    tls.on('connection', (socket: Socket) => sockets.add(socket));
    cleanups.push(async () => {
      for (const socket of sockets) socket.destroy();
      tls.close();
    });
    return { url: await listen(tls, 'https'), requests: () => requests, names };
  }

  test('a certificate that is trusted, and one that is not', async () => {
    const { url, requests } = await serveTls({});
    expect(await outcome(send(open({ url, tls: { ca: server.cert } })))).toBe('ok');
    expect(await outcome(send(open({ url }), { operation: placeOrder }))).toMatch(/^not sent: tls \(/);
    expect(requests()).toBe(1);
  });

  test('the name of the server', async () => {
    const { url } = await serveTls({});
    const tls = { ca: server.cert, serverName: 'server.example' };
    expect(await outcome(send(open({ url, tls })))).toBe('ok');
    expect(await outcome(send(open({ url, tls: { ...tls, serverName: 'other.example' } })))).toBe(
      'not sent: tls (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  test('a certificate of the gateway', async () => {
    const { url, names } = await serveTls({ requestCert: true, rejectUnauthorized: false });
    expect(await outcome(send(open({ url, tls: { ca: server.cert, ...client } })))).toBe('ok');
    expect(names).toEqual(['client.example']);
    const strict = await serveTls({ requestCert: true, rejectUnauthorized: true });
    const sent = send(open({ url: strict.url, tls: { ca: server.cert } }), { operation: placeOrder });
    expect(await outcome(sent)).toMatch(/^(not sent: tls|unknown: reset)/);
    expect(strict.requests()).toBe(0);
  });

  test('plain HTTP where TLS is expected', async () => {
    const plain = await serve(answer);
    const url = plain.url.replace('http:', 'https:');
    expect(await outcome(send(open({ url }), { operation: placeOrder }))).toMatch(/^not sent: tls \(/);
    expect(plain.received).toHaveLength(0);
  });
});

describe('headers', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  test('what is passed on, what is set, and what is not', async () => {
    const server = await serve(answer);
    const headers = {
      host: 'pay.example.com',
      authorization: 'Basic Y2FsbGVyOnNlY3JldA==',
      cookie: 'a=b',
      connection: 'x-own',
      'x-own': '1',
      'x-forwarded-for': '203.0.113.9',
      'proxy-authorization': 'Basic eA==',
      te: 'trailers',
      traceparent,
      tracestate: 'a=1',
    };
    await send(open({ url: `${server.url}/base/` }), { headers });
    const [{ method, url, headers: sent, body } = {} as never] = server.received;
    expect([method, url, body]).toEqual(['POST', '/base/orders/v1/getOrder', '{"shop":"amsterdam","number":"A-1"}']);
    expect(sent).toEqual({
      host: new URL(server.url).host,
      connection: 'keep-alive',
      'user-agent': 'triglyph',
      accept: 'application/json, application/problem+json',
      'content-type': 'application/json',
      'content-length': '35',
      authorization: headers.authorization,
      'x-request-id': 'ABCDEFGH12345678',
      traceparent,
      tracestate: 'a=1',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'pay.example.com',
    });
  });

  test('a trace of its own', async () => {
    const server = await serve(answer);
    const shop = open({ url: server.url });
    await send(shop, { headers: { traceparent: 'nonsense', tracestate: 'a=1' } });
    await send(shop);
    const sent = server.received.map(({ headers }) => headers.traceparent);
    for (const each of sent) expect(each).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    expect(new Set(sent).size).toBe(2);
    expect(server.received[0]!.headers.tracestate).toBeUndefined();
  });

  test('a credential of the gateway, and none of the caller', async () => {
    const server = await serve((response) => answerJson(response, 401, {}));
    const credentials = { find: () => ({ 'x-api-key': 'secret' }), areOfCaller: false };
    const shop = open({ url: server.url, credentials });
    expect(await outcome(send(shop, { headers: { authorization: 'Basic eA==' } }))).toBe(notDone);
    expect(server.received[0]!.headers).toMatchObject({ 'x-api-key': 'secret' });
    expect(server.received[0]!.headers.authorization).toBeUndefined();
  });

  test('a proxy on the way that wants a credential of the gateway', async () => {
    const server = await serve((response) => answerJson(response, 407, { message: 'Who are you?' }));
    expect(await outcome(send(open({ url: server.url })))).toBe(notDone);
  });

  test('no credential for a caller', async () => {
    const server = await serve(answer);
    const credentials = { find: async () => undefined, areOfCaller: true };
    expect(await outcome(send(open({ url: server.url, credentials })))).toBe('notAllowed: 403 010 Not allowed');
    expect(server.received).toHaveLength(0);
  });

  test('a credential that cannot be found now', async () => {
    const server = await serve(answer);
    const credentials = { find: async () => Promise.reject(new Error('no key')), areOfCaller: true };
    const shop = open({ url: server.url, credentials });
    expect(await outcome(send(shop, { operation: placeOrder }))).toBe('not sent: notPrepared (Error)');
    expect(server.received).toHaveLength(0);
  });

  test('a wrong credential of the caller', async () => {
    const server = await serve((response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end());
    const thrown = await send(open({ url: server.url })).catch((each: unknown) => each);
    expect(thrown).toMatchObject({ status: 401, headers: { 'WWW-Authenticate': 'Basic realm="x"' } });
  });
});

test.each([
  ['120', { 'Retry-After': '120' }],
  ['soon <now>', {}],
  ['99999999999', {}],
])('a refusal whose Retry-After is %s', async (text, headers) => {
  const server = await serve((response) => answerJson(response, 422, refusal, { 'Retry-After': text }));
  const thrown = await send(open({ url: server.url })).catch((each: unknown) => each);
  expect(thrown).toMatchObject({ status: 422 });
  expect((thrown as Problem).headers).toEqual(headers);
});

describe('answers', () => {
  test('extras, the reference of the upstream, and the names of unknown members', async () => {
    const server = await serve((response) =>
      answerJson(response, 200, { ...found, more: [1] }, { requestReference: 'REF-1' }),
    );
    const shop = open({ url: server.url });
    const extras = { members: [{ name: 'more', value: '[1]' }], json: '{"more":[1]}' };
    expect(await send(shop)).toEqual({ output: found, extras, requestReference: 'REF-1' });
    expect(shop.events).toEqual([
      { upstream: 'shop', kind: 'unknownMembers', service: 'Orders', operation: 'getOrder', members: ['more'] },
    ]);
  });

  test('unknown members are refused by name, or dropped, as the upstream is configured', async () => {
    const server = await serve((response) =>
      answerJson(response, 200, {
        ...(response.req.url?.endsWith('placeOrder') ? placed : found),
        more: [1],
        'a\r\nb': 2,
      }),
    );
    const refusing = open({ url: server.url, unknownMembers: 'refuse' });
    for (const operation of [getOrder, placeOrder])
      expect(await outcome(send(refusing, { operation }))).toMatch(
        /^unknownMembers: 502 701 The request was executed, .* does not have: more, \?$/,
      );
    expect(refusing.events).toHaveLength(2);
    expect(server.received).toHaveLength(2);
    const dropping = open({ url: server.url, unknownMembers: 'drop' });
    expect(await send(dropping, { operation: placeOrder })).toEqual({ output: placed });
    expect(dropping.events).toHaveLength(1);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
  ] as const)('%s', async (coding, compress) => {
    const server = await serve((response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': coding })
        .end(compress(JSON.stringify(found))),
    );
    expect(await send(open({ url: server.url }))).toEqual({ output: found });
  });

  test.each(['soap11', 'soap12', 'form', 'adapter'] as const)(
    'an upstream in %s, with its refusals',
    async (format) => {
      const { createProtocols } = await import('../../src/core/formats/wire-formats.ts');
      const protocol = createProtocols([ordersV1])[format];
      const problem = new Problem(getOrder.problems[0]!, 'Order not found, alas');
      let isRefused = false;
      const server = await serve((response) => {
        const context = { requestReference: 'R', operation: getOrder, service: ordersV1 };
        const message = isRefused ? protocol.encodeError(problem, context) : protocol.encode(getOrder, found);
        response.writeHead(message.status, { 'Content-Type': message.contentType }).end(message.body);
      });
      const shop = open({ url: server.url, format, key: 'body' });
      expect(await send(shop, { key: 'the-key' })).toEqual({ output: found });
      expect(server.received[0]!.body).toContain('the-key');
      isRefused = true;
      expect(await outcome(send(shop))).toBe(notFound);
    },
  );

  test.each(['soap11', 'soap12', 'json', 'form', 'adapter'] as const)(
    'an upstream in %s that fails, or is over a limit: callers may send the request again',
    async (format) => {
      const { createProtocols } = await import('../../src/core/formats/wire-formats.ts');
      const protocol = createProtocols([ordersV1])[format];
      let problem = new Problem('internal');
      const server = await serve((response) => {
        const context = { requestReference: 'R', operation: placeOrder, service: ordersV1 };
        const { status, contentType, body } = protocol.encodeError(problem, context);
        response.writeHead(status, { 'Content-Type': contentType, 'Retry-After': '3600' }).end(body);
      });
      const shop = open({ url: server.url, format, key: 'body' });
      const plain = open({ url: server.url, format });
      const order = { operation: placeOrder, key: 'k' };
      const again = { kind: { transient: true }, retryAfterSeconds: 3_600 };
      const answered = { name: 'ApplicationError', problem: { status: 500, retryAfterSeconds: 3_600 } };
      for (const each of [shop, plain])
        expect(await send(each, order).catch((thrown) => thrown)).toMatchObject(answered);
      expect(await send(plain).catch((thrown) => thrown)).toMatchObject({ status: 500, ...again });
      const failing = open({ url: server.url, format, serverErrors: 'unknown' });
      expect(await outcome(send(failing, order))).toBe('unknown: serverError (500)');
      problem = new Problem('tooManyRequests');
      for (const limited of [send(shop, order), send(plain), send(plain, order)])
        expect(await limited.catch((thrown) => thrown)).toMatchObject({ status: 429, ...again });
    },
  );

  test('a SOAP upstream that is still at work under the key', async () => {
    const { createProtocols } = await import('../../src/core/formats/wire-formats.ts');
    const protocol = createProtocols([ordersV1]).soap11;
    const context = { requestReference: 'R', operation: placeOrder, service: ordersV1 };
    const { status, contentType, body } = protocol.encodeError(new Problem('inProgress'), context);
    const server = await serve((response) => response.writeHead(status, { 'Content-Type': contentType }).end(body));
    const shop = open({ url: server.url, format: 'soap11', key: 'body' });
    expect(await outcome(send(shop, { operation: placeOrder, key: 'k' }))).toBe('unknown: inProgress (422)');
    expect(server.received).toHaveLength(3);
  });

  test('a SOAP server with one address', async () => {
    const server = await serve((response) => response.writeHead(404).end());
    await outcome(send(open({ url: `${server.url}/Service.asmx`, format: 'soap11', isSingleAddress: true })));
    expect(server.received[0]).toMatchObject({ url: '/Service.asmx', headers: { soapaction: '""' } });
  });
});

test('the SOAPAction of an operation', async () => {
  const { operation } = await import('../../src/core/contract/operation.ts');
  const { service } = await import('../../src/core/contract/service.ts');
  const { createProtocols } = await import('../../src/core/formats/wire-formats.ts');
  const soapAction = 'urn:example:orders/getOrder';
  const find = operation({ ...getOrder, soapAction });
  const orders = service({ ...ordersV1, operations: [find] });
  const server = await serve((response) => response.writeHead(404).end());
  for (const format of ['soap11', 'soap12'] as const) {
    const shop = open({ url: server.url, format, protocols: createProtocols([orders]) });
    await outcome(send(shop, { service: orders, operation: find, input: { shop: 'amsterdam', number: 'A-1' } }));
  }
  const [soap11, soap12] = server.received.map(({ headers }) => headers);
  expect(soap11!.soapaction).toBe(`"${soapAction}"`);
  expect(soap12!['content-type']).toBe(`application/soap+xml;charset=utf-8;action="${soapAction}"`);
  expect(() => operation({ ...getOrder, soapAction: 'a"b' })).toThrow('is no SOAPAction');
});

/** Each control breaks a rule of the client; the matrix above must not pass with it. */
describe('controls', () => {
  test('a client that repeats every write is found by the number of requests', async () => {
    const server = await serve((_, __, socket) => socket.resetAndDestroy());
    const shop = open({ url: server.url });
    const twice = async () =>
      (await outcome(send(shop, { operation: placeOrder }))) && outcome(send(shop, { operation: placeOrder }));
    expect(await twice()).toBe('unknown: reset (ECONNRESET)');
    expect(server.received.length).not.toBe(1);
  });

  test('a client that follows redirects is found by the number of requests', async () => {
    const server = await serve((response, { url }) =>
      url === '/elsewhere'
        ? answer(response, { url } as never, undefined as never)
        : response.writeHead(307, { Location: '/elsewhere' }).end(),
    );
    const { url } = server;
    await globalThis.fetch(`${url}/orders/v1/getOrder`, { method: 'POST', body: '{}' });
    expect(server.received).toHaveLength(2);
  });
});

describe('a block in the header of an answer', () => {
  const { body } = createProtocols([ordersV1]).soap11.encode(getOrder, found);
  const lock = (attributes: string) => `<x:Lock xmlns:x="urn:x" ${attributes}/>`;
  const addressing = 'http://www.w3.org/2005/08/addressing';
  const next = 'http://schemas.xmlsoap.org/soap/actor/next';
  const refused =
    'unknownMembers: 502 701 The request was executed, and its answer has members that the contract of the gateway does not have: {urn:x}Lock';
  test.each([
    ['that must be understood', lock('soap:mustUnderstand="1"'), refused],
    ['for the next receiver', lock(`soap:mustUnderstand="true" soap:actor="${next}"`), refused],
    ['for another receiver', lock('soap:mustUnderstand="1" soap:actor="urn:other"'), 'ok'],
    ['that may be ignored', lock('soap:mustUnderstand="0"'), 'ok'],
    ['of WS-Addressing', `<a:Action xmlns:a="${addressing}" soap:mustUnderstand="1">x</a:Action>`, 'ok'],
  ])('%s', async (_, block, expected) => {
    const text = body.replace('<soap:Body>', `<soap:Header>${block}</soap:Header><soap:Body>`);
    const server = await serve((response) => response.writeHead(200, { 'Content-Type': 'text/xml' }).end(text));
    expect(await outcome(send(open({ url: server.url, format: 'soap11' })))).toBe(expected);
  });
});
