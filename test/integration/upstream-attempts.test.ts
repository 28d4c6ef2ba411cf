/** Attempts of one request to an upstream that deduplicates: the last one does not hide that an earlier one got no answer. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AnyRequest } from '../../src/core/contract/canonical.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { NotSent, OutcomeUnknown } from '../../src/core/idempotency/ports.ts';
import { clock } from '../../src/core/lib/clock.ts';
import { createUpstream, type Upstream } from '../../src/forward/create-upstream.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { listenLocally } from '../support/listen-locally.ts';

type Respond = (response: ServerResponse) => void;

let server: Server;
let upstream: Upstream;
let responses: Respond[];
let keys: (string | undefined)[];

beforeEach(async () => {
  responses = [];
  keys = [];
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      keys.push(request.headers['x-key'] as string | undefined);
      responses.shift()!(response);
    });
  });
  upstream = createUpstream({
    name: 'payments',
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    format: 'json',
    protocols: createProtocols([recurringV25]),
    referenceHeader: 'pspReference',
    key: { header: 'x-key' },
    credentials: { find: () => ({}), areOfCaller: true },
    timeouts: { connectMs: 1_000, headersMs: 5_000, bodyMs: 5_000, totalMs: 10_000 },
    connections: 1,
    queueMax: 10,
    responseBytesMax: 100_000,
    clock,
    report: () => {},
  });
});
afterEach(async () => {
  await upstream.close();
  server.closeAllConnections();
  server.close();
});

const reset: Respond = ({ socket }) => socket!.destroy();
const respond =
  (status: number, body: object): Respond =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const refusal = respond(403, { status: 403, errorCode: '010', message: 'Not allowed', errorType: 'security' });
const disabled = { response: '[detail-successfully-disabled]' };

const ask = async (name = 'disable'): Promise<unknown> => {
  const operation = recurringV25.operations.get(name)!;
  const input = { merchantAccount: 'Shop', shopperReference: 'anna' };
  const request = { service: recurringV25, operation, input, requestReference: 'R', caller: {}, head: { headers: {} } };
  try {
    return await upstream.handler(recurringV25, operation).forward(request as never as AnyRequest, {}, 'the-key');
  } catch (thrown) {
    return thrown;
  }
};

test('an answer after an attempt without one is the answer', async () => {
  responses.push(reset, respond(200, disabled));
  expect(await ask()).toMatchObject({ output: disabled });
  expect(keys).toEqual(['the-key', 'the-key']);
});
test('a refusal after an attempt without an answer is no refusal of both', async () => {
  responses.push(reset, refusal);
  const thrown = await ask();
  expect(thrown).toBeInstanceOf(OutcomeUnknown);
  expect((thrown as OutcomeUnknown).refusal?.code).toBe('010');
});
test('a refused connection after an attempt without an answer does not say that nothing was sent', async () => {
  responses.push((response) => {
    server.close();
    reset(response);
  });
  expect(await ask()).toBeInstanceOf(OutcomeUnknown);
  expect(await ask()).toBeInstanceOf(NotSent);
});
test('a refusal alone is one, and so is one of a read in any attempt', async () => {
  responses.push(refusal, reset, refusal);
  expect(await ask()).toBeInstanceOf(Problem);
  expect(await ask('listRecurringDetails')).toMatchObject({ code: '010' });
});
