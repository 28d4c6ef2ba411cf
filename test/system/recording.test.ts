/** Recordings as HAR, as mappings of WireMock and as answers of a mock, and archives of a browser that are replayed. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recurringV25 as service } from '../../src/payments/recurring/versions.ts';
import { createMocks } from '../../src/program/testing/mock/mock.ts';
import { compileReplay, type RecordedAnswer } from '../../src/program/testing/mock/recorded-answers.ts';
import { triglyph } from '../support/commands.ts';
import { faultsOfHar } from '../support/har.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const path = (name: string): string => join(folder.path, name);
const read = (name: string): string => readFileSync(path(name), 'utf8');
const write = (name: string, value: object): void => writeFileSync(path(name), JSON.stringify(value));
const run = (...parameters: string[]) => triglyph(parameters, folder.path);

const card = { number: '************1111', expiryMonth: '03', expiryYear: '2030', holderName: 'Änna <&>' };
const record = (operation: string, changes: object) => ({
  ...{ at: '2026-11-24T12:00:00.000Z', service: 'Recurring', version: 25, operation, effect: 'reads' },
  ...{ format: 'soap11', caller: 'cr_a', tenant: 'Acme', reference: 'r-1', outcome: 'ok', status: 200, ms: 12.5 },
  input: { merchantAccount: 'AcmeWeb', shopperReference: 'one' },
  ...changes,
});
const creationDate = Date.parse('2026-01-02T03:04:05Z');
const stored = { ...card, number: '1111' };
/** An account number is sensitive in answers, too. */
const bank = { iban: '**************6789', ownerName: 'Anna', bankName: 'Test Bank', countryCode: 'NL' };
const detail = { recurringDetailReference: 'D1', firstPspReference: '8815252013129012', variant: 'visa', creationDate };
const listed = { creationDate, shopperReference: 'one', details: [{ ...detail, card: stored }] };
const refusal = { outcome: 'contractNotFound', status: 422, refusal: { code: '800', message: 'Contract not found' } };
const records = [
  record('listRecurringDetails', { output: listed }),
  record('listRecurringDetails', {
    format: 'json',
    reference: 'r-2',
    output: { ...listed, shopperReference: 'two', details: [{ ...detail, bank }] },
  }),
  record('disable', { format: 'form', effect: 'writes', reference: 'r-3', ...refusal }),
  record('storeToken', {
    ...{
      format: 'json',
      effect: 'writes',
      reference: 'r-4',
      isMasked: true,
      output: { result: 'Success', pspReference: '8815252013129013', recurringDetailReference: 'D9' },
    },
    input: { merchantAccount: 'AcmeWeb', shopperReference: 'one', card, recurring: { contract: ['RECURRING'] } },
  }),
  record('listRecurringDetails', { version: 999 }),
];

let server: Server;
let url: string;
let asked: string[] = [];

beforeAll(async () => {
  writeFileSync(path('calls.jsonl'), records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push(`${request.headers.authorization} ${Buffer.concat(chunks)}`);
    const body = JSON.stringify({ creationDate: '2026-01-02T03:04:05Z', shopperReference: 'one' });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  folder.discard();
});

const importedOf = (name: string) =>
  read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const kept = ({
  service,
  version,
  operation,
  effect,
  format,
  reference,
  input,
  output,
  isMasked,
  refusal: refused,
}: ReturnType<typeof importedOf>[number]) => ({
  ...{ service, version, operation, effect, format, reference, input, output, isMasked, refused },
});

test.each(['har', 'wiremock'])(
  'a recording as %s is the same when it comes back, and masked members stay masked',
  async (as) => {
    const exported = await run('recording', 'export', 'calls.jsonl', '--as', as, '--out', `${as}.json`);
    expect([exported.code, exported.stderr, exported.stdout]).toEqual([
      ...[0, '', `4 requests are in ${as}.json; 1 left out, which the contract cannot write\n`],
    ]);
    const imported = await run('recording', 'import', `${as}.json`, '--out', `${as}.jsonl`);
    expect([imported.code, imported.stdout]).toEqual([0, `4 requests are in ${as}.jsonl\n`]);
    const written = records.slice(0, 4).map((each) => kept(JSON.parse(JSON.stringify(each))));
    expect(importedOf(`${as}.jsonl`).map(kept)).toEqual(written);
  },
);

test('an exported archive is HTTP Archive 1.2', () => {
  const har = JSON.parse(read('har.json'));
  expect(faultsOfHar(har)).toEqual([]);
  expect(har.log.entries[0].request).toMatchObject({
    method: 'POST',
    url: 'http://127.0.0.1:8080/pal/servlet/Recurring/v25',
  });
  expect(har.log.entries[0].request.postData.text).toContain('listRecurringDetails');
  expect(JSON.stringify(har)).not.toContain('4111');
});

test('control: an archive that lacks something is found', () => {
  const har = JSON.parse(read('har.json'));
  delete har.log.entries[0].response.content;
  expect(faultsOfHar(har)).not.toEqual([]);
});

const envelope = `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>
  <listRecurringDetails xmlns="http://recurring.services.adyen.com"><request><merchantAccount>AcmeWeb</merchantAccount>
  <shopperReference>one</shopperReference></request></listRecurringDetails></soapenv:Body></soapenv:Envelope>`;
const soapAnswer = envelope.replaceAll('listRecurringDetails', 'listRecurringDetailsResponse').replace(
  /<request>.*<\/request>/s,
  `<result><creationDate>2026-01-02T04:04:05+01:00</creationDate>
  <shopperReference>one</shopperReference></result>`,
);

/** As a browser or a proxy writes it. */
const entry = (type: string, body: object, answer: object, path = '') => ({
  startedDateTime: '2026-11-24T13:00:00.123+01:00',
  time: 41.7,
  request: {
    ...{
      method: 'POST',
      url: `https://pay.example.com/pal/servlet/Recurring/v25${path}`,
      httpVersion: 'h2',
      cookies: [],
    },
    headers: [
      ...[
        { name: ':method', value: 'POST' },
        { name: 'Content-Type', value: type },
      ],
      ...[
        { name: 'Authorization', value: 'Basic c2VjcmV0' },
        { name: 'Content-Encoding', value: 'gzip' },
      ],
    ],
    ...{ queryString: [], headersSize: -1, bodySize: 1, postData: { mimeType: type, ...body } },
  },
  response: {
    ...{ status: 200, statusText: '', httpVersion: 'h2', cookies: [], redirectURL: '', headersSize: -1, bodySize: 1 },
    headers: [{ name: 'content-type', value: type }],
    content: { size: 1, mimeType: type, ...answer },
  },
  ...{ cache: {}, timings: { send: 0, wait: 41.7, receive: 0 } },
});

test('an archive of a browser with SOAP and JSON is replayed, without credentials and without what is no call', async () => {
  const json = JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: 'one' });
  const answer = JSON.stringify({ creationDate: '2026-01-02T03:04:05Z', shopperReference: 'one' });
  const base64 = Buffer.from(answer).toString('base64');
  const hostile = entry('application/json', { text: json }, { text: answer }, '/../../../etc/passwd');
  const entries = [
    entry('text/xml', { text: envelope }, { text: soapAnswer }),
    entry('application/json', { text: json }, { text: base64, encoding: 'base64' }, '/listRecurringDetails'),
    entry('application/json', { text: '{"merchantAccount":7}' }, { text: answer }, '/listRecurringDetails'),
    entry('text/html', { text: '<html>' }, { text: '<html>' }, '/logo.png'),
    hostile,
    ...[null, 'text', { request: {}, response: {} }, { ...hostile, request: { ...hostile.request, url: 'no url' } }],
  ];
  write('browser.har', { log: { version: '1.2', creator: { name: 'a proxy', version: '1' }, entries } });
  const imported = await run('recording', 'import', 'browser.har', '--out', 'browser.jsonl');
  expect(imported.stdout).toContain('2 requests are in browser.jsonl; 7 left out:');
  expect(imported.code).toBe(0);
  expect(read('browser.jsonl')).not.toContain('c2VjcmV0');
  asked = [];
  const command = ['replay', 'browser.jsonl', '--against', url, '--rate', '100', '--format', 'json', '--json'];
  const { code, stdout } = await triglyph(command, folder.path);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { compared: 2, different: 0 }]);
  expect(asked).toEqual([`undefined ${json}`, `undefined ${json}`]);
});

test('what is masked in an archive is not sent', async () => {
  asked = [];
  for (const name of ['har.jsonl', 'wiremock.jsonl']) {
    const { stdout } = await run('replay', name, '--against', url, '--writes', '--only', 'storeToken', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ compared: 0, skipped: { masked: 1 } });
  }
  expect(asked).toEqual([]);
});

test('a file that is none of both says so, and patterns are left out', async () => {
  writeFileSync(path('text.har'), '<html>');
  expect(await run('recording', 'import', 'text.har', '--out', 'x.jsonl')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('text.har is no JSON') },
  });
  write('other.json', { openapi: '3.1.0' });
  expect(await run('recording', 'import', 'other.json', '--out', 'x.jsonl')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('neither an HTTP archive nor stub mappings') },
  });
  const response = { status: 200, jsonBody: {} };
  const mappings = [
    { request: { method: 'POST', urlPattern: '/pal/.*' }, response },
    { request: { method: 'POST', url: '/pal/servlet/Recurring/v25', bodyPatterns: [{ matches: '.*' }] }, response },
    { request: { method: 'POST', url: '/x' }, response: { bodyFileName: '../../../etc/passwd' } },
    { request: { method: 'POST', url: '/x' }, response: { fault: 'EMPTY_RESPONSE' } },
  ];
  write('patterns.json', { mappings });
  const patterns = await run('recording', 'import', 'patterns.json', '--out', 'x.jsonl');
  expect(patterns.code).toBe(1);
  expect(patterns.stdout).toContain('0 requests are in x.jsonl; 4 left out:');
  expect(patterns.stdout).toContain('which is not read');
});

test('an archive that someone made up ends in reasons, and reaches a terminal without control characters', async () => {
  const whole = entry('text/xml', { text: envelope }, { text: soapAnswer });
  const noText = { toString: 1, valueOf: 1 };
  const entries = [
    whole,
    { ...whole, time: 1e300 },
    { ...whole, startedDateTime: noText },
    { ...whole, request: { ...whole.request, url: noText } },
    { ...whole, request: { ...whole.request, method: noText } },
    { ...whole, request: { ...whole.request, headers: [{ name: noText, value: noText }] } },
    { ...whole, request: { ...whole.request, headers: [{ name: '__proto__', value: 'x' }] } },
    { ...whole, response: { ...whole.response, status: 1e300 } },
  ];
  const har = JSON.stringify({ log: { version: '1.2', creator: { name: 'a proxy', version: '1' }, entries } });
  const nested = `${'{"deep":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const notes = `{"_triglyph":{"record":${nested}},${JSON.stringify(whole).slice(1)}`;
  writeFileSync(path('hostile.har'), har.replace('"entries":[', `"entries":[${notes},`));
  const imported = await run('recording', 'import', 'hostile.har', '--out', 'hostile.jsonl');
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  expect(importedOf('hostile.jsonl')[0]).toMatchObject({ operation: 'listRecurringDetails' });
  writeFileSync(path('escape.har'), '\u001b]0;title\u0007\u001b[2J{');
  const escaped = await run('recording', 'import', 'escape.har', '--out', 'x.jsonl');
  expect(escaped).toMatchObject({ code: 1, stderr: expect.stringContaining('escape.har is no JSON') });
  expect(escaped.stderr).not.toMatch(/[^\n\P{C}]/u);
});

test('a mock answers as it was recorded', async () => {
  const exported = await run('recording', 'export', 'calls.jsonl', '--as', 'answers', '--out', 'answers.json');
  expect(exported.stdout).toMatch(/^[34] requests are in answers.json/);
  const { answers } = JSON.parse(read('answers.json')) as { readonly answers: readonly RecordedAnswer[] };
  createMocks([{ service, olderVersions: [] }], { answers });
  const replay = (operation: string) => compileReplay(answers, service, service.operations.get(operation)!)!;
  const account = { merchantAccount: 'AcmeWeb', shopperReference: 'one' };
  // The last one of equal requests, with an account number of the contract in place of the masked one.
  const answer = replay('listRecurringDetails')(account) as { readonly details: readonly { readonly bank: object }[] };
  expect(answer).toMatchObject({ shopperReference: 'two', details: [{ bank: { iban: 'NL13TEST0123456789' } }] });
  expect(replay('listRecurringDetails')({ ...account, shopperReference: 'other' })).toBeUndefined();
  expect(() => replay('disable')(account)).toThrow('Contract not found');
});
