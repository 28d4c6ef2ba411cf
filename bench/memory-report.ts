/** Loaded before a measured server: SIGUSR2 writes what its memory holds to MEMORY, before and after a garbage collection. */
import { writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';

export interface MemoryReport {
  readonly before: NodeJS.MemoryUsage;
  readonly after: NodeJS.MemoryUsage;
  /** Bytes that V8 has taken for young objects. */
  readonly youngBytes: number;
}

process.on('SIGUSR2', () => {
  const before = process.memoryUsage();
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  globalThis.gc?.();
  const report: MemoryReport = { before, after: process.memoryUsage(), youngBytes: young?.space_size ?? 0 };
  writeFileSync(process.env.MEMORY!, JSON.stringify(report));
});
