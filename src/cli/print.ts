/** What commands print, for the people and the programs that read it. */

export const print = (...lines: readonly string[]): void => {
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** `2026-11-21 12:29:36`, in UTC. `ms`: since the epoch. */
export const secondOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** `2026-11-21 12:29` */
export const minuteOf = (ms: number): string => secondOf(ms).slice(0, -3);
