/** Moments and durations, as people read them. */
import { useEffect, useState } from 'preact/hooks';

const formats = {
  full: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
  clock: new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }),
  exact: new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' }),
};
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The moment in the time zone of the reader: whole, its time of day, or how long ago. Its title has it exactly, with the zone and in UTC. */
export function Time({
  value,
  isRelative = false,
  as = 'full',
}: {
  readonly value: string | number;
  readonly isRelative?: boolean;
  readonly as?: 'full' | 'clock';
}) {
  const now = useNow(isRelative ? 10_000 : undefined);
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return <span>{value}</span>;
  const utc = date.toISOString();
  return (
    <time dateTime={utc} title={`${formats.exact.format(date)} (${utc})`}>
      {isRelative ? since(date.getTime(), now) : formats[as].format(date)}
    </time>
  );
}

function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

const units = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function since(then: number, now: number): string {
  const ms = then - now;
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? (['second', 1_000] as const);
  return relative.format(Math.trunc(ms / size), unit);
}

/** `12.3 ms`, `4.56 s`, `3 min`. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
