/** Refusals of other makers' servers, in every format. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { dotted } from '../../src/core/contract/path.ts';
import { createProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';

const protocols = createProtocols(services);
const operation = newestRecurring.operations.get('storeToken')!;

const { conventions: _, ...withoutConventions } = newestRecurring;
const neutral = createProtocols([withoutConventions]);

const decode = (name: ProtocolName, status: number, body: string, type = '', { [name]: protocol } = protocols) => {
  const media = { type, charset: undefined };
  const read = protocol.decodeError({ status, media, headers: {}, body: Buffer.from(body) }, operation);
  return read && { ...read, issues: read.issues.map(({ path, message }) => [dotted(path), message]) };
};

describe('JSON', () => {
  test('problem details with extensions', () => {
    const body = {
      type: 'https://example.com/probs/out-of-credit',
      title: 'You do not have enough credit.',
      status: 403,
      detail: 'Your current balance is 30, but that costs 50.',
      code: 1207,
      errors: [{ pointer: '#/card/number', detail: 'is not a card number' }],
    };
    expect(decode('json', 403, JSON.stringify(body))).toEqual({
      status: 403,
      code: '1207',
      message: 'Your current balance is 30, but that costs 50.',
      issues: [['card.number', 'is not a card number']],
      details: { type: 'https://example.com/probs/out-of-credit', title: 'You do not have enough credit.' },
    });
  });

  test.each([
    ['a message', { message: 'no' }, { message: 'no' }],
    ['a text as the error', { error: 'no such order' }, { message: 'no such order' }],
    [
      'an error object',
      { error: { code: 'card_declined', message: 'declined' } },
      { code: 'card_declined', message: 'declined' },
    ],
    [
      'OAuth',
      { error: 'invalid_client', error_description: 'unknown' },
      { code: 'invalid_client', message: 'unknown' },
    ],
    ['a list of errors', { errors: [{ code: '7', detail: 'seven' }] }, { code: '7', message: 'seven' }],
    ['an array', [{ errorCode: '007', message: 'agent' }], { code: '007', message: 'agent' }],
    ['a title only', { title: 'Gone' }, { message: 'Gone', details: { type: 'about:blank', title: 'Gone' } }],
    ['a text', 'no', { message: 'no' }],
    ['nothing', {}, { message: 'Request refused with status 409' }],
  ])('%s', (_, body, expected) => {
    expect(decode('json', 409, JSON.stringify(body))).toEqual({ status: 409, issues: [], ...expected });
  });

  test('a list of errors by place, as FastAPI writes them', () => {
    const detail = [{ loc: ['body', 'card', 'number'], msg: 'too short', type: 'value_error' }, { loc: ['body'] }];
    expect(decode('json', 422, JSON.stringify({ detail }))).toEqual({
      status: 422,
      message: 'too short',
      issues: [['card.number', 'too short']],
    });
  });

  test('texts by field, as ASP.NET writes them', () => {
    const body = {
      title: 'One or more validation errors occurred.',
      errors: { 'card.number': ['too short'], 'lines[2].x': ['?'] },
    };
    expect(decode('json', 400, JSON.stringify(body))?.issues).toEqual([
      ['card.number', 'too short'],
      ['lines.2.x', '?'],
    ]);
  });

  test.each([['<html><body>502 Bad Gateway</body></html>'], [''], ['12'], ['null'], ['{"message":']])(
    '%s is no refusal',
    (body) => {
      expect(decode('json', 502, body)).toBeUndefined();
    },
  );

  test('a text that no format can carry is made one', () => {
    expect(decode('json', 400, '{"message":"a\\u0000b\\ud800"}')?.message).toBe('a\ufffdb\ufffd');
    expect(decode('json', 400, JSON.stringify({ message: 'x'.repeat(9_000) }))?.message).toHaveLength(2_000);
  });
});

const envelope11 = (fault: string): string =>
  `<?xml version="1.0"?><S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Header><x xmlns="urn:x" S:mustUnderstand="1"/></S:Header><S:Body><S:Fault>${fault}</S:Fault></S:Body></S:Envelope>`;
const envelope12 = (fault: string): string =>
  `\n<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><e:Fault>${fault}</e:Fault></e:Body></e:Envelope>`;

describe('SOAP', () => {
  test.each([
    [
      'a server that failed',
      envelope11('<faultcode>S:Server</faultcode><faultstring>Object reference not set</faultstring><detail/>'),
      {
        status: 500,
        type: 'internal',
        message: 'Object reference not set',
        isUndeclared: true,
        faultCode: { codes: [] },
      },
    ],
    [
      'a caller who is to blame',
      envelope11('<faultcode>S:Client</faultcode><faultstring>No such order</faultstring>'),
      { status: 422, type: 'validation', message: 'No such order', faultCode: { codes: [] } },
    ],
    [
      'a code of the application behind a dot',
      envelope11('<faultcode>S:Server.Busy</faultcode><faultstring>Later</faultstring>'),
      { status: 500, code: 'Busy', type: 'validation', message: 'Later', faultCode: { codes: ['Busy'] } },
    ],
    [
      'a code of the application',
      envelope11('<faultcode xmlns:a="urn:a">a:E1234</faultcode><faultstring>Bad</faultstring>'),
      {
        ...{ status: 422, code: 'E1234', type: 'validation', message: 'Bad' },
        faultCode: { namespace: 'urn:a', codes: ['E1234'] },
      },
    ],
    [
      'a code of the application in no namespace that is no name',
      envelope11('<faultcode>17</faultcode><faultstring>Bad</faultstring>'),
      { status: 422, code: '17', type: 'validation', message: 'Bad', faultCode: { namespace: '', codes: ['17'] } },
    ],
    [
      'a code in the detail',
      envelope11(
        '<faultcode>S:Server</faultcode><faultstring/><detail><f xmlns="urn:f"><errorCode>17</errorCode><message>Seventeen</message></f></detail>',
      ),
      {
        ...{ status: 500, code: '17', type: 'validation', message: 'Seventeen', faultCode: { codes: [] } },
        detail: ['<f xmlns="urn:f"><errorCode>17</errorCode><message>Seventeen</message></f>'],
      },
    ],
    [
      'an element of the interface in the detail',
      envelope11(
        '<faultcode>S:Server</faultcode><faultstring>Declared</faultstring><detail><r:ServiceException xmlns:r="http://recurring.services.adyen.com"/></detail>',
      ),
      {
        ...{ status: 500, type: 'validation', message: 'Declared', faultCode: { codes: [] } },
        detail: ['<ServiceException xmlns="http://recurring.services.adyen.com"/>'],
      },
    ],
    [
      'SOAP 1.2 with a subcode',
      envelope12(
        '<e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value xmlns:m="urn:m">m:Timeout</e:Value></e:Subcode></e:Code><e:Reason><e:Text xml:lang="en">Too late</e:Text></e:Reason>',
      ),
      {
        ...{ status: 422, code: 'Timeout', type: 'validation', message: 'Too late' },
        faultCode: { namespace: 'urn:m', codes: ['Timeout'] },
      },
    ],
    [
      'SOAP 1.2 of a receiver',
      envelope12(
        '<e:Code><e:Value>e:Receiver</e:Value></e:Code><e:Reason><e:Text xml:lang="en">Broken</e:Text></e:Reason>',
      ),
      { status: 500, type: 'internal', message: 'Broken', isUndeclared: true, faultCode: { codes: [] } },
    ],
    [
      'a credential that WS-Security refuses',
      envelope11(
        '<faultcode xmlns:w="urn:w">w:FailedAuthentication</faultcode><faultstring>Who are you?</faultstring>',
      ),
      {
        ...{ status: 401, code: 'FailedAuthentication', type: 'validation', message: 'Who are you?' },
        faultCode: { namespace: 'urn:w', codes: ['FailedAuthentication'] },
      },
    ],
    [
      'a header that was not understood',
      envelope11('<faultcode>S:MustUnderstand</faultcode><faultstring>What?</faultstring>'),
      { status: 500, type: 'configuration', message: 'What?', faultCode: { codes: [] } },
    ],
    [
      'our own text',
      envelope11('<faultcode>S:Server</faultcode><faultstring>security 010 Not allowed</faultstring>'),
      { status: 403, code: '010', type: 'security', message: 'Not allowed' },
    ],
  ])('%s', (_, body, expected) => {
    const refusal = { isStatusImplied: true, isFault: true, issues: [], ...expected };
    for (const name of ['soap11', 'soap12'] as const) {
      expect(decode(name, 500, body, 'text/xml', neutral)).toEqual(refusal);
      // Plain errors have the code in their text.
      expect(decode(name, 500, body, 'text/xml')).toEqual({ ...refusal, faultCode: undefined });
    }
  });

  test('a status that faults do not share is kept', () => {
    const fault = envelope11('<faultcode>S:Client</faultcode><faultstring>Who are you?</faultstring>');
    expect(decode('soap11', 401, fault)).toMatchObject({ status: 401, message: 'Who are you?' });
    expect(decode('soap11', 401, fault)).not.toHaveProperty('isStatusImplied');
  });

  test('a fault with the status of an answer is no answer', () => {
    const body = Buffer.from(envelope11('<faultcode>S:Client</faultcode><faultstring>No</faultstring>'));
    const media = { type: 'text/xml', charset: undefined } as const;
    expect(protocols.soap12.decodeAnswer(operation, { status: 200, media, headers: {}, body })).toMatchObject({
      refusal: { status: 422, message: 'No' },
    });
  });

  test.each([['<html/>'], [''], [envelope11('').replace('Fault', 'Other').replace('/S:Fault', '/S:Other')]])(
    '%s is no refusal',
    (body) => {
      expect(decode('soap11', 500, body)).toBeUndefined();
    },
  );
});

describe('FORM', () => {
  test('pairs', () => {
    expect(
      decode('form', 422, 'errorType=validation&errorCode=129&message=Expiry+Date+Invalid&pspReference=X&status=422'),
    ).toEqual({
      status: 422,
      type: 'validation',
      code: '129',
      message: 'Expiry Date Invalid',
      issues: [],
      requestReference: 'X',
    });
  });

  test('the text of the adapter', () => {
    expect(decode('adapter', 500, 'validation 101 Invalid card number')).toEqual({
      status: 422,
      isStatusImplied: true,
      type: 'validation',
      code: '101',
      message: 'Invalid card number',
      issues: [],
    });
  });

  test.each([
    ['form', '<html>'],
    ['form', 'a=b'],
    ['adapter', 'Internal Server Error'],
    ['adapter', '<html>'],
  ] as const)('%s: %s is no refusal', (name, body) => {
    expect(decode(name, 500, body)).toBeUndefined();
  });
});
