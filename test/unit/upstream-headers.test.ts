/** The headers of requests to an upstream, where a parameter of the operation is a header, too. */
import { expect, test } from '@jest/globals';
import type { AnyRequest } from '../../src/contract/canonical.ts';
import { addHeaders } from '../../src/upstream/headers.ts';

const request = { requestReference: 'R' } as AnyRequest;

function sentWith(parameters: readonly string[], credential: Readonly<Record<string, string>>, isOfCaller: boolean) {
  const headers = [...parameters];
  addHeaders(headers, request, credential, isOfCaller);
  return headers.slice(0, headers.indexOf('x-request-id'));
}

const credential = { 'x-api-key': 'secret' };

test('a parameter with the name of a credential as its value does not replace the credential', () => {
  for (const isOfCaller of [true, false])
    expect(sentWith(['x-note', 'x-api-key'], credential, isOfCaller)).toEqual([
      'x-note',
      'x-api-key',
      'x-api-key',
      'secret',
    ]);
});

test('a parameter replaces the credential of its caller, and none of the gateway', () => {
  expect(sentWith(['x-api-key', 'other'], credential, true)).toEqual(['x-api-key', 'other']);
  expect(sentWith(['x-api-key', 'other'], credential, false)).toEqual(['x-api-key', 'secret']);
});

test('cookies of a session stand before those of a caller', () => {
  for (const isOfCaller of [true, false])
    expect(sentWith(['cookie', 'a=1; session=forged'], { cookie: 'session=2' }, isOfCaller)).toEqual([
      'cookie',
      'session=2; a=1; session=forged',
    ]);
});
