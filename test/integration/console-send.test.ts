/** The console sends requests to the port for callers alone: with TLS it trusts the certificate of that port and no other. */
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendToCallersPort } from '../../src/console/sender/send-to-callers-port.ts';
import { type CertificateFiles, createCertificate } from '../support/certificates.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let ownLeaf: CertificateFiles;
let otherLeaf: CertificateFiles;
const servers: Server[] = [];

beforeAll(() => {
  const authority = createCertificate(folder.path, 'authority');
  [ownLeaf, otherLeaf] = ['own', 'other'].map((name) => createCertificate(folder.path, name, authority)) as [
    CertificateFiles,
    CertificateFiles,
  ];
});
afterAll(() => {
  for (const server of servers) server.close();
  folder.discard();
});

const listen = async (server: Server, scheme: string): Promise<string> => {
  servers.push(server);
  return `${scheme}://127.0.0.1:${await listenLocally(server)}`;
};

const echo = async (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
  const pieces = await request.toArray();
  response.setHeader('X-Method', request.method ?? '');
  response.end(`${request.url} ${request.headers['x-api-key']} ${Buffer.concat(pieces).toString()}`);
};

const listenTls = ({ cert, key }: CertificateFiles) =>
  listen(createServer({ cert: readFileSync(cert), key: readFileSync(key) }, echo), 'https');

const request = { method: 'POST', path: '/a?b=c', headers: { 'X-API-Key': 'k' }, body: 'é' };

test('over HTTP', async () => {
  const origin = await listen(createPlain(echo), 'http');
  const answer = await sendToCallersPort({ origin: () => origin, certificate: () => undefined })(request);
  expect(answer.status).toBe(200);
  expect(answer.body.toString()).toBe('/a?b=c k é');
  expect(answer.headers).toContainEqual(['X-Method', 'POST']);
});

test('over TLS, with a certificate that an authority has signed', async () => {
  const origin = await listenTls(ownLeaf);
  const certificate = () => readFileSync(ownLeaf.cert, 'utf8');
  const answer = await sendToCallersPort({ origin: () => origin, certificate })(request);
  expect(answer.body.toString()).toBe('/a?b=c k é');
});

test('another certificate of the same authority is refused', async () => {
  const origin = await listenTls(otherLeaf);
  const certificate = () => readFileSync(ownLeaf.cert, 'utf8');
  await expect(sendToCallersPort({ origin: () => origin, certificate })(request)).rejects.toThrow();
});

test('no answer is an error', async () => {
  const send = sendToCallersPort({ origin: () => 'http://127.0.0.1:1', certificate: () => undefined });
  await expect(send(request)).rejects.toThrow();
});
