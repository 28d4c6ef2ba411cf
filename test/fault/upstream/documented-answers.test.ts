/**
 * The table of refusals and failures in docs/upstreams.md, row by row, in every format: an upstream acts before it fails, and a client
 * that obeys the page pays once. A client that takes failures for refusals pays twice.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../../src/core/formats/wire-formats.ts';
import { services } from '../../../src/payments/index.ts';
import { recurringV25 } from '../../../src/payments/recurring/versions.ts';
import { builtIn, createGateway, type RunningGateway } from '../../../src/program/api/index.ts';
import { demoAuthorization } from '../../support/server.ts';
import { problemIn } from './problem-in.ts';

const page = readFileSync(new URL('../../../docs/upstreams.md', import.meta.url), 'utf8');
const rows = page
  .slice(page.indexOf('| the upstream | a write with a key'))
  .split('\n\n', 1)[0]!
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, upstream, header, none, read]) => ({ upstream: upstream!, cells: { header, none, read } }));

type Respond = (response: ServerResponse) => void;

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const html =
  (status: number, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html></html>');
const error = (status: number, errorType: string, headers = {}) =>
  json(status, { status, errorCode: '9042', message: 'In the words of the upstream', errorType }, headers);

const silent: Respond = () => {};

/** Examples of each row of the table. */
const examples: Readonly<Record<string, Readonly<Record<string, Respond | 'noConnection'>>>> = {
  'answers 402, 422 without invalid fields, or a declared fault in SOAP': {
    402: error(402, 'validation'),
    422: error(422, 'validation'),
  },
  'answers another 4xx': {
    '400': error(400, 'validation'),
    '403 that calls itself internal': error(403, 'internal'),
    '404 as a page': html(404),
    '409': error(409, 'validation'),
    '422 with fields': json(422, {
      ...{ status: 422, errorCode: '101', errorType: 'validation', message: 'Invalid card number' },
      invalidFields: [{ name: '/card/number', message: 'Invalid card number' }],
    }),
  },
  'answers 429 in its format': {
    429: error(429, 'security', { 'retry-after': '30' }),
    '429 that calls itself internal': error(429, 'internal', { 'retry-after': '30' }),
    '429 without a wait': error(429, 'security'),
  },
  'answers 429, or 503 with `Retry-After`, in no format of its own': {
    '429 as a page': html(429, { 'retry-after': '30' }),
    '503 as a page': html(503, { 'retry-after': '30' }),
  },
  'answers 408 or 425': { 408: error(408, 'validation'), 425: error(425, 'validation') },
  'answers 5xx in its format, but 502, 503 and 504, or any other fault in SOAP': {
    500: error(500, 'internal'),
    '500 with a wait': error(500, 'internal', { 'retry-after': '30' }),
    '500 of another type': error(500, 'validation'),
    501: error(501, 'internal'),
    '500 without a code': json(500, { message: 'Oops' }),
  },
  'answers 502, 503 or 504 in its format, or another 5xx without a text and a code': {
    503: error(503, 'internal'),
    '503 with a wait': error(503, 'internal', { 'retry-after': '30' }),
    '500 without a text': json(500, {}),
    '504 without a code': json(504, { message: 'Endpoint request timed out' }),
  },
  'answers another 5xx': {
    500: html(500),
    501: html(501),
    502: html(502),
    503: html(503),
    504: html(504),
  },
  'answers 301, 302 or 303': {
    301: html(301, { location: '/' }),
    302: html(302, { location: '/' }),
    303: html(303, { location: '/' }),
  },
  'answers 307 or 308': { 307: html(307, { location: '/' }), 308: html(308, { location: '/' }) },
  'answers what breaks the contract': {
    'another type': json(200, { result: ['Success'], details: 7 }),
    'a page': html(200),
    'no JSON': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":'),
  },
  'does not answer in time, or breaks the connection': {
    'in time': silent,
    broken: ({ socket }) => socket?.destroy(),
  },
  'accepts no connection': { closed: 'noConnection' },
};

test('the page has a row for each example', () => {
  expect(rows.map(({ upstream }) => upstream)).toEqual(Object.keys(examples));
});

const cases = rows.flatMap(({ upstream, cells }) =>
  Object.entries(examples[upstream] ?? {}).flatMap(([name, respond]) =>
    (['header', 'none', 'read'] as const).map((column) => ({
      ...{ upstream, name, respond, column, cell: cells[column] ?? '' },
    })),
  ),
);

describe.each(cases)('$upstream: $name, $column', ({ respond, column, cell }) => {
  test(`is ${cell}, and paid once`, async () => {
    const results = await payInEachFormat(respond, column, { cell });
    for (const { format, first, effects } of results) {
      const [status, word = status] = cell.split(', ');
      expect({ format, ...first }).toMatchObject({ format, word: word === 'final' ? 'refused' : word });
      const isShown = status === '429' || format === 'json' || format === 'form';
      if (/^\d+$/.test(status!) && isShown) expect(first.status).toBe(Number(status));
      if (first.word === 'again') expect(Number(first.retryAfter)).toBeGreaterThanOrEqual(1);
      if (column !== 'read') expect({ format, effects }).toEqual({ format, effects: 1 });
    }
    const waits = new Set(results.map(({ first }) => first.retryAfter));
    expect(waits.size).toBe(1);
  });
});

test.each([
  ['answers 5xx in its format, but 502, 503 and 504, or any other fault in SOAP', '500'],
  ['answers 502, 503 or 504 in its format, or another 5xx without a text and a code', '503 with a wait'],
  ['answers 429 in its format', '429'],
])('control: a client that takes what %s (%s) for a refusal pays twice', async (upstream, name) => {
  const results = await payInEachFormat(examples[upstream]![name]!, 'header', { cell: 'again', obeys: false });
  expect(results.map(({ effects }) => effects)).toEqual([2, 2, 2, 2, 2]);
});

interface ClientAnswer {
  readonly word: 'ok' | 'refused' | 'again' | 'unknown';
  readonly status: number;
  readonly retryAfter: string | null;
}

interface Options {
  /** Of the page. */
  readonly cell: string;
  /** Whether the client reads `transient-error`, as the page tells it to. */
  readonly obeys?: boolean;
}

/** Pays once in each format while the upstream fails so, and then as the answers tell a client to. */
async function payInEachFormat(
  respond: Respond | 'noConnection',
  column: 'header' | 'none' | 'read',
  { cell, obeys = true }: Options,
) {
  await using upstream = await startUpstream(respond, column, cell);
  const gateway = await createGateway({
    ...builtIn(),
    settings: { LOG_LEVEL: 'fatal' },
    upstreams: {
      other: {
        url: upstream.url,
        credentials: 'forward',
        idempotency: column === 'header' ? 'header' : 'none',
        ...(respond === silent && { timeouts: { headersMs: 300, bodyMs: 300, totalMs: 300 } }),
      },
    },
    answeredBy: { Recurring: 'other' },
  });
  try {
    const results = [];
    for (const format of namedProtocols) {
      const shopper = randomUUID();
      await upstream.fail();
      const send = (key: string) =>
        ask(gateway, format, column === 'read' ? 'listRecurringDetails' : 'storeToken', shopper, key);
      let key = randomUUID();
      const first = await send(key);
      await upstream.heal();
      for (let last: ClientAnswer = first; last.word === 'again' || last.word === 'refused'; last = await send(key))
        if (last.word === 'refused' || !obeys) key = randomUUID();
      results.push({ format, first, effects: upstream.effects.get(shopper) ?? 0 });
    }
    return results;
  } finally {
    await gateway.close();
  }
}

const protocols = createProtocols(services);

async function ask(
  gateway: RunningGateway,
  format: NamedProtocol,
  name: string,
  shopperReference: string,
  key: string,
): Promise<ClientAnswer> {
  const operation = recurringV25.operations.get(name)!;
  const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
  const input = {
    ...{ merchantAccount: 'DemoMerchant', shopperReference },
    ...(operation.effect === 'writes' && { card, recurring: { contract: ['RECURRING'] } }),
  };
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, input);
  const headers = { 'content-type': contentType, authorization: demoAuthorization, 'idempotency-key': key };
  const response = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  const text = await response.text();
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  if (status === 200) return { word: 'ok', status, retryAfter };
  const { message } = problemIn(format, response.headers.get('content-type') ?? '', text);
  if (response.headers.get('transient-error') === 'true') return { word: 'again', status, retryAfter };
  const isUnknown = message.startsWith('The outcome of this request is not known');
  return { word: isUnknown ? 'unknown' : 'refused', status, retryAfter };
}

/** A server that counts effects. Where the page does not promise that nothing is done, it acts before it fails. */
async function startUpstream(respond: Respond | 'noConnection', column: string, cell: string) {
  const effects = new Map<string, number>();
  const keys = new Set<string>();
  const actsFirst = cell.endsWith('unknown') || (column === 'header' && cell.endsWith('again'));
  let isFailing = false;
  const act = (shopper: string, key: string | undefined): void => {
    if (key !== undefined && keys.has(key)) return;
    if (key !== undefined) keys.add(key);
    effects.set(shopper, (effects.get(shopper) ?? 0) + 1);
  };
  const listener: RequestListener = async (request, response) => {
    const { shopperReference } = JSON.parse((await buffer(request)).toString()) as {
      readonly shopperReference: string;
    };
    const key = request.headers['idempotency-key'] as string | undefined;
    if (!isFailing || actsFirst) act(shopperReference, key);
    if (isFailing && respond !== 'noConnection') return respond(response);
    json(200, request.url?.endsWith('storeToken') ? stored : {})(response);
  };
  const server = createServer(listener);
  let port = 0;
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    effects,
    async fail() {
      isFailing = true;
      if (respond === 'noConnection') await close();
    },
    async heal() {
      isFailing = false;
      if (!server.listening) await listen();
    },
    [Symbol.asyncDispose]: close,
  };
}

const stored = { pspReference: '8815252013129012', recurringDetailReference: '8313147988756818', result: 'Success' };
