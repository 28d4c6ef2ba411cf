/** Converts messages of every format: to one canonical form, with every coercion, and with faults where the caller finds them. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Coercion } from '../../src/convert/conversion.ts';
import { ConversionError } from '../../src/convert/conversion-error.ts';
import { createConverter } from '../../src/convert/convert.ts';
import { neutralConventions } from '../../src/core/contract/conventions.ts';
import { isBound, type Operation } from '../../src/core/contract/operation.ts';
import { issue, Problem } from '../../src/core/contract/problem.ts';
import { namedOperations, newestOf, type Service } from '../../src/core/contract/service.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { arbitrary } from '../support/generate.ts';
import { invoicesV1, wrappedInvoicesV1 } from '../support/invoices.ts';

const all = [...services, invoicesV1, wrappedInvoicesV1];
const convert = createConverter(all);
const protocols = createProtocols(all);
const operations = newestOf(all).flatMap((service) =>
  [...service.operations.values()].map(
    (operation) => [`${service.name}.${operation.name}`, service, operation] as const,
  ),
);
const named = operations.filter(([, , operation]) => !isBound(operation));

function formatsOf(service: Service) {
  return namedProtocols.filter((format) => format !== 'adapter' || service.legacy?.adapter !== undefined);
}

const changesAt = (coercions: readonly Coercion[]) =>
  Object.fromEntries(coercions.map(({ at, changes }) => [at, changes]));

describe.each(named)('%s', (_, service, operation) => {
  const about = { service: service.name, operation: operation.name };

  test.each(['full', 'minimal'] as const)('a %s request of each format becomes that of each other', (extent) => {
    const input = exampleOf(operation.input, extent);
    for (const from of formatsOf(service)) {
      const { body, path } = protocols[from].encodeRequest(service, operation, input);
      const message = `POST ${path} HTTP/1.1\r\nContent-Type: ${protocols[from].mediaType}\r\n\r\n${body}`;
      const conversion = convert({ message, to: formatsOf(service), ...(path.endsWith(operation.name) ? {} : about) });
      expect(conversion).toMatchObject({ operation: operation.name, side: 'request', format: from, issues: [] });
      expect(conversion.canonical).toEqual(input);
      for (const to of formatsOf(service))
        expect(conversion.messages[to]?.body).toBe(protocols[to].encodeRequest(service, operation, input).body);
    }
  });

  test.each(['input', 'output'] as const)('any %s is the same in each format', (part) => {
    const side = part === 'input' ? 'request' : 'answer';
    for (const value of fc.sample(arbitrary(operation[part]), { numRuns: 12, seed: 11 })) {
      for (const from of formatsOf(service)) {
        const encode = (format: typeof from) =>
          part === 'input'
            ? protocols[format].encodeRequest(service, operation, value).body
            : protocols[format].encode(operation, value).body;
        const { canonical, ...conversion } = convert({
          message: encode(from),
          from,
          to: formatsOf(service),
          side,
          ...about,
        });
        expect(conversion.issues).toEqual([]);
        // SOAP has milliseconds, the other formats have seconds.
        if (from === 'soap11') expect(canonical).toEqual(value);
        for (const { in: format, at, from: exact = '', to = '' } of conversion.coercions)
          if (format !== undefined) expect([at, format, Number(exact) - Number(to) < 1000]).toEqual([at, format, true]);
        if (from === 'soap11')
          for (const to of formatsOf(service)) expect(conversion.messages[to]?.body).toBe(encode(to));
      }
    }
  });

  test('an answer of each format becomes that of each other', () => {
    const output = exampleOf(operation.output, 'full');
    const to = formatsOf(service);
    for (const from of to) {
      const message = protocols[from].encode(operation, output).body;
      const conversion = convert({ message, from, to, side: 'answer', ...about });
      expect(conversion).toMatchObject({ side: 'answer', issues: [], canonical: output });
      for (const each of to)
        expect(conversion.messages[each]?.body).toBe(protocols[each].encode(operation, output).body);
    }
  });
});

test.each(operations.filter(([, , operation]) => isBound(operation)))(
  '%s, with a method and a path',
  (_, service, operation) => {
    const input = exampleOf(operation.input, 'full');
    const { method, path, headers = {}, body } = protocols.rest.encodeRequest(service, operation, input);
    const lines = Object.entries({ ...headers, 'Content-Type': 'application/json' }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const { messages, ...conversion } = convert({
      message: `${method} ${path}\n${lines.join('\n')}\n\n${body}`,
      to: ['rest'],
    });
    expect(conversion).toMatchObject({ operation: operation.name, format: 'rest', canonical: input, issues: [] });
    expect(messages.rest).toMatchObject({ method, path, body });
  },
);

describe('errors', () => {
  const disable = namedOperations(recurringV25).find(({ name }) => name === 'disable')!;
  const problem = Problem.of([
    issue(['merchantAccount'], 'missingField', 'merchantAccount'),
    issue(['shopperReference'], 'invalidField', 'shopperReference'),
  ]);
  const context = { requestReference: 'PR6NVSKXF940F6X8', operation: disable, service: recurringV25 };
  const about = { service: 'Recurring', version: 25, operation: 'disable' };

  test.each(namedProtocols)('of %s become those of the other formats', (from) => {
    const { status, contentType, headers, body } = protocols[from].encodeError(problem, context);
    const lines = Object.entries({ ...headers, 'Content-Type': contentType }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const message = `HTTP/1.1 ${status} x\n${lines.join('\n')}\n\n${body}`;
    const { canonical, messages, ...conversion } = convert({ message, from, to: namedProtocols, ...about });
    expect(conversion).toMatchObject({ side: 'error', operation: 'disable', issues: [] });
    expect(canonical).toMatchObject({ status: 422, code: '158', type: 'validation', message: problem.message });
    // The others have no reference in them.
    for (const to of from === 'json' || from === 'form' ? namedProtocols : (['soap11', 'soap12', 'adapter'] as const)) {
      const expected = protocols[to].encodeError(problem, context);
      expect(messages[to]).toMatchObject({ body: expected.body, headers: expected.headers });
    }
  });

  test('that do not name their operation, and a refusal with the status of an answer', () => {
    const { body } = protocols.soap12.encodeError(new Problem('notAllowed'), { ...context, operation: undefined });
    const conversion = convert({
      message: `HTTP/1.1 200 OK\r\nContent-Type: application/soap+xml\r\n\r\n${body}`,
      to: ['json'],
    });
    expect(conversion).toMatchObject({ side: 'error', format: 'soap12', canonical: { status: 403, code: '010' } });
    expect(conversion.operation).toBeUndefined();
    expect(JSON.parse(conversion.messages.json!.body)).toMatchObject({
      status: 403,
      errorCode: '010',
      message: 'Not allowed',
    });
  });

  test('of other servers keep their words', () => {
    const message =
      'HTTP/1.1 409 Conflict\nContent-Type: application/problem+json\n\n{"title":"Locked","status":409,"detail":"Try later"}';
    const { canonical, messages } = convert({ message, to: ['soap11', 'rest'], service: 'BalancePlatform' });
    expect(canonical).toMatchObject({ status: 409, message: 'Try later' });
    expect(messages.soap11?.body).toContain('Try later');
  });
});

test('members of answers that the contract does not have are listed, and stay', () => {
  const message = '{"response":"[detail-successfully-disabled]","extra":{"a":1}}';
  const { coercions, issues, messages } = convert({
    message,
    operation: 'disable',
    side: 'answer',
    to: ['json', 'soap11'],
  });
  expect(issues).toEqual([]);
  expect(coercions).toEqual([{ at: 'extra', changes: ['unknownMember'] }]);
  expect(messages.json?.body).toContain('"extra":{"a":1}');
  expect(messages.soap11?.body).toContain('<u:name>extra</u:name><u:value>{&quot;a&quot;:1}</u:value>');
});

describe('every coercion is listed', () => {
  const soap = (fields: string): string =>
    `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:x="http://www.w3.org/2001/XMLSchema-instance"><e:Body><sendInvoice xmlns="urn:example:wrapped">
    <invoice version=" 3 "><issued> 2026-01-31Z </issued>
    <total currency="EUR" xmlns="urn:example:common"><value xmlns="urn:example:common">019.90</value></total>${fields}</invoice>
    </sendInvoice></e:Body></e:Envelope>`.replace('<invoice version', '<invoice number="I-1" version');

  test('in SOAP', () => {
    const fields = `<rate x:nil="true"/><scan>aGVs
      bG8=</scan><lines/><currencies>USD, EUR</currencies><days><date>2026-01-31</date></days><period from=""/><other/>
      <whole>+007</whole>`;
    const { coercions, issues } = convert({ message: soap(fields), to: ['json'] });
    expect(issues).toEqual([]);
    const at = '/Envelope/Body/sendInvoice/invoice';
    expect(changesAt(coercions)).toEqual({
      [`${at}/@version`]: ['textToNumber', 'whitespace'],
      [`${at}/issued`]: ['whitespace', 'timeZone'],
      [`${at}/total/value`]: ['normalForm'],
      [`${at}/rate`]: ['nil'],
      [`${at}/scan`]: ['whitespace'],
      [`${at}/lines`]: ['empty'],
      [`${at}/currencies`]: ['whitespace', 'order'],
      [`${at}/period`]: ['empty'],
      [`${at}/other`]: ['emptyUnknownMember'],
      [`${at}/whole`]: ['normalForm'],
    });
    expect(coercions.find((each) => each.at === `${at}/total/value`)).toMatchObject({ from: '"019.90"', to: '"19.9"' });
    expect(convert({ message: soap(''), to: [] }).coercions).toHaveLength(3);
  });

  test('in JSON', () => {
    const message = JSON.stringify({
      number: 1001,
      issued: '2026-01-31',
      version: '3',
      total: { currency: 'EUR', text: 0 },
      rate: null,
      period: {},
      notes: { a: null, b: 1 },
      foo: '',
      lines: [{ Line: { sku: 'B', gift: 'true', since: '2026-01-01T00:00:00.1239Z' } }],
    }).replace('"text":0', '"text":12345678.50');
    const { canonical, coercions, issues } = convert({ message, operation: 'storeInvoice', to: ['json', 'soap11'] });
    expect(issues).toEqual([]);
    expect(canonical).toMatchObject({ number: '1001', total: { value: '12345678.5' }, notes: { b: '1' } });
    expect(changesAt(coercions.filter((each) => each.in === undefined))).toEqual({
      '/number': ['numberToText'],
      '/version': ['textToNumber'],
      '/total/text': ['normalForm'],
      '/rate': ['nil'],
      '/period': ['empty'],
      '/notes/a': ['nil'],
      '/notes/b': ['numberToText'],
      '/foo': ['emptyUnknownMember'],
      '/lines/0/Line/gift': ['textToBoolean'],
      '/lines/0/Line/since': ['textToMoment', 'precision'],
    });
    expect(coercions.find((each) => each.at === '/total/text')).toMatchObject({ from: '12345678.50' });
    // Where the conventions say so, JSON has no milliseconds, and SOAP has them.
    const convertWhole = createConverter([
      { ...invoicesV1, conventions: { ...neutralConventions, fractions: 'absent' } },
    ]);
    const whole = convertWhole({ message, operation: 'storeInvoice', to: ['json', 'soap11'] });
    const losses = [coercions, whole.coercions].map((all) => all.filter((each) => each.in !== undefined));
    expect(losses).toMatchObject([[], [{ at: '/lines/0/Line/since', in: 'json', changes: ['precision'] }]]);
  });

  test('in FORM, with members that mean nothing', () => {
    const message =
      'merchantAccount=a&shopperReference=b&card.brand=visa&recurring.contract=&card.number=4111111111111111&x=\n';
    const { coercions } = convert({ message, operation: 'storeToken' });
    expect(changesAt(coercions)).toMatchObject({
      'card.brand': ['ignoredMember'],
      x: ['emptyUnknownMember'],
    });
  });
});

describe('faults are where the caller finds them', () => {
  const fault = (message: string | Buffer, operation?: string) => {
    try {
      convert({ message, operation });
    } catch (thrown) {
      if (thrown instanceof ConversionError) return thrown;
      throw thrown;
    }
    throw new Error('nothing was refused');
  };

  test.each([
    ['<a>\n <b></a>', undefined, { line: 2, column: 8 }],
    ['{\n  "merchantAccount": x\n}', 'disable', { line: 2, column: 22 }],
    ['{"a":1,\n"a":2}', 'disable', { line: 2, column: 1 }],
    ['a=1&b=%zz', 'disable', { line: 1, column: 5 }],
    [Buffer.from('a=1&b=\xff', 'latin1'), 'disable', { line: 1, column: 7 }],
    ['POST /x HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"a":}', 'disable', { line: 4, column: 6 }],
  ])('%j', (message, operation, position) => {
    expect(fault(message, operation)).toMatchObject({ reason: 'malformed', ...position });
    expect(fault(message, operation).message).toMatch(`line ${position.line}, column ${position.column}`);
  });

  test('fields in the coordinates of the format', () => {
    const at = (message: string) => convert({ message, operation: 'disable' }).issues.map((each) => each.at);
    expect(at('{"shopperReference":"a","x":1}')).toEqual(['/x', '/merchantAccount']);
    expect(at('shopperReference=a&x=1')).toEqual(['x', 'merchantAccount']);
  });

  /** What stands at the place of each issue; in angle brackets where the field itself is missing. */
  const marked = (message: string, more: object = {}) =>
    convert({ message, operation: 'storeToken', ...more }).issues.map(({ place }) => {
      const found = message.slice(place!.start, place!.end);
      return place!.isMissing ? `<${found}>` : found;
    });

  test.each([
    ['{"shopperReference": "a\\nb", "x": 1, "card": {"number": "4111"}}', ['"x"', '<{>', '"4111"']],
    ['shopperReference=a&x=1&card.number=4111', ['x', '<>', '4111']],
    [
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><storeToken xmlns="http://recurring.services.adyen.com">' +
        '<request a=">"><!-- <x> --><shopperReference>a</shopperReference><x>1</x>' +
        '<card><number><![CDATA[4111]]></number></card></request></storeToken></e:Body></e:Envelope>',
      ['<x>', '<<request a=">">>', '<![CDATA[4111]]>'],
    ],
    [
      'POST /pal/servlet/Recurring/v68/storeToken HTTP/1.1\r\nContent-Type: application/json;charset=iso-8859-1\r\n\r\n{"é": 1}',
      ['"é"'],
    ],
  ])('places in %s', (message, places) => {
    expect(marked(message)).toEqual(expect.arrayContaining(places));
  });

  test('a text is read as it is, whatever it says of its bytes', () => {
    const xml = '<?xml version="1.0" encoding="ISO-8859-1"?>';
    const body =
      '<Body><disable xmlns="http://recurring.services.adyen.com"><request><shopperReference>é</shopperReference></request></disable></Body>';
    const message = `${xml}<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/">${body}</Envelope>`;
    expect(convert({ message }).canonical).toMatchObject({ shopperReference: 'é' });
    expect(convert({ message: Buffer.from(message, 'latin1') }).canonical).toMatchObject({ shopperReference: 'é' });
  });

  test('a message that does not say what it is', () => {
    expect(fault('{}')).toMatchObject({ reason: 'unnamed' });
    expect(fault('\u0001')).toMatchObject({ reason: 'unnamed' });
    expect(fault('{}', 'nothing')).toMatchObject({
      reason: 'unnamed',
      message: 'no service has the operation nothing',
    });
  });
});

test('a sensitive text is masked in reports, and in results where that is asked for', () => {
  const message = JSON.stringify({
    merchantAccount: 'a',
    shopperReference: 'b',
    card: { number: 4111111111111111 },
  }).replace('4111111111111111', '411111111111111');
  const plain = convert({ message, operation: 'storeToken' });
  expect(JSON.stringify(plain.coercions)).not.toContain('411111111111111');
  const masked = convert({ message, operation: 'storeToken', mask: true });
  expect(JSON.stringify(masked)).not.toContain('411111111111111');
});

test('the operations of every service that callers name are covered', () => {
  expect(named.map(([, , { name }]: readonly [string, Service, Operation]) => name)).toEqual(
    newestOf(all).flatMap((service) => namedOperations(service).map(({ name }) => name)),
  );
});
