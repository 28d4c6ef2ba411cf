/** Circuits of an upstream: what one caller's requests provoke refuses no other caller, and what fails for all refuses all. */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { placeOrder } from '../../examples/orders/contract.ts';
import { CircuitBreaker } from '../../src/core/lib/circuit-breaker.ts';
import {
  answerJson,
  type Behaviour,
  openUpstream,
  outcome,
  placed,
  send,
  startUpstreamServer,
  type TestUpstream,
} from '../support/upstream-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function keep<T extends AsyncDisposable>(resource: T): T {
  cleanups.push(async () => resource[Symbol.asyncDispose]());
  return resource;
}

let now = 0;
const hangs: Behaviour = () => {};
const patient = { connectMs: 60_000, headersMs: 60_000, bodyMs: 60_000, totalMs: 60_000 };
/** The upstream behaves so to requests of `hostile`, and answers all others. */
const openWith = async (behave: Behaviour) => {
  now = 0;
  const server = keep(
    await startUpstreamServer((response, request, socket) => {
      if (request.headers.authorization?.startsWith('hostile')) behave(response, request, socket);
      else answerJson(response, 200, placed);
    }),
  );
  const timeouts = behave === hangs ? { ...patient, totalMs: 300 } : patient;
  return { server, shop: keep(openUpstream({ url: server.url, timeouts, clock: { now: () => now } })) };
};

interface From {
  readonly name: string;
  readonly address?: string;
  /** The upstream decides about the credential. */
  readonly isForwarded?: boolean;
}

const place = (shop: TestUpstream, { name, address = '192.0.2.1', isForwarded = false }: From) =>
  outcome(
    send(shop, {
      operation: placeOrder,
      headers: { authorization: name },
      address,
      caller: { credential: name, ...(isForwarded && { rights: 'upstream' as const }) },
    }),
  );
const repeat = async (times: number, work: (at: number) => Promise<string>) => {
  const found: string[] = [];
  for (let at = 0; at < times; at += 1) found.push(await work(at));
  return found;
};

const html =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html></html>');
const raw =
  (text: string): Behaviour =>
  (_, __, socket: Socket) =>
    socket.end(text);
const json =
  (status: number, body: object): Behaviour =>
  (response) =>
    answerJson(response, status, body);

/** What a request of one caller can provoke, and whether this caller is refused after it. */
const provoked: Readonly<Record<string, readonly [Behaviour, isRefused: boolean]>> = {
  'a reset': [(_, __, socket) => socket.resetAndDestroy(), true],
  'no answer in time': [hangs, true],
  'half of an answer': [raw('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'), true],
  'no HTTP': [raw('220 smtp\r\n'), true],
  '408': [json(408, {}), true],
  '500 as a page': [html(500), true],
  '502 of a proxy': [html(502), true],
  '500 in the format': [json(500, { message: 'Oops' }), false],
  'an answer of another format': [html(200), false],
  'what breaks the contract': [json(200, { status: 'perhaps' }), false],
  'too many bytes': [json(200, { ...placed, more: 'x'.repeat(200_000) }), false],
  'a refusal': [json(422, { message: 'No' }), false],
  'a limit': [html(429), false],
};

describe.each(Object.entries(provoked))('%s', (_, [behave, isRefused]) => {
  test.each([
    ['a credential', (): From => ({ name: 'hostile' })],
    ['credentials that are made up', (at: number): From => ({ name: `hostile ${at}`, isForwarded: true })],
  ])('of %s refuses no other caller', async (__, from) => {
    const { shop } = await openWith(behave);
    await repeat(12, (at) => place(shop, from(at)));
    expect(await place(shop, { name: 'neighbour', address: '198.51.100.7' })).toBe('ok');
    expect(shop.upstream.isRefusing).toBe(false);
  });

  test(`refuses its own caller: ${isRefused}`, async () => {
    const { shop, server } = await openWith(behave);
    const found = await repeat(12, () => place(shop, { name: 'hostile' }));
    expect(found.slice(10)).toEqual(isRefused ? Array(2).fill('not sent: circuitOpen') : found.slice(0, 2));
    expect(server.received).toHaveLength(isRefused ? 10 : 12);
    expect(shop.upstream.isDown).toBe(isRefused);
    // Others neither close its circuit nor are refused by it.
    expect(await place(shop, { name: 'neighbour' })).toBe('ok');
    if (isRefused) expect(await place(shop, { name: 'hostile' })).toBe('not sent: circuitOpen');
    expect(shop.upstream.isDown).toBe(false);
  });
});

test('control: one circuit for all refuses the neighbour', () => {
  const one = new CircuitBreaker({ clock: { now: () => 0 }, failuresMax: 10, openMs: () => 1_000, probeMsMax: 1_000 });
  for (let at = 0; at < 12; at += 1) if (one.tryAcquire().isAllowed) one.fail();
  expect(one.tryAcquire()).toMatchObject({ isAllowed: false });
});

test('failures of several callers refuse all, until a request of any succeeds', async () => {
  let isUp = false;
  const { shop } = await openWith((response) =>
    isUp ? answerJson(response, 200, placed) : html(502)(response, undefined as never, undefined as never),
  );
  await repeat(10, (at) => place(shop, { name: `hostile ${at % 5}` }));
  expect([shop.upstream.isDown, shop.upstream.isRefusing]).toEqual([true, true]);
  expect(await place(shop, { name: 'neighbour' })).toBe('not sent: circuitOpen');
  isUp = true;
  now += 1_000;
  expect(await place(shop, { name: 'hostile 1' })).toBe('ok');
  expect(await place(shop, { name: 'neighbour' })).toBe('ok');
  expect(shop.events.map(({ kind }) => kind).filter((kind) => kind !== 'failed')).toEqual(['down', 'up']);
});

test('a request of the hostile caller that probes does not keep the circuit of all open', async () => {
  const { shop } = await openWith(html(502));
  await repeat(9, () => place(shop, { name: 'hostile' }));
  await repeat(5, (at) => place(shop, { name: `hostile ${at}` }));
  expect(shop.upstream.isRefusing).toBe(true);
  now += 1_000;
  expect(await place(shop, { name: 'hostile' })).toBe('unknown: proxyError (502)');
  expect(await place(shop, { name: 'neighbour' })).toBe('ok');
});

test('without a connection, requests of one caller refuse all: a single caller is enough', async () => {
  const server = await startUpstreamServer(() => {});
  const shop = keep(openUpstream({ url: server.url, clock: { now: () => 0 } }));
  await server[Symbol.asyncDispose]();
  await repeat(10, () => place(shop, { name: 'only' }));
  expect(await place(shop, { name: 'neighbour' })).toBe('not sent: circuitOpen');
  expect([shop.upstream.isDown, shop.upstream.isRefusing]).toEqual([true, true]);
});

test('a success between failures keeps the circuit of its caller closed', async () => {
  let count = 0;
  const { shop } = await openWith((response) => {
    count += 1;
    if (count % 10 === 0) answerJson(response, 200, placed);
    else html(502)(response, undefined as never, undefined as never);
  });
  const found = await repeat(30, () => place(shop, { name: 'hostile' }));
  expect(found).not.toContain('not sent: circuitOpen');
});

test('callers who make up credentials take no more memory than the limit, and are counted by their address', async () => {
  const { shop } = await openWith((_, __, socket) => socket.resetAndDestroy());
  for (let at = 0; at < 1_200; at += 1) await place(shop, { name: `hostile ${at}`, isForwarded: true });
  expect(await place(shop, { name: 'neighbour', address: '198.51.100.7' })).toBe('ok');
});
