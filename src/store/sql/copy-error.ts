/** The copy cannot be made, or differs from its source. The operator reads the message. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
