/** Tests that a TLS session is not resumed after the authorities of client certificates were renewed. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseNetworks } from '../../src/core/lib/networks.ts';
import { clientCertificate } from '../../src/http/client-certificate.ts';
import { createWebServer } from '../../src/http/node-http.ts';
import type { TlsOptions } from '../../src/http/tls.ts';
import { type CertificateFiles, createCertificate } from '../support/certificates.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let server: CertificateFiles;
let before: CertificateFiles;
let after: CertificateFiles;
let client: CertificateFiles;
const close: (() => void)[] = [];
beforeAll(() => {
  server = createCertificate(folder.path, 'server');
  before = createCertificate(folder.path, 'before');
  after = createCertificate(folder.path, 'after');
  client = createCertificate(folder.path, 'client', before);
});
afterEach(() => {
  for (const each of close.splice(0)) each();
});
afterAll(() => folder.discard());

const text = (file: string) => readFileSync(file, 'utf8');

/** A server whose answers say which certificate it has accepted. */
async function open() {
  const options: TlsOptions = { key: text(server.key), cert: text(server.cert), clientCa: text(before.cert) };
  let renew: (renewed: TlsOptions) => void = () => {};
  const web = createWebServer(
    {},
    {
      current: () => options,
      subscribe(listener) {
        renew = listener;
        return () => {};
      },
    },
  );
  const trustedProxies = parseNetworks('')!;
  web.on('request', (request, response) =>
    response.end(clientCertificate(request, { trustedProxies, clientCertificateHeader: undefined }) ?? 'none'),
  );
  await new Promise<void>((listening) => web.listen(0, '127.0.0.1', listening));
  close.push(() => web.close());
  return {
    port: (web.address() as AddressInfo).port,
    renewAuthority: (authority: CertificateFiles) => renew({ ...options, clientCa: text(authority.cert) }),
  };
}

interface Visit {
  readonly isResumed: boolean;
  readonly accepted: string;
  readonly session: Buffer;
}

/** One request on a connection of its own; ends with the newest ticket. */
function visit(port: number, version: SecureVersion, session?: Buffer): Promise<Visit> {
  return new Promise((resolve, reject) => {
    let ticket: Buffer | undefined;
    let answer = '';
    const socket: TLSSocket = connect({
      ...{ port, host: '127.0.0.1', ca: text(server.cert), cert: text(client.cert), key: text(client.key) },
      ...{ minVersion: version, maxVersion: version, session },
    });
    socket.on('session', (received: Buffer) => {
      ticket = received;
    });
    let isResumed = false;
    socket.on('secureConnect', () => {
      isResumed = socket.isSessionReused();
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    });
    socket.on('data', (piece: Buffer) => {
      answer += piece.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [, body = ''] = answer.split('\r\n\r\n');
      const accepted = /none|[0-9a-f]{64}/.exec(body)?.[0] ?? body;
      resolve({ isResumed, accepted, session: ticket ?? session! });
    });
  });
}

describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('a session of %s', (version) => {
  test('is resumed with its certificate while the authority is the same', async () => {
    const { port } = await open();
    const first = await visit(port, version);
    expect(first).toMatchObject({ isResumed: false, accepted: client.fingerprint });
    expect(await visit(port, version, first.session)).toMatchObject({ isResumed: true, accepted: client.fingerprint });
  });

  test('of a withdrawn authority is neither resumed nor accepted', async () => {
    const { port, renewAuthority } = await open();
    const first = await visit(port, version);
    expect(first.accepted).toBe(client.fingerprint);
    renewAuthority(after);
    expect(await visit(port, version, first.session)).toMatchObject({ isResumed: false, accepted: 'none' });
  });
});
