/** Requests to a server that verifies their signature and their addressing by other libraries: zeep and xmlsec. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { createCertificate } from '../support/certificates.ts';
import { freePort } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const other = createCertificate(folder.path, 'other');
afterAll(() => folder.discard());
const wsdl = join(import.meta.dirname, '../wsdl/desk.wsdl');

/** In PEM, of keys of each kind. */
const certificates = {
  'elliptic curve': createCertificate(folder.path, 'ec'),
  RSA: createRsaCertificate('rsa'),
} as const;

function createRsaCertificate(name: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder.path, `${name}.pem`), join(folder.path, `${name}.key`)];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { cert, key };
}

describe.each(['RSA', 'elliptic curve'] as const)('with a key of %s', (kind) => {
  const { cert, key } = certificates[kind];
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/desk`;
    const env = { ...process.env, PORT: String(port), CERT: cert };
    const server = join(import.meta.dirname, '../interop/servers/signed.py');
    child = spawn('/usr/bin/python3', [server], { env, stdio: 'ignore' });
    await until('the server', async () => (await fetch(url)).ok);
  });
  afterAll(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  const signed = { timestampSeconds: 60, certFile: cert, keyFile: key };

  async function openGateway(options: Partial<UpstreamOptions>): Promise<RunningGateway> {
    const { services } = await importWsdl(wsdl, { allowNetwork: false, reads: ['Get*'] });
    const { service } = services[0]!;
    return await createGateway({
      services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('desk')],
      upstreams: {
        desk: {
          url,
          format: 'soap11',
          credentials: 'forward',
          singleAddress: true,
          wsSecurity: signed,
          wsAddressing: true,
          ...options,
        },
      },
      settings: { LOG_LEVEL: 'silent' },
    });
  }

  async function post(gateway: RunningGateway, path: string, type: string, body: string) {
    const headers = { 'content-type': type };
    const response = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
    return { status: response.status, text: await response.text() };
  }
  const ask = (gateway: RunningGateway) => post(gateway, '/desk/GetTicket', 'application/json', '{"id":"7"}');

  test.each([
    ['JSON', '/desk/GetTicket', 'application/json', '{"id":"7 <&>"}'],
    ['FORM', '/desk/GetTicket', 'application/x-www-form-urlencoded', 'id=7+%3C%26%3E'],
    ['SOAP 1.1', '/desk', 'text/xml', 'http://schemas.xmlsoap.org/soap/envelope/'],
    ['SOAP 1.2', '/desk', 'application/soap+xml', 'http://www.w3.org/2003/05/soap-envelope'],
  ])('the server accepts the signed and addressed request of a caller in %s', async (_, path, type, body) => {
    const gateway = await openGateway({});
    const message = body.startsWith('http')
      ? `<e:Envelope xmlns:e="${body}"><e:Body><GetTicket xmlns="urn:example:desk"><id>7 &lt;&amp;></id></GetTicket></e:Body></e:Envelope>`
      : body;
    const answer = await post(gateway, path, type, message);
    expect([answer.status, decodeURIComponent(answer.text.replaceAll('+', ' '))]).toEqual([
      200,
      expect.stringMatching(/Ticket 7 (?:<&>|&lt;&amp;(?:>|&gt;))/),
    ]);
    await gateway.close();
  });

  describe('the controls: the server refuses', () => {
    test.each<[string, Partial<UpstreamOptions>]>([
      ['a request without a signature', { wsSecurity: { timestampSeconds: 60 } }],
      ['a signature without a Timestamp', { wsSecurity: { certFile: cert, keyFile: key } }],
      ['the signature of another key', { wsSecurity: { ...signed, certFile: other.cert, keyFile: other.key } }],
      ['a request that is not addressed', { wsAddressing: false }],
    ])('%s', async (_, options) => {
      const gateway = await openGateway(options);
      const { status, text } = await ask(gateway);
      expect([status >= 400, text]).toEqual([true, expect.not.stringContaining('Ticket 7')]);
      await gateway.close();
    });

    test.each([
      ['a Body', '>7<', '>8<'],
      ['a Timestamp', '<wsu:Expires>2', '<wsu:Expires>3'],
    ])('%s that was changed on its way', async (_, from, to) => {
      const changing: Server = createServer(async (request, response) => {
        const body = (await text(request)).replace(from, to);
        const headers = { 'content-type': 'text/xml', soapaction: String(request.headers.soapaction) };
        const answer = await fetch(url, { method: 'POST', headers, body });
        response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(await answer.text());
      });
      await new Promise<void>((resolve) => changing.listen(0, '127.0.0.1', resolve));
      const gateway = await openGateway({ url: `http://127.0.0.1:${(changing.address() as AddressInfo).port}/desk` });
      const { status, text: answer } = await ask(gateway);
      expect([status >= 400, answer]).toEqual([true, expect.not.stringContaining('Ticket')]);
      await gateway.close();
      changing.close();
    });
  });
});

test('a key that cannot sign is a fault of the configuration', async () => {
  const key = join(folder.path, 'ed25519.key');
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
  const { services } = await importWsdl(wsdl, { allowNetwork: false });
  const { service } = services[0]!;
  const opened = createGateway({
    services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('desk')],
    upstreams: {
      desk: {
        url: 'http://127.0.0.1:1/desk',
        format: 'soap11',
        credentials: 'forward',
        wsSecurity: { certFile: other.cert, keyFile: key },
      },
    },
  });
  await expect(opened).rejects.toThrow('no private key of RSA or of an elliptic curve');
});
