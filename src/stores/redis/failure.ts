/** The reason of a Redis failure, as one word for a log; a message could repeat a password. */

/** A code such as `ECONNREFUSED` or `READONLY`, `timeout`, or the name of an error's class; never its message. */
export function reasonOf(thrown: unknown): string {
  const { code, message = '', name = 'unknown' } = Object(thrown) as Partial<NodeJS.ErrnoException>;
  if (typeof code === 'string') return code;
  if (message === 'Command timed out' || message.startsWith('Socket timeout')) return 'timeout';
  return /^([A-Z]{3,20})(?: |$)/.exec(message)?.[1] ?? name;
}

/** The key holds another type than a string. Redis itself works. */
export function isWrongType(thrown: unknown): boolean {
  return reasonOf(thrown) === 'WRONGTYPE';
}
