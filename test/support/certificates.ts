/** Creates certificates with openssl: an authority, and certificates of servers and clients that it has signed. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

/**
 * An authority of its own, or one that `by` has signed. The files are named after it, and readable by their owner only. It is
 * for this machine, and for further addresses.
 */
export function createCertificate(
  folder: string,
  name: string,
  by?: CertificateFiles,
  addresses: readonly string[] = [],
): CertificateFiles {
  const cert = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key`);
  const kind = by === undefined ? 'basicConstraints=critical,CA:TRUE' : 'basicConstraints=CA:FALSE';
  const issuer = by === undefined ? [] : ['-CA', by.cert, '-CAkey', by.key];
  const names = ['IP:127.0.0.1', 'DNS:localhost', ...addresses.map((address) => `IP:${address}`)].join();
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-addext', kind, '-addext', `subjectAltName=${names}`],
      ...['-keyout', key, '-out', cert, ...issuer],
    ],
    { stdio: 'pipe' },
  );
  return { cert, key, fingerprint: fingerprintOf(cert) };
}

export function fingerprintOf(file: string): string {
  return new X509Certificate(readFileSync(file)).fingerprint256.replaceAll(':', '').toLowerCase();
}
