/** Tests that nothing secret leaves the recorder of traffic, and that the rest of a message does. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { cardNumberDetector } from '../../../src/core/contract/card-numbers.ts';
import type { Schema } from '../../../src/core/contract/schema.ts';
import { walk } from '../../../src/core/contract/walk.ts';
import { namedProtocols, type ProtocolName } from '../../../src/core/formats/wire-formats.ts';
import { type HttpFacts, Step } from '../../../src/core/gateway/request-observer.ts';
import { describeDetails, describePartsOf } from '../../../src/insight/traffic/describe-request.ts';
import { type BodyMasking, maskBody } from '../../../src/insight/traffic/mask/mask-body.ts';
import { maskShape } from '../../../src/insight/traffic/mask/mask-shape.ts';
import type { TrafficDetails } from '../../../src/insight/traffic/record.ts';
import { Recording } from '../../../src/insight/traffic/recording.ts';
import { services } from '../../../src/payments/index.ts';
import { recurringV25 } from '../../../src/payments/recurring/versions.ts';
import { operationOf } from '../../conformance/subject.ts';
import { conformanceSubjects } from '../../conformance/subjects.ts';
import { formats } from '../../formats/index.ts';
import { callers } from '../../support/fixture.ts';
import { openGateway, type TestGateway } from '../../support/gateway.ts';

const maskText = (text: string): string => cardNumberDetector.mask(text);
const parts = describePartsOf(services, maskText);
const key = 'key-of-a-request-4f1c8a';
const http: HttpFacts = {
  method: 'POST',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  status: 200,
  ms: 1.5,
  bytesIn: 10,
  bytesOut: 20,
  address: '127.0.0.1',
  aborted: false,
};

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function detailsOf(gateway: TestGateway, { path, headers, body }: Sent): Promise<TrafficDetails> {
  const [plain = '', query = ''] = path.split('?');
  const request = {
    method: 'POST',
    path: plain,
    query,
    headers,
    inspect: () => {},
    body: async () => Buffer.from(body),
  };
  const step = new Step({ name: 'request', httpVersion: '1.1', sentTrace: undefined }, request);
  step.body = Buffer.from(body);
  const recording = new Recording(step);
  const answer = await gateway.ask({ path, headers, body });
  if (answer.decoded !== undefined) recording.format = answer.entry.protocol;
  return describeDetails(recording, answer, http, parts);
}

/** The values of a canonical input that its schema calls sensitive. */
function sensitiveIn(schema: Schema, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (schema.kind === 'object')
    return Object.entries(schema.fields).flatMap(([name, field]) =>
      sensitiveIn(field.schema, (value as Readonly<Record<string, unknown>>)[name]),
    );
  if (schema.kind === 'list' && !schema.joined)
    return (value as readonly unknown[]).flatMap((item) => sensitiveIn(schema.item, item));
  const isSensitive = schema.kind === 'string' && (schema.sensitive || schema.neverStored);
  return isSensitive ? [String(value)] : [];
}

const leaks = (text: string, secrets: readonly string[]): readonly string[] =>
  secrets.filter((secret) => text.includes(secret));

describe.each(conformanceSubjects)('messages of $service.name', (subject) => {
  const { service, cases } = subject;
  test.each(namedProtocols)('no secret of a request in %s is in its details', async (name) => {
    let found = 0;
    for (const each of cases) {
      const gateway = await subject.open();
      const { sends } = each.wire[name];
      const operation = operationOf(subject, each);
      const headers = {
        'content-type': formats[name].contentType,
        'idempotency-key': key,
        ...(subject.headersOf(each) as Record<string, string>),
      };
      const details = await detailsOf(gateway, { path: formats[name].path(service, operation), headers, body: sends });
      await gateway.close();
      const { wire } = each;
      const secrets = [
        ...Object.values(wire).flatMap(({ sends: text }) => text.match(/\b\d{16}\b/g) ?? []),
        ...Object.values(headers).filter((value) => value.length > 10 && !value.includes('/')),
        key,
      ].filter((secret) => /^(?:4111|5555|[^\d])/.test(secret));
      expect(leaks(JSON.stringify(details), secrets)).toEqual([]);
      found += leaks(sends + JSON.stringify(headers), secrets).length;
    }
    // The control: the same search finds them in what was sent.
    expect(found).toBeGreaterThan(cases.length);
  });
});

describe('what is shown of a message', () => {
  const operation = recurringV25.operations.get('storeToken')!;
  const masking = (format: ProtocolName, body: string): BodyMasking => ({
    tools: parts.reread.protocol(format)?.text,
    read: parts.reread.request({ format, service: 'Recurring', operation }, Buffer.from(body), undefined),
    maskText,
    words: parts.words,
    lengthMax: 10_000,
  });
  const shown = (format: ProtocolName, body: string): string => maskBody(body, masking(format, body)).text;

  test('JSON: known members, and names of others', () => {
    const body = `{ "card": {"number": "4111111111111111", "cvc":737, "holderName": "<b>Anna</b>"},
      "merchantAccount":"DemoMerchant","pasword":"hunter2","nested":{"number":"1"},"additionalData":{"x.y":"secret"},
      "shopperReference":"41111111 11111111","4111111111111111":"x"}`;
    expect(shown('json', body)).toBe(
      `{ "card": {"number": "<masked>", "cvc":"<masked>", "holderName": "<b>Anna</b>"},
      "merchantAccount":"DemoMerchant","pasword":"<masked>","nested":{"number":"<masked>"},"additionalData":{"x.y":"<masked>"},
      "shopperReference":"************1111","<masked>":"<masked>"}`.replace(
        '************1111',
        maskText('41111111 11111111'),
      ),
    );
  });

  test('XML: elements of the contract, whatever their prefixes; pieces, comments and headers are masked', () => {
    const body =
      '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header><wsse:Password xmlns:wsse="urn:x">hunter2' +
      '</wsse:Password></s:Header><s:Body><r:storeToken xmlns:r="http://recurring.services.adyen.com" token="hunter2"><r:request><!-- 4111111111111111 -->' +
      '<r:card><number>4111&#49;11111111111</number><holderName>A &amp; B</holderName></r:card><shopperReference>41111111<![CDATA[11111111]]>' +
      '</shopperReference><merchantAccount xsi:nil="false">DemoMerchant</merchantAccount></r:request></r:storeToken></s:Body></s:Envelope>';
    expect(shown('soap11', body)).toBe(
      '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header><wsse:Password xmlns:wsse="urn:x"><masked>' +
        '</wsse:Password></s:Header><s:Body><r:storeToken xmlns:r="http://recurring.services.adyen.com" token="masked"><r:request><!-- masked -->' +
        '<r:card><number><masked></number><holderName>A &amp; B</holderName></r:card><shopperReference><masked><masked>' +
        '</shopperReference><merchantAccount xsi:nil="false">DemoMerchant</merchantAccount></r:request></r:storeToken></s:Body></s:Envelope>',
    );
  });

  test('a form in parts: nothing of it', () => {
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('action', 'Recurring.storeToken')}${part('storeTokenRequest.card.holderName', 'A & hunter2=x')}${part('storeTokenRequest.card.number', '4111111111111111')}--b--`;
    expect(leaks(shown('adapter', body), ['4111', 'hunter2'])).toEqual([]);
  });

  test('fields in the query of the adapter are masked', async () => {
    const gateway = await openGateway();
    const query = 'action=Recurring.storeToken&storeTokenRequest.card.number=4111111111111111&password=hunter2';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...callers.demo };
    const details = await detailsOf(gateway, { path: `/pal/adapter/httppost?${query}`, headers, body: '' });
    await gateway.close();
    expect(leaks(JSON.stringify(details), ['4111', 'hunter2'])).toEqual([]);
  });

  test('FORM: known pairs', () => {
    expect(
      shown('form', 'card.number=4111+1111&card.holderName=A%26B&merchantAccount=Demo&idempotencyKey=k-1234567&x=%41'),
    ).toBe('card.number=<masked>&card.holderName=A%26B&merchantAccount=Demo&idempotencyKey=<masked>&x=<masked>');
    expect(shown('form', 'card.number=4111+1111&merchantAccount=Demo&x=%zz')).toBe(
      'cardxnumber=0000x0000&merchantAccount=xxxx&x=xxx',
    );
    expect(
      shown('adapter', 'action=Recurring.storeToken&storeTokenRequest.merchantAccount=Demo&merchantAccount=Demo'),
    ).toBe('action=Recurring.storeToken&storeTokenRequest.merchantAccount=Demo&merchantAccount=<masked>');
  });

  test('a body that no format can read: its structure, and names of the contract', () => {
    const body = '{"merchantAccount":"Demo", "pw":"hunter2!" "card":{"number":4111111111111111]';
    expect(maskShape(body, parts.words, 10_000).text).toBe(
      '{"merchantAccount":"xxxx", "xx":"xxxxxx0x" "card":{"number":0000000000000000]',
    );
  });

  test('a message of a megabyte is cut, and no number at the cut is shown in part', () => {
    const bodyOf = (length: number) =>
      JSON.stringify({ merchantAccount: `${'<b>'.repeat(300)}4111111111111111${'x'.repeat(length)}` });
    const body = bodyOf(200_000);
    const found = masking('json', body);
    for (let lengthMax = 915; lengthMax < 945; lengthMax += 1) {
      const { text, isCut } = maskBody(body, { ...found, lengthMax });
      expect(isCut).toBe(true);
      expect(text).not.toMatch(/4111/);
    }
    // The control: without a detector the beginning of the number is there.
    const control = maskBody(body, { ...found, lengthMax: 930, maskText: (text) => text });
    expect(control.text).toMatch(/4111/);
    // A longer one is not parsed again.
    const long = bodyOf(1_000_000);
    const { text, isCut } = maskBody(long, { ...masking('json', long), lengthMax: 2_000, maskText: (text) => text });
    expect([isCut, text.includes('0000000000000000'), /[1-9]/.test(text)]).toEqual([true, true, false]);
  });

  test('members that the contract calls sensitive are masked in every format', () => {
    const input = operation.input;
    const secrets = sensitiveIn(input, { card: { number: '4111111111111111', cvc: '737' } });
    expect(secrets).toContain('4111111111111111');
    const names = walk<readonly string[]>(input, {
      scalar: () => [],
      joined: () => [],
      list: (_, item) => item,
      map: () => [],
      variants: (_, own, others) => [...own, ...others.flat()],
      self: () => [],
      object: (_, members) =>
        members.flatMap(({ name, part, field: { schema } }) =>
          schema.kind === 'string' && schema.sensitive ? [name, ...part] : part,
        ),
    });
    expect(names).toContain('number');
    for (const name of names)
      expect(
        shown('json', `{"card":{"${name}":"value-1"},"bank":{"${name}":"value-1"},"${name}":"value-1"}`),
      ).not.toContain('value-1');
  });
});

test('a key or a password that stands in other places, too, is masked there', async () => {
  const gateway = await openGateway();
  const headers = {
    ...(callers.demo as Record<string, string>),
    'content-type': 'application/json',
    'idempotency-key': key,
    'user-agent': `client ${key}`,
  };
  const body = JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: `for ${key} demo:password` });
  const path = '/pal/servlet/Recurring/v25/listRecurringDetails';
  const details = await detailsOf(gateway, { path, headers, body });
  await gateway.close();
  expect(details.canonical).toContain('DemoMerchant');
  expect(leaks(JSON.stringify(details), [key, 'demo:password', String(callers.demo.authorization)])).toEqual([]);
  expect(leaks(body, [key, 'demo:password'])).toHaveLength(2);
});
