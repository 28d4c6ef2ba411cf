/** Settings in days. */

const dayMs = 24 * 60 * 60 * 1000;

/** 0 is for ever. */
export function retentionMs(days: number): number | undefined {
  return days === 0 ? undefined : days * dayMs;
}
