/** The tables of a run, and its findings: what was measured against a limit. */
export interface Finding {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

export const table = (heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [heads, heads.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const ratioFinding = (name: string, ratio: number, max: number): Finding => ({
  name: `${name}, many against few`,
  measured: ratio.toFixed(2),
  limit: `at most ${max}`,
  holds: ratio <= max,
});
