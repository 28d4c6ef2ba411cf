/** Limits on the size of an XML document. */

export interface Limits {
  readonly depthMax: number;
  readonly elementsMax: number;
  /** Attributes of one element. */
  readonly attributesMax: number;
  /** Attributes of the whole document. */
  readonly allAttributesMax: number;
  readonly nameLengthMax: number;
  readonly textLengthMax: number;
}

/** For requests. */
export const limits: Limits = Object.freeze({
  depthMax: 32,
  elementsMax: 2_000,
  attributesMax: 32,
  allAttributesMax: 4_000,
  nameLengthMax: 256,
  textLengthMax: 32_768,
});

/** For documents of contracts, and examples of their messages. */
export const documentLimits: Limits = Object.freeze({
  depthMax: 100,
  elementsMax: 200_000,
  attributesMax: 64,
  allAttributesMax: 1_000_000,
  nameLengthMax: 512,
  textLengthMax: 262_144,
});
