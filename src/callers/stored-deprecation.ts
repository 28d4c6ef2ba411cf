/** Deprecations that operators set while servers run: how the store holds them. */

export interface StoredDeprecation {
  readonly id: string;
  /** Was valid when it was saved, and may be from another release. Without `except`: exemptions have rows of their own. */
  readonly rule: unknown;
  /** The revision of the store that saved it. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** `credential cr_x`, or `user anna`. */
  readonly changedBy: string;
}

/** A credential that a deprecation does not concern, whether the configuration or the store holds the deprecation. */
export interface Exemption {
  /** The id of the deprecation. */
  readonly deprecation: string;
  /** The id of the credential. */
  readonly credential: string;
  readonly exemptedAt: number;
  readonly exemptedBy: string;
}

/** Everything that the store holds of deprecations. */
export interface StoredDeprecations {
  /** Another one after each change. */
  readonly revision: number;
  /** Oldest first. */
  readonly deprecations: readonly StoredDeprecation[];
  readonly exemptions: readonly Exemption[];
}

export const storedDeprecationsMax = 100;
export const exemptionsMax = 1_000;
/** Characters of a rule in the store. */
export const ruleLengthMax = 16_384;

/** Why a change was refused. */
export type DeprecationRefusal =
  /** No deprecation, or no exemption, has this id. */
  | 'unknown'
  /** Another operator has changed it meanwhile. */
  | 'changed'
  /** One of the limits above. */
  | 'tooMany';

/** A change of the stored deprecations that the store refuses. */
export class DeprecationRefused extends Error {
  override readonly name = 'DeprecationRefused';
  readonly reason: DeprecationRefusal;
  constructor(reason: DeprecationRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
