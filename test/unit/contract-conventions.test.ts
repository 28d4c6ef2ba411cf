import { describe, expect, test } from '@jest/globals';
import { type Conventions, conventionsOf } from '../../src/core/contract/conventions.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { dateTime, list, object, optional, string } from '../../src/core/contract/schema.ts';
import { type Service, service } from '../../src/core/contract/service.ts';
import { dateTimeFormat } from '../../src/core/formats/date-time.ts';
import { compilePrint } from '../../src/core/formats/json/print.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';

const conventions: Conventions = {
  requestReference: 'traceId',
  tenant: 'customer',
  timeZone: 'Asia/Kolkata',
  problemTypes: 'https://errors.example/',
  statusCodePrefix: 'HTTP-',
};
const { conventions: _, ...rest } = recurringV25;
const undeclared: Service = rest;

describe('the conventions of services', () => {
  test('are those of the service that declares them', () => {
    expect(conventionsOf([undeclared, { ...undeclared, conventions }])).toBe(conventions);
  });

  test('may be declared by several services if they are equal', () => {
    expect(conventionsOf([{ conventions }, { conventions: { ...conventions } }])).toEqual(conventions);
  });

  test('are neutral if no service declares any', () => {
    expect(conventionsOf([undeclared])).toMatchObject({ requestReference: 'requestReference', timeZone: 'UTC' });
  });

  test('cannot differ', () => {
    expect(() => conventionsOf([{ conventions }, recurringV25])).toThrow('declare different conventions');
  });
});

describe('messages follow the conventions', () => {
  const services = [{ ...undeclared, conventions }];
  const protocols = createProtocols(services);
  const context = { requestReference: 'R1', operation: undefined };
  const problem = new Problem('unauthorized');

  test('errors in JSON and FORM name the reference', () => {
    expect(JSON.parse(protocols.json.encodeError(problem, context).body)).toMatchObject({ traceId: 'R1' });
    expect(protocols.form.encodeError(problem, context).body).toContain('&traceId=R1&');
  });

  test('problem details have the URL of the type, and the code of the status', () => {
    const { type, errorCode } = JSON.parse(protocols.rest.encodeError(problem, context).body);
    expect([type, errorCode]).toEqual(['https://errors.example/security/unauthorized', 'HTTP-401']);
  });

  test('documents name the reference', () => {
    const text = JSON.stringify(deriveOpenApi(services, ''));
    expect(text).toContain('"headers":{"traceId":');
    expect(text).toContain('"errorType":{');
    expect(text).not.toContain('"headers":{"pspReference":');
  });

  test('date and time are in the time zone', () => {
    const moment = Date.UTC(2017, 2, 1, 10, 53, 11);
    expect(dateTimeFormat('Asia/Kolkata')(moment, 's')).toBe('2017-03-01T16:23:11+05:30');
    expect(dateTimeFormat('Europe/Amsterdam')(moment, 'ms')).toBe('2017-03-01T11:53:11.000+01:00');
  });

  test('times keep milliseconds in JSON and FORM unless the conventions leave them out', () => {
    const at = object('Out', { at: optional(dateTime(0)) });
    const parts = { effect: 'reads', role: 'r', doc: 'x', problems: [] } as const;
    const answer = operation({ ...parts, name: 'answer', input: object('In', {}), output: at });
    const facts = { name: 'Times', version: 1, doc: 'x', answers: { from: 1, to: 1 }, roles: ['r'], address: '/times' };
    const textsIn = (declared: Pick<Service, 'conventions'>) => {
      const namespaces = { own: 't', uris: { t: 'urn:t' } };
      const { json, form } = createProtocols([service({ ...facts, ...declared, namespaces, operations: [answer] })]);
      return [json, form].map((each) => each.encode(answer, { at: 1_767_225_600_045 }).body);
    };
    expect(textsIn({})).toEqual(['{"at":"2026-01-01T00:00:00.045Z"}', 'at=2026-01-01T00%3A00%3A00.045Z']);
    expect(textsIn({ conventions: { ...conventions, timeZone: 'UTC', fractions: 'absent' } })).toEqual([
      '{"at":"2026-01-01T00:00:00Z"}',
      'at=2026-01-01T00%3A00%3A00Z',
    ]);
  });
});

describe('JSON of lists without items', () => {
  const text = string({ example: 'x' });
  const [lists, left] = [list(text, 'a', { max: 2 }), list(text, 'b', { max: 2, json: 'absent' })];
  const [a, b, c] = [optional(lists), optional(left), optional(text)];
  const none = '{"a":[],"d":[]}';
  test.each([
    [{}, none],
    [{ c: 'x' }, '{"a":[],"c":"x","d":[]}'],
    [{ b: ['x'], c: 'x' }, '{"a":[],"b":["x"],"c":"x","d":[]}'],
    [{ a: ['x'], d: ['y'] }, '{"a":["x"],"d":["y"]}'],
    [{ d: ['y'] }, '{"a":[],"d":["y"]}'],
    [{ a: [], c: 'x' }, '{"a":[],"c":"x","d":[]}'],
  ])('%j is %s', (value, expected) => {
    const schema = object('Out', { a, b, c, d: a });
    const print = (service: Pick<Service, 'conventions'>, side: 'input' | 'output') =>
      compilePrint(schema, dateTimeFormat('UTC'), service, side)(value);
    expect(print({}, 'output')).toBe(expected);
    // Requests, and services whose conventions say so, have what there is.
    const plain = JSON.stringify(value);
    expect([print({}, 'input'), print({ conventions: { ...conventions, emptyLists: 'absent' } }, 'output')]).toEqual([
      plain,
      plain,
    ]);
  });
});
