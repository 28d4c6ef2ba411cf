/** WS-Security of requests to an upstream: a UsernameToken, a Timestamp, and a signature by a certificate (`xml-crypto`). */
import { type BinaryLike, createHash, createPrivateKey, type KeyLike, randomBytes, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as XmlCrypto from 'xml-crypto';
import type { UsernameToken } from '../core/contract/index.ts';
import { escapeXml } from '../core/xml/index.ts';

/** What the security header of an upstream has. */
export interface SecurityOptions {
  readonly usernameToken?:
    | { readonly username: string; readonly password: string; readonly isDigest: boolean }
    | undefined;
  /** The UsernameToken is the credential of each request, instead of HTTP Basic. */
  readonly fromCredential?: { readonly isDigest: boolean } | undefined;
  /** How long a request is valid. Absent where it has no Timestamp. */
  readonly timestampMs?: number | undefined;
  /** In PEM: signs the Body, and the Timestamp. */
  readonly signature?: { readonly cert: string; readonly key: string } | undefined;
}

/** A UsernameToken to send: a password to be sent in its form, or what a caller has made of a password. */
export type Token =
  | { readonly username: string; readonly password: string; readonly isDigest: boolean; readonly made?: undefined }
  | { readonly made: UsernameToken };

/** The security header of each request, in two steps: the signature is over the whole envelope. */
interface Security {
  /** `token`: of the request, where it is the credential. */
  block(token?: Token): string;
  sign(envelope: string): string;
}

const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const wsse = `${oasis}-wssecurity-secext-1.0.xsd`;
const wsu = `${oasis}-wssecurity-utility-1.0.xsd`;
const base64 = `${oasis}-soap-message-security-1.0#Base64Binary`;
const x509 = `${oasis}-x509-token-profile-1.0#X509v3`;
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const ecdsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
/** The algorithms of signatures by the kinds of keys that sign. */
const algorithms: Readonly<Record<string, string>> = Object.freeze({ rsa: rsaSha256, ec: ecdsaSha256 });
const securityPath = "/*/*[local-name(.)='Header']/*[local-name(.)='Security']";

/** `prefix`: of the envelope. */
export function createSecurity({ usernameToken, timestampMs, signature }: SecurityOptions, prefix: string): Security {
  const token =
    signature === undefined
      ? ''
      : `<wsse:BinarySecurityToken EncodingType="${base64}" ValueType="${x509}" wsu:Id="certificate">${certificateIn(signature.cert)}</wsse:BinarySecurityToken>`;
  const bodyStart = new RegExp(`<${prefix}:Body(?=[ >])`);
  return {
    block(own) {
      const now = Date.now();
      const time = timestampMs === undefined ? '' : timestamp(now, timestampMs);
      const sent = usernameToken ?? own;
      const user = sent === undefined ? '' : printToken(sent, now);
      return `<wsse:Security xmlns:wsse="${wsse}" xmlns:wsu="${wsu}" ${prefix}:mustUnderstand="1">${token}${time}${user}</wsse:Security>`;
    },
    sign(envelope) {
      if (signature === undefined) return envelope;
      // The Body declares the namespaces of elements that are its own.
      const named = envelope.replace(bodyStart, (start) => `${start} xmlns:wsu="${wsu}" wsu:Id="body"`);
      const paths = [
        `/*/*[local-name(.)='Body']`,
        ...(timestampMs === undefined ? [] : [`${securityPath}/*[local-name(.)='Timestamp']`]),
      ];
      return signParts(named, signature.key, paths);
    },
  };
}

/** The algorithm of signatures by a private key in PEM; undefined for a key that cannot sign. */
export function signatureAlgorithmOf(key: string): string | undefined {
  try {
    return algorithms[createPrivateKey(key).asymmetricKeyType ?? ''];
  } catch {
    return undefined;
  }
}

/** ECDSA, which `xml-crypto` has not: XML signatures have both numbers one after the other (RFC 4051, section 2.3.6). */
class EcdsaSha256 implements XmlCrypto.SignatureAlgorithm {
  getSignature(signedInfo: BinaryLike, key: KeyLike): string {
    const bytes = Buffer.from(String(signedInfo));
    return sign('sha256', bytes, { key: String(key), dsaEncoding: 'ieee-p1363' }).toString('base64');
  }

  verifySignature(): boolean {
    return false;
  }

  getAlgorithmName(): string {
    return ecdsaSha256;
  }
}

let library: typeof XmlCrypto | undefined;

function signParts(envelope: string, privateKey: string, paths: readonly string[]): string {
  // Loaded for the first signature.
  library ??= createRequire(import.meta.url)('xml-crypto') as typeof XmlCrypto;
  const signer = new library.SignedXml({
    privateKey,
    idMode: 'wssecurity',
    signatureAlgorithm: signatureAlgorithmOf(privateKey) ?? rsaSha256,
    canonicalizationAlgorithm: exclusive,
    getKeyInfoContent: () =>
      `<wsse:SecurityTokenReference xmlns:wsse="${wsse}"><wsse:Reference URI="#certificate" ValueType="${x509}"/></wsse:SecurityTokenReference>`,
  });
  signer.SignatureAlgorithms[ecdsaSha256] = EcdsaSha256;
  for (const xpath of paths) signer.addReference({ xpath, transforms: [exclusive], digestAlgorithm: sha256 });
  signer.computeSignature(envelope, { prefix: 'ds', location: { reference: securityPath, action: 'append' } });
  return signer.getSignedXml();
}

function certificateIn(pem: string): string {
  return /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem)?.[1]?.replace(/\s+/g, '') ?? '';
}

function timestamp(now: number, validMs: number): string {
  const [created, expires] = [now, now + validMs].map((ms) => new Date(ms).toISOString());
  return `<wsu:Timestamp wsu:Id="timestamp"><wsu:Created>${created}</wsu:Created><wsu:Expires>${expires}</wsu:Expires></wsu:Timestamp>`;
}

/** The digest is that of the UsernameToken profile 1.0: of nonce, time and password. */
function printToken(token: Token, now: number): string {
  if (token.made !== undefined) return printMade(token.made);
  const { username, password, isDigest } = token;
  if (!isDigest) return printMade({ ...token, nonce: undefined, created: undefined });
  const nonce = randomBytes(16);
  const created = new Date(now).toISOString();
  const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
  return printMade({ username, password: digest, isDigest, nonce: nonce.toString('base64'), created });
}

/** A digest belongs to its nonce and its time. */
function printMade({ username, password, isDigest, nonce, created }: UsernameToken): string {
  const name = `<wsse:Username>${escapeXml(username)}</wsse:Username>`;
  const type = `${oasis}-username-token-profile-1.0#${isDigest ? 'PasswordDigest' : 'PasswordText'}`;
  const secret = `<wsse:Password Type="${type}">${escapeXml(password)}</wsse:Password>`;
  const random = nonce === undefined ? '' : `<wsse:Nonce EncodingType="${base64}">${escapeXml(nonce)}</wsse:Nonce>`;
  const time = created === undefined ? '' : `<wsu:Created>${escapeXml(created)}</wsu:Created>`;
  return `<wsse:UsernameToken>${name}${secret}${random}${time}</wsse:UsernameToken>`;
}
