/** What binds a credential beside its secret: its expiry, the networks that it may come from, and client certificates. */
import { BoundedMap, parseNetworks } from '../../core/lib/index.ts';
import type { Bounds } from './credential-rules.ts';

/** Where a credential comes from. Read only for credentials that are bound to it. */
export interface CredentialOrigin {
  readonly sender?: { readonly address: string } | undefined;
  /** The SHA-256 fingerprint of the certificate that the caller has proved. */
  readonly certificate?: string | undefined;
  /** The one-time code or the recovery code that a person has typed beside the secret. */
  readonly code?: string | undefined;
}

export type BoundsRefusal = 'expired' | 'otherAddress' | 'otherCertificate';

export interface CredentialBounds {
  /** Returns why the credential is refused, or undefined. */
  refuse(origin: CredentialOrigin, now: number): BoundsRefusal | undefined;
}

/** Searching a list takes a microsecond, and reading its texts twenty; a credential is read again each second. */
const cachedMax = 256;
const matchers = new BoundedMap<string, (address: string) => boolean>(cachedMax);

export function createBounds({ expiresAt, networks, certificates }: Bounds): CredentialBounds {
  const admits = networks && matcherOf(networks.join(' '));
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

function matcherOf(text: string): (address: string) => boolean {
  return matchers.getOrCreate(text, createMatcher);
}

function createMatcher(text: string): (address: string) => boolean {
  const networks = parseNetworks(text);
  const known = new BoundedMap<string, boolean>(cachedMax);
  // A list that cannot be read admits no address.
  const includes = (address: string): boolean => networks?.includes(address) ?? false;
  return (address) => known.getOrCreate(address, includes);
}
