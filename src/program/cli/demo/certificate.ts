/** The certificate of `demo --tls`: throw-away and self-signed, in the data folder. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { createSelfSigned, isLoopback, type SelfSigned } from '../../../core/lib/index.ts';

export const certificateFile = 'tls-cert.pem';
export const certificateKeyFile = 'tls-key.pem';

export interface DemoCertificate extends SelfSigned {
  /** The absolute path of the certificate. */
  readonly file: string;
}

const dayMs = 86_400_000;
const validDays = 90;
/** A certificate that expires sooner is replaced. */
const daysLeftMin = 7;

/** Returns the certificate of the folder, and creates one where there is none for this host and the next days. */
export function findCertificate(dataDir: string, host: string): DemoCertificate {
  const file = resolve(dataDir, certificateFile);
  const keyFile = join(dataDir, certificateKeyFile);
  const subjects = subjectsOf(host);
  const found = readPair(file, keyFile);
  if (found !== undefined && serves(found, subjects)) return { file, ...found };
  const now = Date.now();
  const created = createSelfSigned({
    commonName: 'Triglyph demo',
    ...subjects,
    // Clocks of other machines may be behind.
    from: new Date(now - dayMs),
    until: new Date(now + validDays * dayMs),
  });
  writeFileSync(keyFile, created.key, { mode: 0o600 });
  writeFileSync(file, created.cert, { mode: 0o600 });
  return { file, ...created };
}

/** How clients are told to trust the certificate. */
export function trustLines({ file }: DemoCertificate): readonly string[] {
  return [
    `curl    --cacert ${file}`,
    `Node    NODE_EXTRA_CA_CERTS=${file}`,
    `PHP     stream_context_create(['ssl' => ['cafile' => '${file}']])`,
    `Python  SSL_CERT_FILE=${file}`,
  ];
}

interface Subjects {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

/** All by which callers may reach the host. */
function subjectsOf(host: string): Subjects {
  const local = { names: ['localhost'], addresses: ['127.0.0.1', '::1'] };
  if (isLoopback(host)) return local;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = own.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
  return { names: [...local.names, hostname()], addresses: [...local.addresses, ...addresses] };
}

function readPair(file: string, keyFile: string): SelfSigned | undefined {
  if (!existsSync(file) || !existsSync(keyFile)) return undefined;
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8') };
}

function serves({ key, cert }: SelfSigned, { names, addresses }: Subjects): boolean {
  try {
    const parsed = new X509Certificate(cert);
    return (
      parsed.checkPrivateKey(createPrivateKey(key)) &&
      Date.parse(parsed.validTo) - Date.now() > daysLeftMin * dayMs &&
      names.every((name) => parsed.checkHost(name) !== undefined) &&
      addresses.every((address) => parsed.checkIP(address) !== undefined)
    );
  } catch {
    // What does not parse is replaced.
    return false;
  }
}
