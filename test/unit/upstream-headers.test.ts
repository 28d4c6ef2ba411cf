/** The headers of requests to an upstream, where a parameter of the operation is a header, too. */
import { expect, test } from '@jest/globals';
import type { AnyRequest } from '../../src/core/contract/canonical.ts';
import { addHeaders, putHeader } from '../../src/forward/headers.ts';

const request = { requestReference: 'R' } as AnyRequest;

type Headers = Readonly<Record<string, string>>;

function sentWith(parameters: readonly string[], credentials: Headers, ofGateway: Headers) {
  const headers = [...parameters];
  addHeaders(headers, request, credentials, ofGateway);
  return headers.slice(0, headers.indexOf('x-request-id'));
}

const credential = { 'x-api-key': 'secret' };

test('a parameter with the name of a credential as its value does not replace the credential', () => {
  for (const ofGateway of [{}, credential])
    expect(sentWith(['x-note', 'x-api-key'], credential, ofGateway)).toEqual([
      'x-note',
      'x-api-key',
      'x-api-key',
      'secret',
    ]);
});

test('a parameter replaces the credential of its caller, and none of the gateway', () => {
  expect(sentWith(['x-api-key', 'other'], credential, {})).toEqual(['x-api-key', 'other']);
  expect(sentWith(['x-api-key', 'other'], credential, credential)).toEqual(['x-api-key', 'secret']);
});

test('a parameter replaces no header of a session, also where the credential of the caller is passed on', () => {
  const session = { 'x-session': '2' };
  expect(sentWith(['x-api-key', 'other', 'x-session', '1'], { ...credential, ...session }, session)).toEqual([
    ...['x-api-key', 'other'],
    ...['x-session', '2'],
  ]);
});

test('a parameter with the name of a header of the gateway stands in its place', () => {
  const headers = ['X-Request-Id', 'mine', 'traceparent', '00-a-b-00'];
  addHeaders(headers, request, {}, {});
  expect(headers).toEqual(['X-Request-Id', 'mine', 'traceparent', '00-a-b-00']);
  putHeader(headers, 'x-request-id', 'other');
  expect(headers.slice(0, 2)).toEqual(['X-Request-Id', 'other']);
});

test('cookies of a session stand before those of a caller, and replace those with their names', () => {
  const cookie = { cookie: 'session=2' };
  for (const ofGateway of [{}, cookie])
    expect(sentWith(['cookie', 'a=1; session=forged; b=2'], cookie, ofGateway)).toEqual([
      'cookie',
      'session=2; a=1; b=2',
    ]);
});
