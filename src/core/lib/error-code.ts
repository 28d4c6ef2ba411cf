/** Names the failure of an outgoing request without its message, which may quote what was sent. */

/** The first error code among the error and its causes, or the name of the last cause: ECONNREFUSED, CERT_HAS_EXPIRED, TimeoutError. */
export function errorCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown';
  const { code, name = 'unknown', cause } = thrown as Partial<NodeJS.ErrnoException>;
  if (typeof code === 'string') return code;
  return cause === undefined ? name : errorCode(cause);
}
