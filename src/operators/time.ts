/** Reads the times that operators write: a day, a moment, or a span such as 90m, 24h or 30d. */
import { refuse } from './operator.ts';

const spans = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Returns milliseconds since the epoch. A span counts from `now`, back or on. Texts without a time zone are in UTC, as everything that
 * is printed. `name`: of the field, for the refusal.
 */
export function parseTime(name: string, given: string, now: number, direction: 'back' | 'on'): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  if (count !== undefined)
    return now + (direction === 'on' ? 1 : -1) * Number(count) * spans[unit as keyof typeof spans];
  const isUtc = /Z$|[+-]\d\d:\d\d$/.test(given) || !given.includes('T');
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(given);
  const time = isTime ? Date.parse(isUtc ? given : `${given}Z`) : Number.NaN;
  if (Number.isNaN(time))
    refuse(
      `${name} ${given}: give a day like 2026-12-01, a moment like 2026-12-01T09:00:00Z, or a span like 90m, 24h or 30d`,
    );
  return time;
}
