/** What a request to somebody outside met, as a code or a name: messages may quote what was sent. */

/** Down the causes: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED, TimeoutError. */
export const errorCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown';
  const { code } = thrown as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return thrown.cause === undefined ? thrown.name : errorCode(thrown.cause);
};
