/** Times as commands print them. */
/** Returns `2026-11-21T12:29:36.000Z`, as JSON has it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns `2026-11-21 12:29:36`, in UTC. `ms`: since the epoch. */
export function formatSecond(ms: number): string {
  return isoTime(ms).slice(0, 19).replace('T', ' ');
}

/** Returns `2026-11-21 12:29`, in UTC. */
export function formatMinute(ms: number): string {
  return formatSecond(ms).slice(0, -3);
}
