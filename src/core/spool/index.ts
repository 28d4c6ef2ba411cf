/** Large values of a request in temporary files, and the tokens that stand for them. */
export * from './spool.ts';
export {
  bytesBehind,
  bytesOrToken,
  describeTokens,
  hasToken,
  mapTexts,
  mayHaveToken,
  type SpooledValue,
  splitAtTokens,
  spooledValue,
  tokenOrBase64,
  withBytes,
  withInputBytes,
} from './tokens.ts';
