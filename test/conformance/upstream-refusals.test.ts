/** Every refusal of a JSON upstream, known to the contract or not, reaches a caller of each format in that format, with its code and text. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtIn, createGateway, type RunningGateway } from '../../src/api/index.ts';
import { problems } from '../../src/contract/problem.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { recurringProblems } from '../../src/services/recurring/problems.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { problemIn } from '../fault/upstream/problem-in.ts';
import { formats } from '../formats/index.ts';
import { demoAuthorization } from '../support/server.ts';

interface Refusal {
  readonly status: number;
  readonly errorCode: string;
  readonly message: string;
  readonly errorType: string;
  readonly pspReference: string;
  readonly invalidFields?: readonly { readonly name: string; readonly message: string }[];
}

const pspReference = '8815252013129099';

/** Those that a server behind the gateway may give; the blanks are filled. */
const known = Object.entries({ ...problems, ...recurringProblems })
  // 408 is of something before the server, which may have acted.
  .filter(([, { status, type }]) => status >= 400 && status < 500 && status !== 408 && type !== 'internal')
  .map(([name, { status, code: errorCode, message, type: errorType }]): readonly [string, Refusal] => [
    name,
    { status, errorCode, errorType, message: message.replace(/\{\d\}/g, 'blank'), pspReference },
  ]);

const unknown: readonly (readonly [string, Refusal])[] = [
  [
    'a code that no contract has',
    { status: 422, errorCode: '9001', errorType: 'validation', message: 'Not on a <Sunday> & "so on"', pspReference },
  ],
  [
    'a known code with another text',
    { status: 422, errorCode: '800', errorType: 'validation', message: 'Vertrag nicht gefunden: ä', pspReference },
  ],
  [
    'a status of its own',
    { status: 402, errorCode: '9002', errorType: 'validation', message: 'Payment required', pspReference },
  ],
  [
    'a configuration error',
    {
      status: 403,
      errorCode: '905',
      errorType: 'configuration',
      message: 'Payment details are not supported',
      pspReference,
    },
  ],
  [
    'fields',
    {
      status: 422,
      errorCode: '101',
      errorType: 'validation',
      message: 'Invalid card number',
      invalidFields: [
        { name: '/card/number', message: 'Invalid card number' },
        { name: '/card/holderName', message: 'Too short' },
      ],
      pspReference,
    },
  ],
];

let upstream: Server;
let gateway: RunningGateway;
let refusal: Refusal;
beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    });
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  gateway = await createGateway({
    ...builtIn(),
    settings: { LOG_LEVEL: 'fatal' },
    upstreams: { other: { url, credentials: 'forward' } },
    answeredBy: { Recurring: 'other' },
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
  upstream.closeAllConnections();
});

const protocols = createProtocols(services);
const storeToken = recurringV25.operations.get('storeToken')!;
const input = {
  merchantAccount: 'DemoMerchant',
  shopperReference: 'shopper-1',
  card: { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' },
  recurring: { contract: ['RECURRING'] },
};

async function ask(format: NamedProtocol, key?: string) {
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, storeToken, input);
  const headers = {
    'content-type': contentType,
    authorization: demoAuthorization,
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const response = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  const text = await response.text();
  const shown = problemIn(format, response.headers.get('content-type') ?? '', text);
  return { status: response.status, reference: response.headers.get('pspReference'), text, shown };
}

/** As XML and text print it. */
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** SOAP and the form adapter have one status for refusals by an operation, and keep those of others. */
const statusesOf = (format: NamedProtocol, status: number): readonly number[] => {
  const { status422 } = formats[format];
  return status422 === 422 ? [status] : [status, status422];
};

describe.each(namedProtocols)('%s', (format) => {
  test.each([...known, ...unknown])('%s', async (_, each) => {
    refusal = each;
    const { status, reference, shown } = await ask(format);
    expect({ ...shown, message: unescaped(shown.message) }).toEqual({
      type: each.errorType,
      code: each.errorCode,
      message: each.message,
    });
    expect(statusesOf(format, each.status)).toContain(status);
    expect(reference).toBe(pspReference);
  });
});

test('fields are named in the coordinates of the caller', async () => {
  [, refusal] = unknown.at(-1)!;
  expect((await ask('json')).text).toContain('"name":"/card/holderName","message":"Too short"');
  expect((await ask('form')).text).toContain('invalidFields.1.name=card.holderName&invalidFields.1.message=Too+short');
  expect((await ask('soap11')).text).toContain(
    '<f:name>/Envelope/Body/storeToken/request/card/holderName</f:name><f:message>Too short</f:message>',
  );
});

test('a retry with the key of a refused request gets the refusal again, in its own format', async () => {
  [, refusal] = unknown[0]!;
  const first = refusal;
  await ask('json', 'key-of-a-refusal-1');
  refusal = unknown[2]![1];
  const { shown } = await ask('soap11', 'key-of-a-refusal-1');
  expect(unescaped(shown.message)).toBe(first.message);
});
