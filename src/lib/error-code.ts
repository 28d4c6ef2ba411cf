/** Names the failure of an outgoing request without its message, which may quote what was sent. */

/** The first error code among the error and its causes, or the name of the last cause: ECONNREFUSED, CERT_HAS_EXPIRED, TimeoutError. */
export function errorCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  const { code } = thrown as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return thrown.cause === undefined ? thrown.name : errorCode(thrown.cause);
}
