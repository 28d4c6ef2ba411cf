/** A budget of time or memory, and how it is measured. */
export interface Budget {
  readonly name: string;
  readonly max: number;
  readonly unit: 'ms' | 'MB';
  /** Rejects where the program does not behave as the measurement assumes. */
  measure(): Promise<number>;
}

/** The wall-clock time of the work. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function requireThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not as expected: ${what}`);
}
