/** Reads the times and numbers of the options of `triglyph audit show`. */
import { InvalidArgumentError } from 'commander';

const spans = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds since the epoch. A span counts back from now. */
export function parseMoment(text: string, now = Date.now()): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * spans[unit as keyof typeof spans];
  // Dates without a time zone are in UTC, as everything that is printed.
  const isUtc = /Z$|[+-]\d\d:\d\d$/.test(text) || !text.includes('T');
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(isUtc ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('Give a date, a time or a span such as 90m, 24h or 7d.');
  return moment;
}

export function parseCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count === 0) throw new InvalidArgumentError('Give a whole number from 1 to 9999999.');
  return count;
}
