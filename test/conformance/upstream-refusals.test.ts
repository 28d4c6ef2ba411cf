/**
 * Every refusal of a JSON upstream, known to the contract or not, reaches a caller of each format in that format, with its code and text.
 * So does every error of an application, such as a fault of a SOAP server that declares none, and it is the outcome of a write.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { problems } from '../../src/core/contract/problem.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { builtIn, createGateway, type RunningGateway } from '../../src/program/api/index.ts';
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

async function ask(format: NamedProtocol, key?: string, at = gateway, operation = storeToken) {
  const sent = operation === storeToken ? input : { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, sent);
  const headers = {
    'content-type': contentType,
    authorization: demoAuthorization,
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const response = await at.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  const text = await response.text();
  const shown = problemIn(format, response.headers.get('content-type') ?? '', text);
  const transient = response.headers.get('transient-error');
  return { status: response.status, reference: response.headers.get('pspReference'), transient, text, shown };
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
    const { status, reference, transient, shown } = await ask(format);
    expect({ ...shown, message: unescaped(shown.message) }).toEqual({
      type: each.errorType,
      code: each.errorCode,
      message: each.message,
    });
    // The sender has nothing to correct in what may be sent again.
    const isOfReceiver = format === 'soap12' && transient === 'true' && status !== each.status;
    expect(isOfReceiver ? [500] : statusesOf(format, each.status)).toContain(status);
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

type Answer = readonly [status: number, contentType: string, body: string];

const inSoap11 = (fault: string, status = 500): Answer => [
  status,
  'text/xml; charset=utf-8',
  `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>${fault}</S:Fault></S:Body></S:Envelope>`,
];
const inSoap12 = (fault: string, status = 500): Answer => [
  status,
  'application/soap+xml; charset=utf-8',
  `<S:Envelope xmlns:S="http://www.w3.org/2003/05/soap-envelope"><S:Body><S:Fault>${fault}</S:Fault></S:Body></S:Envelope>`,
];
const inJson = (status: number, body: object, type = 'application/json'): Answer => [
  status,
  type,
  JSON.stringify(body),
];

/** What stacks answer where an operation throws, and neither the fault nor its code is declared. */
const applicationErrors: readonly (readonly [string, NamedProtocol, Answer])[] = [
  ['PHP', 'soap11', inSoap11('<faultcode>SOAP-ENV:Server</faultcode><faultstring>insufficient funds</faultstring>')],
  [
    'PHP with a detail',
    'soap11',
    inSoap11(
      '<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring><detail><balance xmlns="urn:bank">7</balance></detail>',
    ),
  ],
  [
    'PHP, SOAP 1.2',
    'soap12',
    inSoap12(
      '<S:Code><S:Value>S:Receiver</S:Value></S:Code><S:Reason><S:Text xml:lang="en">insufficient funds</S:Text></S:Reason>',
    ),
  ],
  [
    'asmx',
    'soap11',
    inSoap11(
      '<faultcode>S:Server</faultcode><faultstring>System.Web.Services.Protocols.SoapException: Server was unable to process request. ---&gt; System.Exception: insufficient funds</faultstring><detail />',
    ),
  ],
  [
    'a runtime exception of JAX-WS',
    'soap11',
    inSoap11(
      '<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring><detail><ns2:exception xmlns:ns2="http://jax-ws.dev.java.net/" class="java.lang.RuntimeException"><message>insufficient funds</message><ns2:stackTrace><ns2:frame class="secret.Bank" line="7"/></ns2:stackTrace></ns2:exception></detail>',
    ),
  ],
  [
    'Axis2',
    'soap11',
    inSoap11(
      '<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring><detail><Exception>java.lang.RuntimeException: insufficient funds\n\tat secret.Bank.pay(Bank.java:7)</Exception></detail>',
    ),
  ],
  [
    'a runtime exception of JAX-WS, SOAP 1.2',
    'soap12',
    inSoap12(
      '<S:Code><S:Value>S:Receiver</S:Value></S:Code><S:Reason><S:Text xml:lang="en">insufficient funds</S:Text></S:Reason>',
    ),
  ],
  [
    'spyne',
    'soap11',
    inSoap11('<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring><faultactor></faultactor>'),
  ],
  [
    'a fault with the status of success',
    'soap11',
    inSoap11('<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring>', 200),
  ],
  [
    'a fault below 400',
    'soap11',
    inSoap11('<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring>', 400),
  ],
  [
    'a fault below 503',
    'soap11',
    inSoap11('<faultcode>S:Server</faultcode><faultstring>insufficient funds</faultstring>', 503),
  ],
  ['express', 'json', inJson(500, { message: 'insufficient funds' })],
  ['a JSON error with a code', 'json', inJson(500, { code: 'FUNDS', message: 'insufficient funds' })],
  ['Spring Boot', 'json', inJson(500, { timestamp: 't', status: 500, error: 'insufficient funds', path: '/pay' })],
  ['problem details', 'json', inJson(500, { title: 'insufficient funds', status: 500 }, 'application/problem+json')],
  ['a JSON error below 501', 'json', inJson(501, { message: 'insufficient funds' })],
];

/** What no application wrote, or what says nothing. */
const otherAnswers: readonly (readonly [string, NamedProtocol, Answer])[] = [
  ['a page below 500', 'soap11', [500, 'text/html', '<html>insufficient funds</html>']],
  ['no body below 500', 'soap11', [500, 'text/xml', '']],
  [
    'an envelope that is cut',
    'soap11',
    [500, 'text/xml', inSoap11('<faultcode>S:Server</faultcode>')[2].slice(0, -30)],
  ],
  ['a page below 502', 'json', [502, 'text/html', '<html></html>']],
  ['JSON of a proxy below 504', 'json', inJson(504, { message: 'Endpoint request timed out' })],
  ['JSON that says nothing', 'json', inJson(500, {})],
];

/** A gateway in front of a server that answers everything so, and counts. `settings`: of the upstream. */
async function openBefore(format: NamedProtocol, answer: Answer, settings: object = {}) {
  const [status, contentType, body] = answer;
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      asked += 1;
      response.writeHead(status, { 'content-type': contentType }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = await createGateway({
    ...builtIn(),
    // One pending request would refuse each further write. Where a retry asks again, it is pending until then.
    settings: { LOG_LEVEL: 'fatal', PENDING_MAX: 'idempotency' in settings ? '100' : '1' },
    upstreams: { other: { url, format, credentials: 'forward', ...settings } },
    answeredBy: { Recurring: 'other' },
  });
  return {
    gateway: opened,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      await opened.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

const isUnknown = (message: string) => message.startsWith('The outcome of this request is not known');

describe.each(applicationErrors)('an error of an application: %s', (name, spoken, answer) => {
  test('is the outcome of a write in each format, and nothing is pending', async () => {
    await using before = await openBefore(spoken, answer);
    for (const format of namedProtocols) {
      const unkeyed = await ask(format, undefined, before.gateway);
      const key = `key of ${format} ${name}`.replaceAll(' ', '-').slice(0, 64);
      const keyed = await ask(format, key, before.gateway);
      const asked = before.asked();
      for (const { shown, status, transient, text } of [unkeyed, keyed, await ask(format, key, before.gateway)]) {
        expect({ format, text: unescaped(shown.message) }).toMatchObject({
          format,
          text: expect.stringContaining('insufficient funds'),
        });
        expect({ format, status: status >= 500 || format === 'soap12', transient }).toEqual({
          format,
          status: true,
          transient: null,
        });
        expect(text).not.toContain('secret.Bank');
        if (name === 'PHP with a detail' && format !== 'adapter')
          expect(decodeURIComponent(text.replaceAll('+', ' '))).toMatch(/balance xmlns=\\?"urn:bank\\?">7/);
        if (name === 'a JSON error with a code') expect(shown.code).toBe('FUNDS');
      }
      expect(before.asked()).toBe(asked);
    }
  });
});

test('an error of an application is transient where the upstream deduplicates, and the retry is sent', async () => {
  const [, spoken, answer] = applicationErrors[0]!;
  await using before = await openBefore(spoken, answer, { idempotency: 'header' });
  for (const format of namedProtocols)
    for (let retries = 0; retries < 2; retries += 1) {
      const asked = before.asked();
      const { transient, shown } = await ask(format, `key-of-${format}`, before.gateway);
      expect({ format, transient, text: shown.message }).toEqual({
        format,
        transient: 'true',
        text: expect.stringContaining('insufficient funds'),
      });
      expect(before.asked()).toBe(asked + 1);
    }
  expect(await ask('json', undefined, before.gateway)).toMatchObject({
    transient: null,
    shown: { message: 'insufficient funds' },
  });
});

test.each(applicationErrors)('is unknown where the setting says so: %s', async (_, spoken, answer) => {
  await using before = await openBefore(spoken, answer, { serverErrors: 'unknown' });
  for (const format of namedProtocols) {
    const { shown, transient } = await ask(format, undefined, before.gateway);
    expect({ format, transient, isUnknown: isUnknown(shown.message) }).toEqual({
      format,
      transient: 'false',
      isUnknown: true,
    });
  }
  expect((await ask('json', 'one-key-that-is-pending', before.gateway)).transient).toBe('false');
});

test.each(otherAnswers)('leaves the outcome unknown: %s', async (_, spoken, answer) => {
  await using before = await openBefore(spoken, answer);
  for (const format of namedProtocols) {
    const { shown } = await ask(format, undefined, before.gateway);
    expect({ format, isUnknown: isUnknown(shown.message) }).toEqual({ format, isUnknown: true });
  }
  expect(isUnknown((await ask('json', 'the-first-key', before.gateway)).shown.message)).toBe(true);
  expect((await ask('json', 'the-second-key', before.gateway)).status).toBe(503);
});

test('an error of an application reaches readers in its own words', async () => {
  const list = recurringV25.operations.get('listRecurringDetails')!;
  const [, spoken, answer] = applicationErrors[1]!;
  await using before = await openBefore(spoken, answer);
  for (const format of namedProtocols) {
    const { shown, transient } = await ask(format, undefined, before.gateway, list);
    expect({ format, transient, text: shown.message }).toEqual({
      format,
      transient: 'true',
      text: expect.stringContaining('insufficient funds'),
    });
  }
});
