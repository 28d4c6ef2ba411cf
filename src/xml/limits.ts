/** How large a document may be, in each of its dimensions. */

export interface Limits {
  readonly depthMax: number;
  readonly elementsMax: number;
  readonly attributesMax: number;
  readonly nameLengthMax: number;
  readonly textLengthMax: number;
}

/** What a caller may send. */
export const limits: Limits = Object.freeze({
  depthMax: 32,
  elementsMax: 2_000,
  attributesMax: 32,
  nameLengthMax: 256,
  textLengthMax: 32_768,
});
