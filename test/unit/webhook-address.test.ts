/** Accepts and refuses the addresses of webhook endpoints, in the live and the test environment. */
import { describe, expect, test } from '@jest/globals';
import { parseEndpointUrl } from '../../src/webhooks/address.ts';

describe('an endpoint address', () => {
  test.each([
    ['https://shop.example.com', 'live', 'https://shop.example.com/'],
    ['https://shop.example.com:8443/hooks?shop=1', 'live', 'https://shop.example.com:8443/hooks?shop=1'],
    ['https://10.1.2.3/', 'live', 'https://10.1.2.3/'],
    ['http://127.0.0.1:9000/hooks', 'live', 'http://127.0.0.1:9000/hooks'],
    ['http://[::1]:9000/', 'live', 'http://[::1]:9000/'],
    ['http://localhost/', 'live', 'http://localhost/'],
    ['http://shop.internal/', 'test', 'http://shop.internal/'],
  ] as const)('%s in %s', (given, environment, url) => {
    expect(parseEndpointUrl(given, environment)).toEqual({ url });
  });

  test.each([
    ['shop.example.com', 'test', /like https:/],
    ['ftp://shop.example.com/', 'test', /like https:/],
    ['javascript:alert(1)', 'test', /like https:/],
    [`https://shop.example.com/${'x'.repeat(2_000)}`, 'test', /like https:/],
    ['https://user@shop.example.com/', 'test', /user and password/],
    ['https://user:secret@shop.example.com/', 'test', /user and password/],
    ['https://shop.example.com/#part', 'test', /from # on/],
    ['http://shop.example.com/', 'live', /https address/],
    ['http://localhost.example.com/', 'live', /https address/],
    ['http://169.254.169.254/latest', 'test', /link-local/],
    ['https://169.254.1.1/', 'live', /link-local/],
    ['http://2852039166/', 'test', /link-local/],
    ['http://[fe80::1]/', 'test', /link-local/],
    ['http://[::ffff:169.254.169.254]/', 'test', /link-local/],
  ] as const)('%s in %s is refused', (given, environment, hint) => {
    expect(parseEndpointUrl(given, environment)).toEqual({ hint: expect.stringMatching(hint) });
  });
});
