/** Tests the SOAP styles of services: what the element of an operation holds, in messages and in schemas. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { printCallSource } from '../../src/convert/call-source.ts';
import { createConverter } from '../../src/convert/convert.ts';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { issue, Problem } from '../../src/core/contract/problem.ts';
import { type ObjectSchema, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { type Service, type SoapStyle, service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';

const name = string({ max: 20, example: 'Anna' });
const greet = operation({
  name: 'greet',
  doc: '',
  effect: 'reads',
  role: 'r',
  problems: [],
  input: object('GreetRequest', { name: required(name, 'Whom.') }),
  output: object('GreetResult', { text: optional(name, 'What.') }),
});
const ping = operation({ ...greet, name: 'ping', input: object('Nothing', {}), output: object('Empty', {}) });

const greetings = (soapStyle: SoapStyle | undefined, version = 1, operations = [greet, ping]) =>
  service({
    name: 'Greetings',
    version,
    answers: { from: version, to: version },
    doc: '',
    address: '/greetings',
    namespaces: { own: 'g', uris: { g: 'urn:g', other: 'urn:other' } },
    ...(soapStyle && { soapStyle }),
    roles: ['r'],
    operations,
  });

const wrapped = greetings('wrapped');
const { soap11 } = createProtocols([wrapped]);
const decode = (content: string) => {
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${content}</e:Body></e:Envelope>`;
  const target = { service: wrapped, version: 1, operation: undefined };
  const media = { type: 'text/xml', charset: undefined };
  const { input, issues } = soap11.decode(Buffer.from(body), media, target, { query: '', headers: {} });
  return { input, issues: issues.map(({ path }) => path.join('.')) };
};

describe('a wrapped message', () => {
  test('is read from the element of the operation', () => {
    expect(decode('<greet xmlns="urn:g"><name>Anna</name></greet>')).toEqual({ input: { name: 'Anna' }, issues: [] });
    expect(decode('<greet xmlns="urn:g"/>')).toEqual({ input: {}, issues: ['name'] });
    expect(decode('<ping xmlns="urn:g"/>')).toEqual({ input: {}, issues: [] });
  });

  test('has no request element', () => {
    const { issues } = decode('<greet xmlns="urn:g"><request><name>Anna</name></request></greet>');
    expect(issues).toEqual(['request', 'name']);
  });

  test('is printed in the element of the operation', () => {
    const declared = 'xmlns:ns1="urn:g" xmlns="urn:g"';
    expect(soap11.encodeRequest(wrapped, greet, { name: 'Anna' }).body).toContain(
      `<soap:Body><ns1:greet ${declared}><name>Anna</name></ns1:greet></soap:Body>`,
    );
    expect(soap11.encode(greet, { text: 'Hi' }).body).toContain(
      `<soap:Body><ns1:greetResponse ${declared}><text>Hi</text></ns1:greetResponse></soap:Body>`,
    );
    expect(soap11.decodeResponse(greet, soap11.encode(greet, { text: 'Hi' }).body).value).toEqual({ text: 'Hi' });
  });

  test('has coordinates without a request', () => {
    const problem = Problem.of([issue([], 'invalidField', 'x'), issue(['name'], 'invalidField', 'name')]);
    const { body } = soap11.encodeError(problem, { requestReference: 'X', operation: greet, service: wrapped });
    expect(body).toContain('<f:name>/Envelope/Body/greet/name</f:name>');
  });

  test('has an anonymous type', () => {
    const wsdl = deriveWsdl(wrapped, { address: 'urn:x', soap12: true });
    expect(wsdl.replace(/\s+/g, ' ')).toContain('<xsd:element name="greet"> <xsd:complexType> <xsd:sequence>');
    expect(wsdl).not.toMatch(/GreetRequest"|GreetResult"|name="request"|name="result"/);
  });
});

test('without a style, a message has a request or a result', () => {
  for (const style of [undefined, 'request-result'] as const) {
    const other = greetings(style);
    const { body } = createProtocols([other]).soap11.encodeRequest(other, greet, { name: 'Anna' });
    expect(body).toContain('<ns1:request><name>Anna</name></ns1:request>');
    expect(deriveWsdl(other, { address: 'urn:x', soap12: true })).toMatch(/name="request"/);
  }
});

describe('a contract', () => {
  const withInput = (input: ObjectSchema) => () => greetings('wrapped', 1, [operation({ ...greet, input })] as never);
  test('has a message of another namespace only where that is declared', () => {
    expect(withInput(object('In', {}, { namespace: 'unknown' }))).toThrow('no namespace unknown');
    expect(withInput(object('In', {}, { namespace: 'g' }))).not.toThrow();
  });
  test('has one style for an operation of two versions', () => {
    expect(() => createProtocols([wrapped, greetings('request-result', 2)])).toThrow('different SOAP styles');
    expect(() => createProtocols([wrapped, greetings('wrapped', 2)])).not.toThrow();
  });
});

describe('a required field', () => {
  const elements = (mandatoryFields?: 'required' | 'marked') => {
    const named = { ...wrapped, ...(mandatoryFields && { mandatoryFields }) };
    const wsdl = deriveWsdl(named, { address: 'urn:x', soap12: true });
    return [...wsdl.matchAll(/<xsd:element minOccurs="(\d)" name="(name|text)"( nillable="true")?/g)].map(
      ([, occurs, name, nillable]) => `${name} ${occurs}${nillable ?? ''}`,
    );
  };

  test('is mandatory in the WSDL, unless the service marks those that are', () => {
    expect(elements()).toEqual(['name 1', 'text 0 nillable="true"']);
    expect(elements('required')).toEqual(elements());
    expect(elements('marked')).toEqual(['name 0 nillable="true"', 'text 0 nillable="true"']);
  });

  test('is never nil in an answer', () => {
    const find = operation({ ...greet, name: 'find', output: object('FindResult', greet.input.fields) });
    const finding = service({ ...wrapped, name: 'Finding', operations: [find] });
    const print = (each: typeof finding) => createProtocols([each]).soap11.encode(find, {}).body;
    const nil = '<name xsi:nil="true"/>';
    expect(print(finding)).not.toContain(nil);
    expect(print({ ...finding, mandatoryFields: 'marked' })).toContain(nil);
  });
});

describe('the SOAPAction of an operation', () => {
  const bound = (soapAction: NonNullable<Operation['soapAction']>) =>
    greetings('wrapped', 1, [operation({ ...greet, soapAction })]);
  const headsOf = (contract: Service) => {
    const protocols = createProtocols([contract]);
    return (['soap11', 'soap12'] as const).map((format) => {
      const call = protocols[format].encodeRequest(contract, contract.operations.get('greet')!, { name: 'Anna' });
      return { 'content-type': call.contentType, ...call.headers };
    });
  };
  const declared = (contract: Service) =>
    deriveWsdl(contract, { address: 'http://x/', soap12: true }).match(/soapAction="[^"]*"/g);
  const types = ['text/xml;charset=utf-8', 'application/soap+xml;charset=utf-8'] as const;

  test('is a header in SOAP 1.1 and a parameter in SOAP 1.2, and the WSDL declares it', () => {
    const contract = bound('urn:g/greet');
    expect(headsOf(contract)).toEqual([
      { 'content-type': types[0], SOAPAction: '"urn:g/greet"' },
      { 'content-type': `${types[1]};action="urn:g/greet"` },
    ]);
    expect(declared(contract)).toEqual(['soapAction="urn:g/greet"', 'soapAction="urn:g/greet"']);
  });

  test('may differ between both versions', () => {
    const contract = bound({ soap11: 'urn:g/1', soap12: 'urn:g/2' });
    expect(headsOf(contract)).toEqual([
      { 'content-type': types[0], SOAPAction: '"urn:g/1"' },
      { 'content-type': `${types[1]};action="urn:g/2"` },
    ]);
    expect(declared(contract)).toEqual(['soapAction="urn:g/1"', 'soapAction="urn:g/2"']);
  });

  test('is empty by default', () => {
    for (const contract of [greetings('wrapped', 1, [greet]), bound('')]) {
      expect(headsOf(contract)).toEqual(types.map((type) => ({ 'content-type': type })));
      expect(declared(contract)).toEqual(['soapAction=""', 'soapAction=""']);
    }
  });

  test.each(['a"b', 'a\\b', 'a\r\nb', 'ä'])('cannot be %s', (soapAction) => {
    expect(() => operation({ ...greet, soapAction })).toThrow('is no SOAPAction');
    expect(() => operation({ ...greet, soapAction: { soap11: '', soap12: soapAction } })).toThrow('is no SOAPAction');
  });

  test('is in converted requests, and in programs that send them', () => {
    const contract = bound('urn:g/greet');
    const { messages } = createConverter([contract])({
      message: '{"name":"Anna"}',
      operation: 'greet',
      to: ['soap11', 'soap12'],
    });
    expect(messages.soap11?.headers).toEqual({ 'Content-Type': types[0], SOAPAction: '"urn:g/greet"' });
    expect(messages.soap12?.headers).toEqual({ 'Content-Type': `${types[1]};action="urn:g/greet"` });
    const request = { service: contract, operation: contract.operations.get('greet')!, input: { name: 'Anna' } };
    const program = printCallSource('curl', request, createProtocols([contract]), {
      origin: 'http://x',
      format: 'soap11',
    });
    expect(program).toContain(`-H 'SOAPAction: "urn:g/greet"'`);
  });
});

describe('a fault whose request may be sent again', () => {
  const fault = (name: 'soap11' | 'soap12', problem: Problem, isHarmless = true): string => {
    const context = { requestReference: 'R', operation: greet, service: wrapped, isHarmless };
    return createProtocols([wrapped])[name].encodeError(problem, context).body;
  };
  const retry =
    '<t:transient-error xmlns:t="urn:triglyph:retry">true</t:transient-error><t:retry-after xmlns:t="urn:triglyph:retry">7</t:retry-after>';

  test.each(['inProgress', 'unavailable', 'tooManyRequests', 'internal'] as const)('says so: %s', (kind) => {
    const problem = new Problem(kind, undefined, { retryAfterSeconds: 7 });
    const soap12 = fault('soap12', problem);
    expect(soap12).toContain('<env:Value>env:Receiver</env:Value>');
    expect(soap12).toContain(`<env:Detail>${retry}</env:Detail>`);
    expect(fault('soap11', problem)).toContain(`<faultcode>soap:Server</faultcode>`);
    expect(fault('soap11', problem)).toContain(`<detail>${retry}</detail>`);
  });

  test.each([
    ['keyReused', true, 'Sender'],
    ['invalidField', true, 'Sender'],
    ['internal', false, 'Receiver'],
  ] as const)('and no other one does: %s, with a key: %s', (kind, isHarmless, code) => {
    expect(fault('soap12', new Problem(kind), isHarmless)).toContain(`<env:Value>env:${code}</env:Value>`);
    for (const name of ['soap11', 'soap12'] as const)
      expect(fault(name, new Problem(kind), isHarmless)).not.toContain('transient-error');
  });
});
