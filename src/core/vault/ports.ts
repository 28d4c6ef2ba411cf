/** The interface of the vault, which seals card numbers and other secrets under keys that are not in the store. */
import { Unavailable } from '../lib/index.ts';

/** The sealed secrets of a record. Base64 texts that only the vault can open. */
export interface Sealed {
  /** The id of the key that wraps the data key. */
  readonly keyId: string;
  readonly dataKey: string;
  /** The card number. */
  readonly number?: string | undefined;
  /** Other secrets, which responses contain: for a stored detail a `SecretDetail`. */
  readonly payload?: string | undefined;
}

/** A wrapped data key with the id of its wrapping key. */
export type WrappedKey = Pick<Sealed, 'keyId' | 'dataKey'>;

/** The record a ciphertext belongs to; moving it elsewhere makes it unreadable. */
export interface SealScope {
  /** Names the owner of the record; a service may name a part of a tenant. */
  readonly tenant: string;
  /** The id of the record, as a rule with its kind: `job <jobId>`. */
  readonly record: string;
}

/** Seals secrets, opens them, and computes fingerprints by which they are found. */
export interface Vault {
  /** During a rotation of the index key. */
  readonly hasTwoIndexKeys: boolean;
  seal(
    scope: SealScope,
    secrets: { readonly number?: string | undefined; readonly payload?: string | undefined },
  ): Sealed;
  /** Throws `VaultUnavailable` where the ring lacks the wrapping key, and `SealBroken`. */
  open(scope: SealScope, sealed: Sealed, part: 'number' | 'payload'): string;
  /** An HMAC per tenant: the same for the same text (43 characters, base64url). */
  fingerprint(tenant: string, text: string): string;
  /** One capital letter and 15 digits, the same for the same card number within a tenant. */
  alias(tenant: string, number: string): string;
  /** Under each index key: first the fingerprint of new records; during a rotation, also that of the other key. */
  fingerprints(tenant: string, text: string): readonly string[];
  /** As `fingerprints`. */
  aliases(tenant: string, number: string): readonly string[];
}

/** Moves data keys to the current wrapping key, without opening what they seal. */
export interface Wrapping {
  readonly current: string;
  /** All of them, the current one first. */
  readonly ids: readonly string[];
  /** Throws `VaultUnavailable` where the ring lacks the wrapping key, and `SealBroken`. */
  rewrap(scope: SealScope, wrapped: WrappedKey): WrappedKey;
}

/** The ring lacks the wrapping key of a ciphertext. */
export class VaultUnavailable extends Unavailable {
  override readonly name = 'VaultUnavailable';
}
