/** Moments as answers print them: the local time of Amsterdam with its offset (as callers of this interface expect). */

const zone = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Amsterdam', timeZoneName: 'longOffset' });
const hourMs = 3_600_000;
const offsetsMax = 10_000;

interface Offset {
  readonly ms: number;
  readonly text: string;
}

const utc: Offset = { ms: 0, text: '+00:00' };

// Offsets change on the hour (UTC), and asking Intl costs more than the rest of an answer.
const offsets = new Map<number, Offset>();

const parseOffset = (text: string | undefined): Offset => {
  const [, sign, hours, minutes, seconds] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text ?? '') ?? [];
  if (sign === undefined) return utc;
  // Before 1937 the offset had seconds, which the wire cannot say; such a moment is printed in UTC.
  if (seconds !== undefined) return utc;
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { ms: sign === '-' ? -ms : ms, text: `${sign}${hours}:${minutes}` };
};

const offsetAt = (moment: number): Offset => {
  const hour = Math.floor(moment / hourMs);
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const found = parseOffset(zone.formatToParts(moment).find((part) => part.type === 'timeZoneName')?.value);
  if (offsets.size >= offsetsMax) offsets.clear();
  offsets.set(hour, found);
  return found;
};

/** `2017-03-01T11:53:11+01:00`; with milliseconds for SOAP. `moment`: milliseconds since the epoch. */
export const printMoment = (moment: number, precision: 's' | 'ms'): string => {
  const offset = offsetAt(moment);
  const local = new Date(moment + offset.ms).toISOString();
  return local.slice(0, precision === 'ms' ? -1 : -5) + offset.text;
};
