/** Creates a self-signed certificate for a server. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Library from 'node-forge';

export interface SelfSigned {
  /** In PEM, as the certificate. */
  readonly key: string;
  readonly cert: string;
}

interface SelfSignedOptions {
  readonly commonName: string;
  readonly names: readonly string[];
  /** IPv4 and IPv6. */
  readonly addresses: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

/** As RFC 5280 numbers the kinds of names. */
const kind = { name: 2, address: 7 } as const;

/** The server signs no other certificate: a caller that trusts it trusts nothing else. */
export function createSelfSigned({ commonName, names, addresses, from, until }: SelfSignedOptions): SelfSigned {
  const { md, pki } = createRequire(import.meta.url)('node-forge') as typeof Library;
  // RSA, since stacks of old callers know no other.
  const { publicKey, privateKey: key } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = pki.createCertificate();
  const subject = [{ name: 'commonName', value: commonName }];
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  // Positive, and not shortened by a leading zero.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = from;
  certificate.validity.notAfter = until;
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectKeyIdentifier' },
    {
      name: 'subjectAltName',
      altNames: [
        ...names.map((value) => ({ type: kind.name, value })),
        ...addresses.map((ip) => ({ type: kind.address, ip })),
      ],
    },
  ]);
  certificate.sign(pki.privateKeyFromPem(key), md.sha256.create());
  return { key, cert: pki.certificateToPem(certificate) };
}
