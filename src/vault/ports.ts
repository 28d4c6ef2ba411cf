/** How card numbers and what else is secret are kept: sealed under keys from outside the store. */

/** What is secret about a detail, as it lies in the store. Base64 texts; opaque to all but the vault. */
export interface Sealed {
  /** Which wrapping key the data key is under. */
  readonly keyId: string;
  readonly dataKey: string;
  /** The card number. */
  readonly number?: string | undefined;
  /** What else is secret, and shown in answers: of a stored detail a `SecretDetail`. */
  readonly shown?: string | undefined;
}

/** A data key, and which wrapping key it is under. */
export type WrappedKey = Pick<Sealed, 'keyId' | 'dataKey'>;

/** The record a ciphertext belongs to; moving it elsewhere makes it unreadable. */
export interface SealScope {
  /** Of a payment instrument its balance platform. */
  readonly company: string;
  /** The id of the record, as a rule with its kind: `job <jobId>`. */
  readonly record: string;
}

export interface Vault {
  seal(
    scope: SealScope,
    secrets: { readonly number?: string | undefined; readonly shown?: string | undefined },
  ): Sealed;
  /** Throws `VaultUnavailable` when the wrapping key is not at hand; never falls back to anything. */
  open(scope: SealScope, sealed: Sealed, part: 'number' | 'shown'): string;
  /** Keyed, per company: the same text gives the same fingerprint (43 characters, base64url). */
  fingerprint(company: string, text: string): string;
  /** One capital letter and 15 digits, the same for the same card number within a company. */
  alias(company: string, number: string): string;
}

/** The wrapping keys at hand, and how a data key is moved to the current one; what it seals is not opened. */
export interface Wrapping {
  readonly current: string;
  /** All of them, the current one first. */
  readonly ids: readonly string[];
  /** Throws `VaultUnavailable` where its wrapping key is not at hand, and where it was changed or belongs elsewhere. */
  rewrap(scope: SealScope, wrapped: WrappedKey): WrappedKey;
}

/** The wrapping key that a ciphertext needs is not at hand. */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable';
}
