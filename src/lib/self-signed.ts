/** Creates a self-signed certificate for a server, by RFC 5280. */
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  /** In PEM, as the certificate. */
  readonly key: string;
  readonly cert: string;
}

export interface SelfSignedOptions {
  readonly commonName: string;
  readonly names: readonly string[];
  /** IPv4 and, written in full or as `::1`, IPv6. */
  readonly addresses: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

export function createSelfSigned({ commonName, names, addresses, from, until }: SelfSignedOptions): SelfSigned {
  // RSA, since stacks of old callers know no other.
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(oid('1.2.840.113549.1.1.11'), der(tag.null));
  const name = sequence(der(tag.set, sequence(oid('2.5.4.3'), der(tag.utf8, Buffer.from(commonName)))));
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const unsigned = sequence(
    der(0xa0, der(tag.integer, Buffer.of(2))),
    der(tag.integer, Buffer.of(1), randomBytes(15)),
    algorithm,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    keyInfo,
    der(0xa3, extensions(names, addresses, keyInfo)),
  );
  const signature = der(tag.bits, Buffer.of(0), sign('sha256', unsigned, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', sequence(unsigned, algorithm, signature)),
  };
}

/** A server that signs no other certificate: one who trusts it trusts nothing else. */
function extensions(names: readonly string[], addresses: readonly string[], keyInfo: Buffer): Buffer {
  const critical = der(tag.boolean, Buffer.of(0xff));
  const signsAndEnciphers = Buffer.of(5, 0b1010_0000);
  const alternatives = [
    ...names.map((name) => der(0x82, Buffer.from(name, 'latin1'))),
    ...addresses.map((address) => der(0x87, addressBytes(address))),
  ];
  const all: readonly (readonly Buffer[])[] = [
    [oid('2.5.29.19'), critical, octets(sequence())],
    [oid('2.5.29.15'), critical, octets(der(tag.bits, signsAndEnciphers))],
    [oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.1')))],
    [oid('2.5.29.14'), octets(octets(hash('sha1', keyInfo, 'buffer')))],
    [oid('2.5.29.17'), octets(sequence(...alternatives))],
  ];
  return sequence(...all.map((parts) => sequence(...parts)));
}

const tag = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
});

function der(type: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(type, ...lengthBytes), content]);
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return der(tag.sequence, ...contents);
}

function octets(content: Uint8Array): Buffer {
  return der(tag.octets, content);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(tag.oid, Buffer.of(first * 40 + second, ...bytes));
}

/** Two digits for the year: until 2049. */
function utcTime(date: Date): Buffer {
  return der(tag.utcTime, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}

function addressBytes(address: string): Buffer {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number));
  if (address === '::1') return Buffer.concat([Buffer.alloc(15), Buffer.of(1)]);
  return Buffer.from(
    address
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
    'hex',
  );
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
