/** Why Redis did not help, as a word for a log: a server's message may repeat what it was sent, a password included. */

/** A code such as `ECONNREFUSED` or `READONLY`, `timeout`, or the name of an error's class; never its message. */
export const reasonOf = (thrown: unknown): string => {
  const { code, message = '', name = 'unknown' } = Object(thrown) as Partial<NodeJS.ErrnoException>;
  if (typeof code === 'string') return code;
  if (message === 'Command timed out' || message.startsWith('Socket timeout')) return 'timeout';
  return /^([A-Z]{3,20})(?: |$)/.exec(message)?.[1] ?? name;
};

/** The key holds something that is no text. Redis itself is well. */
export const isWrongType = (thrown: unknown): boolean => reasonOf(thrown) === 'WRONGTYPE';
