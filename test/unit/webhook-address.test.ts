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
    ['https://192.168.1.1/', 'live', 'https://192.168.1.1/'],
    ['https://169.253.1.1/', 'live', 'https://169.253.1.1/'],
    ['https://[fd12:3456::1]/', 'live', 'https://[fd12:3456::1]/'],
    ['https://[2001:db8::1]/', 'live', 'https://[2001:db8::1]/'],
    ['https://[64:ff9b::a01:203]/', 'live', 'https://[64:ff9b::a01:203]/'],
    ['https://[2002:a01:203::1]/', 'live', 'https://[2002:a01:203::1]/'],
    ['https://[fec0::1]/', 'live', 'https://[fec0::1]/'],
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
    ['http://[febf::1]/', 'test', /link-local/],
    ['http://[::169.254.169.254]/', 'test', /link-local/],
    ['http://[::ffff:0:169.254.169.254]/', 'test', /link-local/],
    ['http://[64:ff9b::169.254.169.254]/', 'test', /link-local/],
    ['http://[64:ff9b:1::a9fe:a9fe]/', 'test', /link-local/],
    ['http://[2002:a9fe:a9fe::1]/', 'test', /link-local/],
    ['http://[2001:0:1::1]/', 'test', /link-local/],
    ['http://[fd00:ec2::254]/', 'test', /metadata/],
    ['http://[fd20:ce::254]/', 'test', /metadata/],
    ['http://100.100.100.200/', 'test', /metadata/],
    ['http://[2002:6464:64c8::]/', 'test', /metadata/],
    ['http://[::ffff:168.63.129.16]/', 'test', /metadata/],
    ['http://0xa9.0xfe.0xa9fe/', 'test', /link-local/],
    ['http://169.254.169.254./', 'test', /link-local/],
  ] as const)('%s in %s is refused', (given, environment, hint) => {
    expect(parseEndpointUrl(given, environment)).toEqual({ hint: expect.stringMatching(hint) });
  });
});
