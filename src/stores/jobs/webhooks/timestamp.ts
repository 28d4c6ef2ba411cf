/** Timestamps as webhook messages have them. */

/** `2026-11-21T12:29:36+00:00` */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}+00:00`;
}
