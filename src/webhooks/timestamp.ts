/** A moment as webhooks say it. */

/** `2026-11-21T12:29:36+00:00` */
export const formatTimestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}+00:00`;
