/** Tests how the certificate of a caller is found: in the header of a trusted proxy, in every form, and nowhere else. */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { parseNetworks } from '../../src/core/lib/networks.ts';
import { createSelfSigned } from '../../src/core/lib/self-signed.ts';
import { clientCertificate } from '../../src/http/client-certificate.ts';

const { cert } = createSelfSigned({
  ...{ commonName: 'client', names: ['localhost'], addresses: [] },
  ...{ from: new Date('2026-01-01'), until: new Date('2036-01-01') },
});
const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();

const header = 'x-client-certificate';
const proxy = '10.0.0.1';

interface Asked {
  readonly from?: string;
  readonly trusted?: string;
  readonly named?: string | undefined;
  readonly socket?: object;
}

const find = (
  value: string | undefined,
  { from = proxy, trusted = '10.0.0.0/8', named = header, socket }: Asked = {},
) =>
  clientCertificate(
    { headers: { [header]: value }, socket: { remoteAddress: from, ...socket } } as unknown as IncomingMessage,
    { trustedProxies: parseNetworks(trusted)!, clientCertificateHeader: named },
  );

const base64 = cert.replace(/-----[^-]+-----|\s/g, '');
const digits = 'ab'.repeat(32);

describe('the header of a trusted proxy', () => {
  test('holds a fingerprint, in any usual writing', () => {
    expect(find(digits)).toBe(digits);
    expect(find(digits.toUpperCase())).toBe(digits);
    expect(find(digits.toUpperCase().match(/../g)!.join(':'))).toBe(digits);
  });
  test('holds a certificate, as nginx, RFC 9440 and Traefik write it', () => {
    expect(find(encodeURIComponent(cert))).toBe(fingerprint);
    expect(find(`:${base64}:`)).toBe(fingerprint);
    expect(find(base64)).toBe(fingerprint);
    expect(find(encodeURIComponent(base64))).toBe(fingerprint);
  });
  test('holds the element of Envoy', () => {
    expect(find(`Hash=${digits}`)).toBe(digits);
    expect(find(`By=spiffe://a/b;Hash=${digits};Subject="CN=a,O=b;Hash=${'cd'.repeat(32)}";URI=`)).toBe(digits);
    expect(find(`Subject="a \\" ;Hash=x";Hash=${digits}`)).toBe(digits);
  });
  test.each([
    ['two elements', `Hash=${'cd'.repeat(32)},Hash=${digits}`],
    ['two hashes', `Hash=${'cd'.repeat(32)};Hash=${digits}`],
    ['two headers', `${digits}, ${digits}`],
    ['two headers with certificates', `${encodeURIComponent(cert)}, ${encodeURIComponent(cert)}`],
    ['two headers with certificates as of RFC 9440', `:${base64}:, :${base64}:`],
    ['a hash in a quoted text only', `Subject="Hash=${digits}"`],
    ['an open quote', `Subject="a;Hash=${digits}`],
    ['SHA-1', 'ab'.repeat(20)],
    ['nothing', ''],
    ['no certificate', '(null)'],
    ['a broken escape', '-----BEGIN%2'],
    ['a broken certificate', encodeURIComponent('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')],
  ])('is refused with %s', (_, value) => {
    expect(find(value)).toBeUndefined();
    // From the cache as well.
    expect(find(value)).toBeUndefined();
  });
});

describe('the header', () => {
  test('of another sender is ignored', () => {
    expect(find(digits, { from: '192.0.2.1' })).toBeUndefined();
    expect(find(digits, { trusted: '' })).toBeUndefined();
  });
  test('is ignored where the configuration does not name it', () => {
    expect(
      clientCertificate(
        { headers: { [header]: digits }, socket: { remoteAddress: proxy } } as unknown as IncomingMessage,
        {
          trustedProxies: parseNetworks(proxy)!,
        },
      ),
    ).toBeUndefined();
  });
});

describe('the certificate of the connection', () => {
  const socket = (authorized: boolean) => ({
    encrypted: true,
    authorized,
    getPeerX509Certificate: () => ({ fingerprint256: digits.toUpperCase().match(/../g)!.join(':') }),
  });
  test('counts where an authority of the server has signed it', () => {
    expect(find(undefined, { from: '192.0.2.1', socket: socket(true) })).toBe(digits);
    expect(find(undefined, { from: '192.0.2.1', socket: socket(false) })).toBeUndefined();
  });
  test('of a trusted proxy is not that of the caller', () => {
    expect(find(undefined, { socket: socket(true) })).toBeUndefined();
  });
});
