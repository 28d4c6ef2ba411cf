/** What binds a credential beside its secret: its expiry, the networks that it may come from, and client certificates. */
import { parseNetworks } from '../../lib/networks.ts';
import type { Bounds } from './credential-rules.ts';

/** Where a credential comes from. Read only for credentials that are bound to it. */
export interface CredentialOrigin {
  readonly sender?: { readonly address: string } | undefined;
  /** The SHA-256 fingerprint of the certificate that the caller has proved. */
  readonly certificate?: string | undefined;
}

export type BoundsRefusal = 'expired' | 'otherAddress' | 'otherCertificate';

export interface CredentialBounds {
  /** Returns why the credential is refused, or undefined. */
  refuse(origin: CredentialOrigin, now: number): BoundsRefusal | undefined;
}

/** Searching a list takes a microsecond; a credential is read again each second, with an empty cache. */
const cachedMax = 256;

/** Returns undefined where nothing binds the credential. */
export function createBounds({ expiresAt, networks, certificates }: Bounds): CredentialBounds | undefined {
  if (expiresAt === undefined && networks === undefined && certificates === undefined) return undefined;
  const admits = networks && cachedNetworks(networks);
  const fingerprints = certificates && new Set(certificates);
  return {
    refuse(origin, now) {
      if (expiresAt !== undefined && now >= expiresAt) return 'expired';
      if (admits?.(origin.sender?.address ?? '') === false) return 'otherAddress';
      if (fingerprints?.has(origin.certificate ?? '') === false) return 'otherCertificate';
      return undefined;
    },
  };
}

function cachedNetworks(texts: readonly string[]): (address: string) => boolean {
  const networks = parseNetworks(texts.join(' '));
  const known = new Map<string, boolean>();
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    // A list that cannot be read admits no address.
    const isIncluded = networks?.includes(address) ?? false;
    if (known.size < cachedMax) known.set(address, isIncluded);
    return isIncluded;
  };
}
