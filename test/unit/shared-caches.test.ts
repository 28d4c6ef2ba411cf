/** What shared caches are told of answers at the paths of an upstream: whose they are, and what they depend on. */
import { expect, test } from '@jest/globals';
import { createForwardedAuthenticator } from '../../src/access/forwarded-credentials.ts';
import type { AnyCaller, Caller } from '../../src/core/contract/canonical.ts';
import { forSharedCaches } from '../../src/core/gateway/shared-caches.ts';
import { ring } from '../support/fixture.ts';

const { authenticate } = createForwardedAuthenticator(ring.index);
const anonymous = await authenticate({ headers: {} });
const forwarded = await authenticate({ headers: { 'x-api-key': 'k' } });
const known = { credential: 'c', tenant: 't', requiresKey: false } as Caller;

const told = (caller: AnyCaller, control: string, vary?: string) =>
  forSharedCaches({ 'cache-control': control, ...(vary !== undefined && { vary }) }, { caller, target: undefined });

test.each([
  ['anyone', anonymous, 'public, max-age=60', 'public, max-age=60'],
  ['anyone', anonymous, 'max-age=60', 'max-age=60'],
  ['a credential that the server gets', forwarded, 'max-age=60', 'private, max-age=60'],
  ['a credential that the server gets', forwarded, 'no-cache', 'private, no-cache'],
  ['a credential that the server gets', forwarded, 'Public, max-age=60', 'Public, max-age=60'],
  ['a credential that the server gets', forwarded, 's-maxage=60', 's-maxage=60'],
  ['a credential that the server gets', forwarded, 'no-store', 'no-store'],
  ['a credential that the server gets', forwarded, 'private="x", max-age=60', 'private, private="x", max-age=60'],
  ['a credential that it does not get', known, 'public, max-age=60', 'private, max-age=60'],
  ['a credential that it does not get', known, 'max-age=1, s-maxage=60', 'private, max-age=1'],
  ['a credential that it does not get', known, 'private, max-age=60', 'private, max-age=60'],
] as const)('to %s: %j %s', (_, caller, control, expected) => {
  expect(told(caller, control)['cache-control']).toBe(expected);
});

test('Vary has the format and the credentials beside what the server names, each once', () => {
  expect(told(anonymous, 'public').vary).toBe('Accept, Content-Type, Authorization, X-API-Key');
  expect(told(anonymous, 'public', 'accept-language, ACCEPT').vary).toBe(
    'accept-language, ACCEPT, Content-Type, Authorization, X-API-Key',
  );
  expect(told(anonymous, 'public', '*').vary).toBe('*');
});

test('an answer that is not stored needs no Vary', () => {
  expect(forSharedCaches({ etag: '"1"' }, { caller: forwarded, target: undefined })).toEqual({ etag: '"1"' });
});
