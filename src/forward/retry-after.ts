/** Reads the header Retry-After of an upstream (RFC 9110, section 10.2.3): seconds, or an HTTP date. */

/** A day. Callers that wait longer would forget the request, and the clock of the upstream may be wrong by years. */
const retryAfterSecondsMax = 86_400;

const seconds = /^\d{1,6}$/;
/** The three forms of an HTTP date (section 5.6.7). The last one does not say that its time is in GMT. */
const date = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2}(?:\d{2})? \d{2}:\d{2}:\d{2} GMT$/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Returns whole seconds from now, at most a day; undefined for an absent header and for any other text. */
export function retryAfterSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim();
  if (seconds.test(value)) return Math.min(Number(value), retryAfterSecondsMax);
  if (!date.test(value) && !asctime.test(value)) return undefined;
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(0, Math.ceil((at - Date.now()) / 1_000)), retryAfterSecondsMax);
}
